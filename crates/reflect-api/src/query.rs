//! Queries on the wire.

use reflect_core::{Lesson, Match, Message, RawJson, SearchBy, Tells, Trajectory};
use serde::{Deserialize, Deserializer, Serialize, de::Error};
use serde_json::{Map, Value};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{Limits, Violation, checks, whole::maybe_whole};

/// How many memories a query may ask for.
pub(crate) const MAX_LIMIT: usize = 1_000;

/// How many memories a query asks for that does not say.
pub const DEFAULT_LIMIT: u32 = 10;

/// How often a memory may sit out.
pub(crate) const MAX_SITTING_OUT: f64 = 0.5;

/// How much a filter may hold: it is looked at for every memory, and it is logged.
const MAX_FILTER_KEYS: usize = 32;
const MAX_FILTER_BYTES: usize = 8_192;

/// How long the text of a filter may be, with its white space and its escapes.
const MAX_FILTER_TEXT: usize = 16 * MAX_FILTER_BYTES;

/// What a run is about to do: its `task`, or the `messages` of a conversation to distil it from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct QueryRequest {
    /// The task at hand.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The conversation so far, instead of a task.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    pub messages: Option<RawJson>,
    /// How many memories at most.
    #[serde(default, deserialize_with = "maybe_whole", skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// The weight of utility against similarity: 0 is similarity alone, 1 is utility alone. The project's own when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lambda: Option<f64>,
    /// The weight of score against diversity; 1 switches diversity off. The project's own when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mmr_lambda: Option<f64>,
    /// What of a memory the task is compared with: `task`, `lesson`, or `both`, of which the nearer counts. The project's own when absent.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub matching: Option<Match>,
    /// What the metadata of a memory's trace must hold: every key, with this value or a list that has it.
    #[serde(default, deserialize_with = "maybe_filter", skip_serializing_if = "Option::is_none")]
    pub metadata_filter: Option<Map<String, Value>>,
    /// The floor on cosine similarity. The project's own when absent, else the embedder's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarity_threshold: Option<f64>,
    /// In which share of the answers that it is due for the most doubtful memory sits out; 0 if none does. The project's own when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sitting_out: Option<f64>,
    /// Whether each memory says why it is where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explain: Option<bool>,
}

impl QueryRequest {
    /// What to search by, and the limit, if all else is well.
    pub fn check(&self, limits: &Limits) -> Result<(SearchBy, usize), Violation> {
        let search_by = self.search_by(limits)?;
        checks::between("lambda", self.lambda, 0.0, 1.0)?;
        checks::between("mmr_lambda", self.mmr_lambda, 0.0, 1.0)?;
        checks::between("similarity_threshold", self.similarity_threshold, -1.0, 1.0)?;
        checks::between("sitting_out", self.sitting_out, 0.0, MAX_SITTING_OUT)?;
        if let Some(filter) = &self.metadata_filter {
            checks::at_most("metadata_filter", filter.len(), MAX_FILTER_KEYS)?;
            if serde_json::to_string(filter).map_or(usize::MAX, |json| json.len()) > MAX_FILTER_BYTES {
                return Err(Violation::new("metadata_filter", too_large()));
            }
        }
        match usize::try_from(self.limit.unwrap_or(DEFAULT_LIMIT)).unwrap_or(usize::MAX) {
            limit @ 1..=MAX_LIMIT => Ok((search_by, limit)),
            limit => Err(Violation::new("limit", format!("is {limit}, it must be between 1 and {MAX_LIMIT}"))),
        }
    }

    fn search_by(&self, limits: &Limits) -> Result<SearchBy, Violation> {
        match (&self.task, &self.messages) {
            (Some(task), None) => {
                checks::task("task", task, limits)?;
                Ok(SearchBy::Task(task.clone()))
            }
            (None, Some(messages)) => conversation(messages, limits).map(SearchBy::Conversation),
            (None, None) => Err(Violation::new("task", "is missing; send a task, or messages to distil one from")),
            (Some(_), Some(_)) => Err(Violation::new("messages", "came beside a task; send one of the two")),
        }
    }
}

fn conversation(messages: &RawJson, limits: &Limits) -> Result<Vec<Message>, Violation> {
    if !messages.as_str().starts_with('[') {
        return Err(Violation::new("messages", "must be a list of messages"));
    }
    let conversation = Trajectory::from_wire(messages, limits.list_length)
        .map_err(|error| checks::unreadable_trajectory("messages", error))?;
    let messages = conversation.messages();
    if messages.is_empty() {
        return Err(Violation::new("messages", "is empty; send the conversation so far"));
    }
    Ok(messages)
}

/// A filter, whose length is looked at first: as values it takes up to forty times as much memory.
fn maybe_filter<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Map<String, Value>>, D::Error> {
    let Some(filter) = Option::<RawJson>::deserialize(deserializer)? else { return Ok(None) };
    if filter.as_str().len() > MAX_FILTER_TEXT {
        return Err(D::Error::custom(too_large()));
    }
    filter.read().map_err(D::Error::custom)
}

fn too_large() -> String {
    format!("is larger than {MAX_FILTER_BYTES} bytes")
}

/// For a field that may be absent but not null.
fn not_null<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// What a run is about to do: its task, or a conversation to distil it from. Not both.
#[derive(ToSchema)]
#[schema(as = QueryRequest)]
#[serde(untagged)]
pub enum QueryRequestSchema {
    /// A query by task.
    Task(TaskQuery),
    /// A query by conversation.
    Conversation(ConversationQuery),
}

/// A query by task.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it only describes")]
pub struct TaskQuery {
    /// The task at hand.
    #[schema(min_length = 1, max_length = 32_768, pattern = r"^[^\u0000]*[^\s\u0000][^\u0000]*$")]
    task: String,
    #[serde(flatten)]
    options: QueryOptions,
}

/// A query by conversation: what to search for is distilled from it, and the answer says what that is.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it only describes")]
pub struct ConversationQuery {
    /// The conversation so far, as LLM APIs write it.
    #[schema(min_items = 1, max_items = 10_000)]
    messages: Vec<std::collections::HashMap<String, serde_json::Value>>,
    #[serde(flatten)]
    options: QueryOptions,
}

/// How a query is answered.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it only describes")]
struct QueryOptions {
    /// How many memories at most.
    #[schema(minimum = 1, maximum = 1_000, default = 10)]
    limit: Option<u32>,
    /// The weight of utility against similarity: 0 is similarity alone, 1 is utility alone. The project's own when absent.
    #[schema(minimum = 0, maximum = 1)]
    lambda: Option<f64>,
    /// The weight of score against diversity; 1 switches diversity off. The project's own when absent.
    #[schema(minimum = 0, maximum = 1)]
    mmr_lambda: Option<f64>,
    /// What of a memory the task is compared with: `task`, `lesson`, or `both`, of which the nearer counts. The project's own when absent.
    #[serde(rename = "match")]
    #[schema(inline)]
    matching: Option<crate::status::MatchName>,
    /// What the metadata of a memory's trace must hold: every key, with this value or a list that has it.
    metadata_filter: Option<std::collections::HashMap<String, serde_json::Value>>,
    /// The floor on cosine similarity. The project's own when absent, else the embedder's.
    #[schema(minimum = -1, maximum = 1)]
    similarity_threshold: Option<f64>,
    /// In which share of the answers that it is due for the most doubtful memory sits out; 0 if none does. The project's own when absent.
    #[schema(minimum = 0, maximum = 0.5)]
    sitting_out: Option<f64>,
    /// Whether each memory says why it is where it is.
    #[schema(default = false)]
    explain: Option<bool>,
}

/// The answer to a query: a list for a task, an object for a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum QueryAnswer {
    /// The memories, best first.
    Memories(Vec<MemoryAnswer>),
    /// What was searched for, and the memories.
    Distilled(DistilledAnswer),
}

/// The answer to a query by conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DistilledAnswer {
    /// What was searched for. Empty if the conversation holds no words to search by; then there are no memories.
    pub intent: String,
    /// Who distilled it: `builtin`, or a model.
    pub distilled_by: String,
    /// The memories, best first.
    pub memories: Vec<MemoryAnswer>,
}

/// A memory in the answer to a query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MemoryAnswer {
    /// Its id: pass it back as one of `retrieved_memory_ids`.
    pub id: Uuid,
    /// The task it was learned from.
    pub task: String,
    /// The whole lesson as one text.
    pub reflection: String,
    /// Its utility: 0.5 at first, nearer to 1 the more it has helped.
    pub q_value: f64,
    /// The cosine similarity of the task asked about to its task or to what it says, as `match` has it.
    pub similarity: f64,
    /// The blend of both, by which answers are ordered.
    pub score: f64,
    /// Whether the run that it was learned from passed.
    pub success: Option<bool>,
    /// One sentence: what was tried and how it ended.
    pub summary: String,
    /// What went wrong.
    pub key_mistake: String,
    /// What to do instead, or what worked.
    pub correct_action: String,
    /// Advice to act on.
    pub guidance: String,
    /// Tools that the lesson is about.
    pub applicable_tools: Vec<String>,
    /// Tools that the run called.
    pub tools_used: Vec<String>,
    /// How much it tells: `rule`, `fix`, `fact`, `pitfall`, `answer`, `example` or `nothing`. Absent where its writer did not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<crate::status::TellsName>, nullable = false)]
    pub tells: Option<Tells>,
    /// Why it is where it is, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub explain: Option<ExplanationAnswer>,
}

impl MemoryAnswer {
    /// The lesson in its parts. One without any, from a server older than they are, is all summary.
    pub fn lesson(&self) -> Lesson {
        let parts = [&self.summary, &self.key_mistake, &self.correct_action, &self.guidance];
        let summary = if parts.iter().all(|part| part.is_empty()) { &self.reflection } else { &self.summary };
        Lesson {
            summary: summary.clone(),
            key_mistake: self.key_mistake.clone(),
            correct_action: self.correct_action.clone(),
            guidance: self.guidance.clone(),
            applicable_tools: self.applicable_tools.clone(),
            tools_used: self.tools_used.clone(),
            tells: self.tells,
        }
    }
}

/// Why a memory is where it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ExplanationAnswer {
    /// Its place had similarity alone decided, from 1.
    pub similarity_rank: u32,
    /// Its similarity.
    pub similarity: f64,
    /// Its utility.
    pub q_value: f64,
    /// How many reviewed runs were shown it.
    pub uses: u32,
    /// How many of them passed.
    pub passes: u32,
    /// How many of them failed.
    pub fails: u32,
    /// The blend.
    pub score: f64,
    /// What it lost for being near to those picked before it.
    pub mmr_penalty: f64,
    /// The run that it was learned from.
    pub trace_id: Uuid,
    /// The floor on similarity that applied; null if there was none.
    pub similarity_threshold: Option<f64>,
}
