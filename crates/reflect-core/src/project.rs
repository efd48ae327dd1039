//! Projects: walls between data that must never meet.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{EmbedderId, Match, ProjectId, Timestamp, what_if::Mixture, worth::LearningRule};

/// A project's own defaults. What is `None` follows the server's setting.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProjectSettings {
    /// The weight of utility in the ranking, in [0, 1].
    pub lambda: Option<f64>,
    /// The weight of score against diversity, in [0, 1]; 1 switches diversity off.
    pub mmr_lambda: Option<f64>,
    /// What of a memory the task at hand is compared with.
    #[serde(rename = "match")]
    pub matching: Option<Match>,
    /// The floor on cosine similarity, in [−1, 1].
    pub similarity_threshold: Option<f64>,
    /// The step size of the learning rule, in [0, 1].
    pub alpha: Option<f64>,
    /// The share of tasks that do without memories, in [0, 0.5].
    pub holdout: Option<f64>,
    /// The configurations that a share of tasks is answered with at random.
    pub mixture: Option<Mixture>,
    /// How memories learn.
    pub learning: Option<LearningRule>,
    /// In which share of queries one slot is on trial, from 0 to 1.
    pub trial_share: Option<f64>,
    /// In which share of the answers that it is due for the most doubtful memory sits out, from 0 to 0.5.
    pub sitting_out: Option<f64>,
    /// Whether lessons that tell little or nothing are ranked like all others.
    pub empty_lessons: Option<bool>,
    /// After how many days without a run half of a memory's evidence is left; 0 if it never ages.
    pub half_life_days: Option<f64>,
    /// The reflector that writes this project's lessons.
    pub reflector: Option<String>,
    /// The model that judges runs which nobody reviews, or `off`.
    pub judge: Option<String>,
    /// What the judge holds a run against, in the project's own words.
    pub judge_rubric: Option<String>,
}

/// A change of a project's embedder that is under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbedderSwitch {
    /// The embedder that its memories are getting vectors of.
    pub target: EmbedderId,
    /// When it began.
    pub started_at: Timestamp,
}

/// A project as the store knows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Project {
    /// Its name.
    pub id: ProjectId,
    /// Which life of that name this is: a project that was deleted and made again has another one, so that nothing
    /// remembered about the first is taken for the second.
    pub incarnation: Uuid,
    /// Its own defaults.
    pub settings: ProjectSettings,
    /// The embedder whose vectors its queries compare.
    pub embedder: EmbedderId,
    /// The embedder that it is on the way to, if it is on the way to one.
    pub embedder_switch: Option<EmbedderSwitch>,
    /// When it was made.
    pub created_at: Timestamp,
}
