//! Traces: the record of a run.

use crate::{
    MemoryId, RawJson, RetrievalId, Review, Timestamp, TraceId, Trajectory, review::NewReview, text_enum::text_enum,
};

text_enum! {
    /// Whether a trace's review has become a memory.
    ReviewStatus {
        /// No review yet, or its lesson is still being written.
        Pending = "pending",
        /// Reviewed, and the memory is there for the next query.
        Reviewed = "reviewed",
    }
}

text_enum! {
    /// How far the work on a trace has come.
    IngestStatus {
        /// A review waits for its lesson.
        Queued = "queued",
        /// The lesson is being written.
        Processing = "processing",
        /// Nothing is left to do.
        Completed = "completed",
        /// The attempts ran out; the trace is kept and can be retried.
        Failed = "failed",
    }
}

/// A run as it is handed in, checked and normalised.
#[derive(Debug, Clone, PartialEq)]
pub struct NewTrace {
    /// What the agent was asked to do.
    pub task: String,
    /// The messages.
    pub trajectory: Trajectory,
    /// The agent's answer.
    pub final_response: String,
    /// The memories that were in the prompt, each once, in the order given. Some may be unknown: they are kept and
    /// never credited.
    pub retrieved_memory_ids: Vec<String>,
    /// The model that ran.
    pub model: Option<String>,
    /// Anything else, a JSON object.
    pub metadata: RawJson,
    /// A policy, schema or gold answer for the reflector to read.
    pub reference_context: Option<String>,
    /// The query whose answer the run was shown, if the client said so.
    pub retrieval_id: Option<RetrievalId>,
    /// The review, when the outcome is known at once.
    pub review: Option<NewReview>,
}

/// A stored run. In summaries the trajectory is left out.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// Its id.
    pub id: TraceId,
    /// What the agent was asked to do.
    pub task: String,
    /// The messages; `None` in a summary.
    pub trajectory: Option<Trajectory>,
    /// The agent's answer.
    pub final_response: String,
    /// The memories that were in the prompt.
    pub retrieved_memory_ids: Vec<String>,
    /// The query that showed them.
    pub retrieval_id: Option<RetrievalId>,
    /// Whether the review has become a memory.
    pub review_status: ReviewStatus,
    /// How far the work has come.
    pub ingest_status: IngestStatus,
    /// How often it was tried.
    pub ingest_attempts: u32,
    /// Why the last try failed.
    pub last_ingest_error: Option<String>,
    /// The model that ran.
    pub model: Option<String>,
    /// Anything else, a JSON object.
    pub metadata: RawJson,
    /// What the reflector was given to read.
    pub reference_context: Option<String>,
    /// The memory it taught.
    pub created_memory_id: Option<MemoryId>,
    /// Its review.
    pub review: Option<Review>,
    /// What looked wrong when it was handed in, and why its lesson is by rules where a model should have written it, in words for the
    /// person who sent it.
    pub warnings: Vec<String>,
    /// When it was stored.
    pub created_at: Timestamp,
}
