//! Traces on the wire.

use reflect_core::{NewTrace, RawJson, RetrievalId, Timestamp, Trace, TraceId, Trajectory};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    Limits, ReviewAnswer, ReviewRequest, Violation, checks, find_too_deep, object::maybe_object, query::MAX_LIMIT,
};

/// A run to be recorded.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct CreateTraceRequest {
    /// What the agent was asked to do.
    #[schema(min_length = 1, max_length = 32_768, pattern = r"^[^\u0000]*[^\s\u0000][^\u0000]*$")]
    pub task: String,
    /// What happened: a list of messages, a text that holds such a list as JSON, or any other text, which becomes one
    /// message of the assistant.
    #[schema(value_type = TrajectorySchema)]
    pub trajectory: RawJson,
    /// The agent's answer; when absent, the words of the last message of the assistant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1_000_000)]
    pub final_response: Option<String>,
    /// The ids of the memories that were in the prompt. Without them nothing is learned about those memories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<crate::status::NameSchema>>, max_items = 1_000)]
    pub retrieved_memory_ids: Option<Vec<String>>,
    /// The model that ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 256, pattern = r"^[^\u0000]*$")]
    pub model: Option<String>,
    /// Anything else, in up to 65,536 bytes. Queries can filter by it: keys and the elements of lists under them are at most 1,000
    /// together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<std::collections::HashMap<String, serde_json::Value>>)]
    pub metadata: Option<RawJson>,
    /// A policy, schema or gold answer for the reflector to read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1_000_000)]
    pub reference_context: Option<String>,
    /// The `X-Retrieval-Id` of the query whose answer the run was shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = Uuid, pattern = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$")]
    pub retrieval_id: Option<Uuid>,
    /// The review, when the outcome is known at once.
    #[serde(default, deserialize_with = "maybe_object", skip_serializing_if = "Option::is_none")]
    pub review: Option<ReviewRequest>,
}

/// The shapes of a trajectory.
#[derive(ToSchema)]
#[schema(as = Trajectory)]
#[serde(untagged)]
#[expect(dead_code, reason = "it only describes; the value is kept as it came")]
pub(crate) enum TrajectorySchema {
    /// Messages as LLM APIs write them.
    Messages(Vec<std::collections::HashMap<String, serde_json::Value>>),
    /// A text.
    Text(String),
}

impl CreateTraceRequest {
    /// The run, checked and normalised.
    pub fn check(self, limits: &Limits) -> Result<NewTrace, Violation> {
        checks::task("task", &self.task, limits)?;
        let trajectory = Trajectory::from_wire(&self.trajectory, limits.list_length)
            .map_err(|error| checks::unreadable_trajectory("trajectory", error))?;
        // The body's own nesting was looked at before; a list inside a text has its own.
        if find_too_deep(trajectory.raw().as_str().as_bytes(), limits.nesting).is_some() {
            let problem = format!("nests deeper than the {} levels that are allowed", limits.nesting);
            return Err(Violation::new("trajectory", problem));
        }
        checks::maybe_text("final_response", self.final_response.as_ref(), limits)?;
        let mut retrieved_memory_ids = self.retrieved_memory_ids.unwrap_or_default();
        checks::at_most("retrieved_memory_ids", retrieved_memory_ids.len(), MAX_LIMIT)?;
        checks::names("retrieved_memory_ids", &retrieved_memory_ids, limits)?;
        keep_first_of_each(&mut retrieved_memory_ids);
        if let Some(model) = &self.model {
            checks::name("model", model)?;
        }
        checks::maybe_text("reference_context", self.reference_context.as_ref(), limits)?;
        let review = self.review.map(|review| review.check(limits)).transpose();
        Ok(NewTrace {
            task: self.task,
            final_response: self.final_response.unwrap_or_else(|| trajectory.last_assistant_text()),
            trajectory,
            retrieved_memory_ids,
            model: self.model,
            metadata: checks::metadata("metadata", self.metadata, limits)?,
            reference_context: self.reference_context,
            retrieval_id: self.retrieval_id.map(RetrievalId::from_uuid),
            review: review.map_err(|violation| violation.under("review"))?,
        })
    }
}

fn keep_first_of_each(ids: &mut Vec<String>) {
    let mut seen = std::collections::HashSet::with_capacity(ids.len());
    ids.retain(|id| seen.insert(id.clone()));
}

/// A run that was stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SubmissionAnswer {
    /// Its id.
    pub trace_id: Uuid,
    /// `completed` if there is nothing left to do, `queued` if a lesson is to be written.
    #[schema(value_type = crate::status::IngestStatusName)]
    pub ingest_status: reflect_core::IngestStatus,
    /// What looks wrong about it, for the person who sent it; absent where nothing does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A stored run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TraceAnswer {
    /// Its id.
    pub id: Uuid,
    /// What the agent was asked to do.
    pub task: String,
    /// The messages, as they came in. Left out with `view=summary`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<std::collections::HashMap<String, serde_json::Value>>>, nullable = false)]
    pub trajectory: Option<RawJson>,
    /// The agent's answer.
    pub final_response: String,
    /// The memories that were in the prompt.
    pub retrieved_memory_ids: Vec<String>,
    /// The query that showed them, where it is known.
    pub retrieval_id: Option<Uuid>,
    /// `reviewed` once the memory is there for the next query.
    #[schema(value_type = crate::status::ReviewStatusName)]
    pub review_status: reflect_core::ReviewStatus,
    /// How far the work on it has come.
    #[schema(value_type = crate::status::IngestStatusName)]
    pub ingest_status: reflect_core::IngestStatus,
    /// How often its lesson was tried.
    pub ingest_attempts: u32,
    /// Why the last try failed.
    pub last_ingest_error: Option<String>,
    /// The model that ran.
    pub model: Option<String>,
    /// Anything else.
    #[schema(value_type = std::collections::HashMap<String, serde_json::Value>)]
    pub metadata: RawJson,
    /// What the reflector was given to read.
    pub reference_context: Option<String>,
    /// The memory that it taught.
    pub created_memory_id: Option<Uuid>,
    /// Its review.
    pub review: Option<ReviewAnswer>,
    /// What looked wrong when it came in, and why its lesson is by rules where a model should have written it, for the person who
    /// sent it.
    pub warnings: Vec<String>,
    /// When it was stored.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
}

impl From<Trace> for TraceAnswer {
    fn from(trace: Trace) -> Self {
        Self {
            id: trace.id.as_uuid(),
            task: trace.task,
            trajectory: trace.trajectory.map(Trajectory::into_raw),
            final_response: trace.final_response,
            retrieved_memory_ids: trace.retrieved_memory_ids,
            retrieval_id: trace.retrieval_id.map(RetrievalId::as_uuid),
            review_status: trace.review_status,
            ingest_status: trace.ingest_status,
            ingest_attempts: trace.ingest_attempts,
            last_ingest_error: trace.last_ingest_error,
            model: trace.model,
            metadata: trace.metadata,
            reference_context: trace.reference_context,
            created_memory_id: trace.created_memory_id.map(reflect_core::MemoryId::as_uuid),
            review: trace.review.map(Into::into),
            warnings: trace.warnings,
            created_at: trace.created_at,
        }
    }
}

/// Traces to be erased.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DeleteTracesRequest {
    /// Which ones. Those that are not there are passed over.
    #[schema(max_items = 10_000)]
    pub trace_ids: Vec<String>,
    /// Whether what they taught goes too: the memory and the credits of each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(default = false)]
    pub cascade: Option<bool>,
}

impl DeleteTracesRequest {
    /// The ids that can be ids at all.
    pub fn check(&self, limits: &Limits) -> Result<Vec<TraceId>, Violation> {
        checks::list("trace_ids", self.trace_ids.len(), limits)?;
        Ok(self.trace_ids.iter().filter_map(|id| id.parse().ok()).collect())
    }
}

/// Traces that were erased.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DeleteTracesAnswer {
    /// How many there were.
    pub deleted: usize,
    /// Which ones.
    pub trace_ids: Vec<Uuid>,
}

impl From<Vec<TraceId>> for DeleteTracesAnswer {
    fn from(deleted: Vec<TraceId>) -> Self {
        Self { deleted: deleted.len(), trace_ids: deleted.into_iter().map(TraceId::as_uuid).collect() }
    }
}
