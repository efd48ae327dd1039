//! Queries on the wire.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{Limits, Violation, checks};

/// How many memories a query may ask for.
pub(crate) const MAX_LIMIT: usize = 1_000;

/// How much a filter may hold: it is looked at for every memory, and it is logged.
const MAX_FILTER_KEYS: usize = 32;
const MAX_FILTER_BYTES: usize = 8_192;

/// What a run is about to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct QueryRequest {
    /// The task at hand.
    #[schema(min_length = 1, max_length = 32_768, pattern = r"^[^\u0000]*\S[^\u0000]*$")]
    pub task: String,
    /// How many memories at most.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 1_000, default = 10)]
    pub limit: Option<u32>,
    /// The weight of utility against similarity: 0 is similarity alone, 1 is utility alone. The project's own when absent.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1)]
    pub lambda: Option<f64>,
    /// The weight of score against diversity; 1 switches diversity off. The project's own when absent.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1)]
    pub mmr_lambda: Option<f64>,
    /// What the metadata of a memory's trace must hold: every key, with this value or a list that has it.
    #[serde(default)]
    #[schema(value_type = Option<std::collections::HashMap<String, serde_json::Value>>)]
    pub metadata_filter: Option<Map<String, Value>>,
    /// The floor on cosine similarity. The project's own when absent, else the embedder's.
    #[serde(default)]
    #[schema(minimum = -1, maximum = 1)]
    pub similarity_threshold: Option<f64>,
    /// Whether each memory says why it is where it is.
    #[serde(default)]
    #[schema(default = false)]
    pub explain: Option<bool>,
}

impl QueryRequest {
    /// The limit, if all else is well.
    pub fn check(&self, limits: &Limits) -> Result<usize, Violation> {
        checks::task("task", &self.task, limits)?;
        checks::between("lambda", self.lambda, 0.0, 1.0)?;
        checks::between("mmr_lambda", self.mmr_lambda, 0.0, 1.0)?;
        checks::between("similarity_threshold", self.similarity_threshold, -1.0, 1.0)?;
        if let Some(filter) = &self.metadata_filter {
            checks::at_most("metadata_filter", filter.len(), MAX_FILTER_KEYS)?;
            if serde_json::to_string(filter).map_or(usize::MAX, |json| json.len()) > MAX_FILTER_BYTES {
                return Err(Violation::new("metadata_filter", format!("is larger than {MAX_FILTER_BYTES} bytes")));
            }
        }
        match self.limit.map_or(10, |limit| usize::try_from(limit).unwrap_or(usize::MAX)) {
            limit @ 1..=MAX_LIMIT => Ok(limit),
            limit => Err(Violation::new("limit", format!("is {limit}, it must be between 1 and {MAX_LIMIT}"))),
        }
    }
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
    /// Its cosine similarity to the task asked about.
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
    /// Why it is where it is, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub explain: Option<ExplanationAnswer>,
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
