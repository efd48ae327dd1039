//! Logged queries on the wire.

use reflect_core::{
    Match, Retrieval, Timestamp,
    ranking::blend,
    what_if::MixedAnswer,
    worth::{LocalScale, WorthConstants},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::MixedConfigurationAnswer;

/// An answered query: what was asked, with which settings, and what was shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RetrievalAnswer {
    /// Its id.
    pub id: Uuid,
    /// When it was answered.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// What was searched for; of a long task the ends.
    pub task: String,
    /// How many memories were asked for at most.
    pub limit: usize,
    /// The weight of utility against similarity.
    pub lambda: f64,
    /// The weight of score against diversity.
    pub mmr_lambda: f64,
    /// What of a memory the task was compared with.
    #[serde(rename = "match")]
    #[schema(value_type = crate::status::MatchName)]
    pub matching: Match,
    /// The least similarity; null let everything through.
    pub similarity_threshold: Option<f64>,
    /// The memories, best first.
    pub shown: Vec<ShownMemoryAnswer>,
    /// The memories that were due and sat out, so that it shows what they add; the first first. Absent where none did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub sat_out: Vec<Uuid>,
    /// Whether the task had to do without memories. Absent where no share was held out, or there was nothing to show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub held_out: Option<bool>,
    /// The share of tasks that did without memories then. Absent as `held_out` is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub holdout: Option<f64>,
    /// The configuration that was drawn for the task. Absent where nothing was mixed, or there was nothing to show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub mixed: Option<MixedConfigurationAnswer>,
}

/// A memory in the answer to a query, with the figures it had then.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ShownMemoryAnswer {
    /// Which one. It may be gone by now.
    pub memory_id: Uuid,
    /// Which revision of it.
    pub revision: u32,
    /// Its rank, from 1.
    pub rank: u32,
    /// Its similarity to the task.
    pub similarity: f64,
    /// Its utility.
    pub q_value: f64,
    /// The blend of both, on the scale of the task's neighbourhood where memories learn by worth.
    pub score: f64,
}

impl From<Retrieval> for RetrievalAnswer {
    fn from(retrieval: Retrieval) -> Self {
        let settings = retrieval.settings;
        let constants = WorthConstants::default();
        let scale = retrieval.slate.map_or(LocalScale::PLAIN, |slate| LocalScale::with_unit(slate.unit, &constants));
        let shown = retrieval.shown.iter().map(|shown| ShownMemoryAnswer {
            memory_id: shown.memory_id.as_uuid(),
            revision: shown.revision,
            rank: shown.rank,
            similarity: shown.similarity,
            q_value: shown.q_value,
            score: blend(
                scale.similarity(shown.similarity),
                shown.worth.map_or(shown.q_value, |worth| constants.utility(worth)),
                settings.lambda,
            ),
        });
        Self {
            id: retrieval.id.as_uuid(),
            created_at: retrieval.created_at,
            task: retrieval.task,
            limit: settings.limit,
            lambda: settings.lambda,
            mmr_lambda: settings.mmr_lambda,
            matching: settings.matching,
            similarity_threshold: settings.similarity_threshold,
            shown: shown.collect(),
            sat_out: retrieval.sat_out.iter().map(|id| id.as_uuid()).collect(),
            held_out: retrieval.draw.map(|draw| draw.held_out),
            holdout: retrieval.draw.map(|draw| draw.share),
            mixed: retrieval.mixed.as_ref().and_then(MixedAnswer::drawn).map(Into::into),
        }
    }
}
