//! What a query is answered with.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Match;

/// The settings that a query was answered with, after all defaults.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QuerySettings {
    /// How many memories were asked for at most.
    pub limit: usize,
    /// The weight of utility.
    pub lambda: f64,
    /// The weight of score against diversity.
    pub mmr_lambda: f64,
    /// What the task was compared with. Queries that were logged before lessons had vectors compared tasks.
    #[serde(rename = "match", default = "tasks_alone")]
    pub matching: Match,
    /// The floor on similarity; none lets everything through.
    pub similarity_threshold: Option<f64>,
    /// What the trace's metadata had to hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata_filter: Option<Map<String, Value>>,
}

fn tasks_alone() -> Match {
    Match::Task
}
