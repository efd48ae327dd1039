//! Lists, a page at a time or as a stream.

use std::future::IntoFuture;

use futures_util::{Stream, TryStreamExt, stream};
use reflect_api::{ListMemoriesRequest, ListTracesRequest, MemoryDetail, MetadataFilter, TraceAnswer};
use reflect_core::{IngestStatus, MemoryStatus, Outcome, ReviewStatus, Timestamp};

use crate::{Error, IntoOutcome, ReflectClient, Result, world::Page};

use super::Sending;

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
    /// A result that is none, to be told when the list is read.
    problem: Option<String>,
}

/// Memories to be listed, newest first. Await it for all of them, or take [`ListMemories::stream`] or a [`ListMemories::page`].
///
/// ```no_run
/// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
/// for memory in client.list_memories().await? {
///     println!("{:.2} {}", memory.q_value, memory.reflection);
/// }
/// # Ok(()) }
/// ```
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
    ///
    /// ```no_run
    /// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
    /// let memories = client.list_memories().await?;
    /// println!("{} lessons", memories.len());
    /// # Ok(()) }
    /// ```
    pub fn list_memories(&self) -> ListMemories {
        ListMemories { client: self.clone(), request: ListMemoriesRequest::default() }
    }
}

impl ListTraces {
    /// Only those whose review has or has not become a memory.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
    /// use reflect_client::ReviewStatus;
    ///
    /// let pending = client.list_traces().review_status(ReviewStatus::Pending).await?;
    /// println!("{} to review", pending.len());
    /// # Ok(()) }
    /// ```
    pub fn review_status(mut self, status: ReviewStatus) -> Self {
        self.request.review_status = Some(status);
        self
    }

    /// Only those on which the work has come this far.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
    /// use reflect_client::IngestStatus;
    ///
    /// for trace in client.list_traces().ingest_status(IngestStatus::Failed).await? {
    ///     client.retry_trace(trace.id).await?;
    /// }
    /// # Ok(()) }
    /// ```
    pub fn ingest_status(mut self, status: IngestStatus) -> Self {
        self.request.ingest_status = Some(status);
        self
    }

    /// Only those that were reviewed with this result.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
    /// let failed = client.list_traces().result("fail").await?;
    /// println!("{} failed", failed.len());
    /// # Ok(()) }
    /// ```
    pub fn result(mut self, result: impl IntoOutcome) -> Self {
        match result.into_outcome() {
            Ok(outcome) => self.request.result = Some(outcome),
            Err(error) => self.problem = Some(error.to_string()),
        }
        self
    }

    /// Only those that passed.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
    /// let passed = client.list_traces().passed().await?;
    /// println!("{} passed", passed.len());
    /// # Ok(()) }
    /// ```
    pub fn passed(self) -> Self {
        self.result(Outcome::Pass)
    }

    /// Only those that failed.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
    /// for trace in client.list_traces().failed().await? {
    ///     println!("{} {:?}", trace.task, trace.review.and_then(|review| review.feedback_text));
    /// }
    /// # Ok(()) }
    /// ```
    pub fn failed(self) -> Self {
        self.result(Outcome::Fail)
    }

    /// Only those of this model.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
    /// let traces = client.list_traces().model("gpt-5.4-mini").await?;
    /// println!("{} runs", traces.len());
    /// # Ok(()) }
    /// ```
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.request.model = Some(model.into());
        self
    }

    /// Only those stored at or after this time.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
    /// use reflect_client::Timestamp;
    ///
    /// let since: Timestamp = "2026-11-01T00:00:00Z".parse().unwrap();
    /// let traces = client.list_traces().since(since).await?;
    /// println!("{} since then", traces.len());
    /// # Ok(()) }
    /// ```
    pub fn since(mut self, since: Timestamp) -> Self {
        self.request.since = Some(since);
        self
    }

    /// Only those stored before this time.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
    /// use reflect_client::Timestamp;
    ///
    /// let until: Timestamp = "2026-11-01T00:00:00Z".parse().unwrap();
    /// let traces = client.list_traces().until(until).await?;
    /// println!("{} before that", traces.len());
    /// # Ok(()) }
    /// ```
    pub fn until(mut self, until: Timestamp) -> Self {
        self.request.until = Some(until);
        self
    }

    /// Only those in whose task, final response or feedback every one of these words occurs, in any order, whatever the case of their letters.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
    /// let traces = client.list_traces().text("refund").await?;
    /// println!("{} about refunds", traces.len());
    /// # Ok(()) }
    /// ```
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.request.text = Some(text.into());
        self
    }

    /// Only those whose metadata has this value under this key, or a list that has it. May be called again for more keys.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
    /// let traces = client.list_traces().metadata("team", "billing").metadata("region", "eu").await?;
    /// println!("{} of the team", traces.len());
    /// # Ok(()) }
    /// ```
    pub fn metadata(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.request.metadata.push(MetadataFilter { key: key.into(), value: value.into() });
        self
    }

    /// Without their trajectories.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
    /// for trace in client.list_traces().summaries().await? {
    ///     println!("{} {}", trace.created_at, trace.task);
    /// }
    /// # Ok(()) }
    /// ```
    pub fn summaries(mut self) -> Self {
        self.request.view = Some("summary".into());
        self
    }

    /// How many a page has; 100 when unset, at most 1,000.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
    /// let page = client.list_traces().page_size(20).page(None).await?;
    /// println!("{} of them, and more: {}", page.items.len(), page.next_cursor.is_some());
    /// # Ok(()) }
    /// ```
    pub fn page_size(mut self, limit: u32) -> Self {
        self.request.limit = Some(limit);
        self
    }

    /// One page: the first, or the one after `cursor`.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
    /// let traces = client.list_traces().page_size(20);
    /// let first = traces.page(None).await?;
    /// if let Some(cursor) = first.next_cursor {
    ///     println!("{} more", traces.page(Some(cursor)).await?.items.len());
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn page(&self, cursor: Option<String>) -> Result<Page<TraceAnswer>> {
        if let Some(problem) = &self.problem {
            return Err(Error::Settings(problem.clone()));
        }
        let limit = Some(self.request.limit.unwrap_or(PAGE));
        let request = ListTracesRequest { cursor, limit, ..self.request.clone() };
        self.client.world.list_traces(&self.client.project_id, &request).await
    }

    /// One after the other, read a page at a time.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
    /// use futures_util::TryStreamExt;
    ///
    /// let mut failed = std::pin::pin!(client.list_traces().failed().stream());
    /// if let Some(newest) = failed.try_next().await? {
    ///     println!("{}", newest.task);
    /// }
    /// # Ok(()) }
    /// ```
    pub fn stream(self) -> impl Stream<Item = Result<TraceAnswer>> + Send + use<> {
        pages(move |cursor| {
            let list = self.clone();
            async move { list.page(cursor).await }
        })
    }
}

impl ListMemories {
    /// Only those that are shown, or only those that are hidden.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
    /// use reflect_client::MemoryStatus;
    ///
    /// let hidden = client.list_memories().status(MemoryStatus::Disabled).await?;
    /// println!("{} hidden", hidden.len());
    /// # Ok(()) }
    /// ```
    pub fn status(mut self, status: MemoryStatus) -> Self {
        self.request.status = Some(status);
        self
    }

    /// How many a page has; 100 when unset, at most 1,000.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
    /// let page = client.list_memories().page_size(20).page(None).await?;
    /// println!("{} of them, and more: {}", page.items.len(), page.next_cursor.is_some());
    /// # Ok(()) }
    /// ```
    pub fn page_size(mut self, limit: u32) -> Self {
        self.request.limit = Some(limit);
        self
    }

    /// One page: the first, or the one after `cursor`.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
    /// let memories = client.list_memories().page_size(20);
    /// let first = memories.page(None).await?;
    /// if let Some(cursor) = first.next_cursor {
    ///     println!("{} more", memories.page(Some(cursor)).await?.items.len());
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn page(&self, cursor: Option<String>) -> Result<Page<MemoryDetail>> {
        let limit = Some(self.request.limit.unwrap_or(PAGE));
        let request = ListMemoriesRequest { cursor, limit, ..self.request.clone() };
        self.client.world.list_memories(&self.client.project_id, &request).await
    }

    /// One after the other, read a page at a time.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
    /// use futures_util::TryStreamExt;
    ///
    /// let mut memories = std::pin::pin!(client.list_memories().stream());
    /// while let Some(memory) = memories.try_next().await? {
    ///     println!("{:.2} {}", memory.q_value, memory.reflection);
    /// }
    /// # Ok(()) }
    /// ```
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

impl IntoFuture for ListTraces {
    type Output = Result<Vec<TraceAnswer>>;
    type IntoFuture = Sending<Vec<TraceAnswer>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.stream().try_collect())
    }
}

impl IntoFuture for ListMemories {
    type Output = Result<Vec<MemoryDetail>>;
    type IntoFuture = Sending<Vec<MemoryDetail>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.stream().try_collect())
    }
}
