//! Lists, a page at a time or as a stream.

use futures_util::{Stream, TryStreamExt, stream};
use reflect_api::{ListMemoriesRequest, ListTracesRequest, MemoryDetail, MetadataFilter, TraceAnswer};
use reflect_core::{Direction, IngestStatus, MemoryOrder, MemoryStatus, Outcome, ReviewStatus, Timestamp};
use uuid::Uuid;

use crate::{Error, IntoOutcome, ReflectClient, Result, setters::setters, world::Page};

/// How many are read at a time.
const PAGE: u32 = 100;

/// Traces to be listed, newest first. Await it for all of them, or take [`ListTraces::stream`] or a [`ListTraces::page`].
///
/// ```no_run
/// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
/// let traces = client.list_traces().failed().text("refund").await?;
/// println!("{} failed refunds", traces.len());
/// # Ok(()) }
/// ```
#[derive(Clone)]
#[must_use = "a list is read by awaiting it"]
pub struct ListTraces {
    client: ReflectClient,
    request: ListTracesRequest,
    /// A result that cannot be read is an error when the list is read.
    problem: Option<String>,
}

/// Memories to be listed, newest first. Await it for all of them, or take [`ListMemories::stream`] or a [`ListMemories::page`].
#[derive(Clone)]
#[must_use = "a list is read by awaiting it"]
pub struct ListMemories {
    client: ReflectClient,
    request: ListMemoriesRequest,
}

impl ReflectClient {
    /// The project's traces.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
    /// use futures_util::TryStreamExt;
    /// use reflect_client::ReviewStatus;
    ///
    /// let mut pending = std::pin::pin!(client.list_traces().review_status(ReviewStatus::Pending).stream());
    /// while let Some(trace) = pending.try_next().await? {
    ///     println!("{} {}", trace.id, trace.task);
    /// }
    /// # Ok(()) }
    /// ```
    pub fn list_traces(&self) -> ListTraces {
        ListTraces { client: self.clone(), request: ListTracesRequest::default(), problem: None }
    }

    /// The project's memories.
    pub fn list_memories(&self) -> ListMemories {
        ListMemories { client: self.clone(), request: ListMemoriesRequest::default() }
    }
}

setters! { ListTraces:
    /// Only those whose review has or has not become a memory.
    review_status(ReviewStatus) => request.review_status;
    /// Only those on which the work has come this far.
    ingest_status(IngestStatus) => request.ingest_status;
    /// Only those of this model.
    model(text) => request.model;
    /// Only those stored at or after this time.
    since(Timestamp) => request.since;
    /// Only those stored before this time.
    until(Timestamp) => request.until;
    /// Only those in whose task, final response or feedback every one of these words occurs, in any order, whatever the case of their letters.
    text(text) => request.text;
    /// How many a page has; 100 when unset, at most 1,000.
    page_size(u32) => request.limit;
}

impl ListTraces {
    /// Only those that were reviewed with this result.
    pub fn result(mut self, result: impl IntoOutcome) -> Self {
        match result.into_outcome() {
            Ok(outcome) => self.request.result = Some(outcome),
            Err(error) => self.problem = Some(error.to_string()),
        }
        self
    }

    /// Only those that passed.
    pub fn passed(self) -> Self {
        self.result(Outcome::Pass)
    }

    /// Only those that failed.
    pub fn failed(self) -> Self {
        self.result(Outcome::Fail)
    }

    /// Only those that name this memory as shown to their run.
    pub fn memory(mut self, memory_id: Uuid) -> Self {
        self.request.memory_id = Some(memory_id);
        self
    }

    /// Only those whose metadata has this value under this key, or a list that has it. May be called again for more keys.
    pub fn metadata(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.request.metadata.push(MetadataFilter { key: key.into(), value: value.into() });
        self
    }

    /// Without their trajectories.
    pub fn summaries(mut self) -> Self {
        self.request.view = Some("summary".into());
        self
    }

    /// One page: the first, or the one after `cursor`.
    pub async fn page(&self, cursor: Option<String>) -> Result<Page<TraceAnswer>> {
        if let Some(problem) = &self.problem {
            return Err(Error::Settings(problem.clone()));
        }
        let limit = Some(self.request.limit.unwrap_or(PAGE));
        let request = ListTracesRequest { cursor, limit, ..self.request.clone() };
        self.client.world.list_traces(&self.client.project_id, &request).await
    }

    pub(super) async fn send(self) -> Result<Vec<TraceAnswer>> {
        self.stream().try_collect().await
    }

    /// One after the other, read a page at a time.
    pub fn stream(self) -> impl Stream<Item = Result<TraceAnswer>> + Send + use<> {
        pages(move |cursor| {
            let list = self.clone();
            async move { list.page(cursor).await }
        })
    }
}

setters! { ListMemories:
    /// Only those that are shown, or only those that are hidden.
    status(MemoryStatus) => request.status;
    /// Only those in whose task or lesson every one of these words occurs, in any order, whatever the case of their letters.
    text(text) => request.text;
    /// Only those that say the same as this memory, itself among them.
    same_as(Uuid) => request.same_as;
    /// How many a page has; 100 when unset, at most 1,000.
    page_size(u32) => request.limit;
}

impl ListMemories {
    /// Of those that say the same only the one that most runs saw, with `runs_alike`. Not together with `text`.
    pub fn distinct(mut self) -> Self {
        self.request.distinct = Some(true);
        self
    }

    /// Only those that queries leave out, since they are believed to hurt.
    pub fn retired(mut self) -> Self {
        self.request.retired = Some(true);
        self
    }

    /// By what, and from which end on; the newest first when unset.
    pub fn order(mut self, order: MemoryOrder, direction: Direction) -> Self {
        (self.request.order, self.request.direction) = (Some(order), Some(direction));
        self
    }

    /// One page: the first, or the one after `cursor`.
    pub async fn page(&self, cursor: Option<String>) -> Result<Page<MemoryDetail>> {
        let limit = Some(self.request.limit.unwrap_or(PAGE));
        let request = ListMemoriesRequest { cursor, limit, ..self.request.clone() };
        self.client.world.list_memories(&self.client.project_id, &request).await
    }

    pub(super) async fn send(self) -> Result<Vec<MemoryDetail>> {
        self.stream().try_collect().await
    }

    /// One after the other, read a page at a time.
    pub fn stream(self) -> impl Stream<Item = Result<MemoryDetail>> + Send + use<> {
        pages(move |cursor| {
            let list = self.clone();
            async move { list.page(cursor).await }
        })
    }
}

/// Where a stream of pages stands.
enum Next {
    Page(Option<String>),
    End,
}

fn pages<T: Send, Fut>(read: impl Fn(Option<String>) -> Fut + Send) -> impl Stream<Item = Result<T>> + Send
where
    Fut: Future<Output = Result<Page<T>>> + Send,
{
    let pages = stream::try_unfold((read, Next::Page(None)), |(read, next)| async move {
        let Next::Page(cursor) = next else { return Ok::<_, Error>(None) };
        let page = read(cursor).await?;
        let next = page.next_cursor.map_or(Next::End, |cursor| Next::Page(Some(cursor)));
        Ok(Some((stream::iter(page.items.into_iter().map(Ok)), (read, next))))
    });
    pages.try_flatten()
}
