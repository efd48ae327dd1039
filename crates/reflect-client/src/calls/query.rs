//! Query and augment.

use reflect_api::QueryRequest;
use reflect_core::{Match, RawJson};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::{AugmentedTask, QueriedMemories, ReflectClient, Result, TraceScope, setters::setters, world::Named};

/// A query. Await it to send it.
///
/// ```no_run
/// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
/// let query = client.query("Refund order A-17").limit(5).similarity_threshold(0.4);
/// let found = query.await?;
/// println!("{} memories", found.memories.len());
/// # Ok(()) }
/// ```
#[derive(Clone)]
#[must_use = "a query is sent by awaiting it"]
pub struct QueryMemories {
    client: ReflectClient,
    named: Named<QueryRequest>,
}

/// A query whose memories go into a prompt. Await it to send it.
#[derive(Clone)]
#[must_use = "a task is augmented by awaiting it"]
pub struct AugmentTask {
    task: String,
    query: QueryMemories,
}

impl ReflectClient {
    /// The memories that serve a task best.
    pub fn query(&self, task: impl Into<String>) -> QueryMemories {
        let request = QueryRequest { task: Some(task.into()), ..QueryRequest::default() };
        QueryMemories { client: self.clone(), named: Named { request, name: None } }
    }

    /// The memories for what a conversation comes down to; the answer says what that is.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
    /// let messages = [reflect_client::Message::user("My order never came, can I have my money back?")];
    /// let found = client.query_conversation(&messages).await?;
    /// println!("searched for {:?}", found.intent);
    /// # Ok(()) }
    /// ```
    pub fn query_conversation<T: Serialize + ?Sized>(&self, messages: &T) -> QueryMemories {
        let request = QueryRequest { messages: Some(RawJson::from_value(messages)), ..QueryRequest::default() };
        QueryMemories { client: self.clone(), named: Named { request, name: None } }
    }

    /// The task with its memories, as a prompt to hand to a model.
    pub fn augment_with_memories(&self, task: impl Into<String>) -> AugmentTask {
        let task = task.into();
        AugmentTask { query: self.query(task.clone()), task }
    }
}

/// Writes the options of a query for all builders that make one.
macro_rules! query_options {
    ($builder:ident, $($query:ident).+) => {
        setters! { $builder:
            /// How many memories at most; 10 when unset.
            limit(u32) => $($query).+.request.limit;
            /// The weight of utility against similarity: 0 is similarity alone, 1 utility alone.
            lambda(f64) => $($query).+.request.lambda;
            /// The weight of score against diversity; 1 switches diversity off.
            mmr_lambda(f64) => $($query).+.request.mmr_lambda;
            /// What of a memory the task is compared with; of both, the nearer counts.
            match_by(Match) => $($query).+.request.matching;
            /// The floor on cosine similarity.
            similarity_threshold(f64) => $($query).+.request.similarity_threshold;
            /// In which share of the answers that it is due for the most doubtful memory sits out; 0 if none does.
            sitting_out(f64) => $($query).+.request.sitting_out;
            /// Whether each memory says why it is where it is.
            explain(bool) => $($query).+.request.explain;
            /// A name for this query, so that chance decides alike when it is sent again: nothing else sits out. Queries get one of
            /// their own; yours is for a retry across restarts of your program.
            idempotency_key(text) => $($query).+.name;
        }

        impl $builder {
            /// Only memories whose trace's metadata has this value under this key, or a list that has it. May be called again
            /// for more keys.
            pub fn metadata(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
                self.$($query).+.request.metadata_filter.get_or_insert_with(Map::new).insert(key.into(), value.into());
                self
            }
        }
    };
}

query_options!(QueryMemories, named);
query_options!(AugmentTask, query.named);
query_options!(TraceScope, augment.query.named);

#[cfg(feature = "macros")]
impl AugmentTask {
    /// The task as it was given.
    pub(crate) fn into_task(self) -> String {
        self.task
    }
}

impl QueryMemories {
    pub(super) async fn send(self) -> Result<QueriedMemories> {
        self.client.world.query(&self.client.project_id, self.named).await
    }
}

impl AugmentTask {
    pub(super) async fn send(self) -> Result<AugmentedTask> {
        let prompts = self.query.client.prompts.clone();
        let queried = self.query.send().await?;
        Ok(AugmentedTask::new(self.task, queried, &prompts))
    }
}
