//! A lesson that comes back.

use reflect_core::Lesson;
use serde::{Deserialize, Serialize};

use crate::Trial;

/// A lesson that comes back, with what is known about where it is from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RememberedLesson {
    /// What it says.
    pub lesson: Lesson,
    /// Its id in a store that outlives the run, so that it can be credited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The answer of that store which it came in, so that what was expected of the trial is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retrieval_id: Option<String>,
    /// The trial of this run that taught it; none for one from an earlier run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trial: Option<u32>,
    /// The task it was learned from, where that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Whether the trial that taught it succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success: Option<bool>,
    /// That trial's score; for a lesson from an earlier run, how well runs went that were shown it. In [0, 1].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

impl RememberedLesson {
    /// The lesson of a trial of this run, if it has one.
    pub fn of_trial(trial: &Trial) -> Option<Self> {
        let learned = trial.lesson.as_ref()?;
        Some(Self {
            lesson: learned.lesson.clone(),
            id: learned.id.clone(),
            trial: Some(trial.number),
            success: trial.evaluation.verdict.outcome().map(|_| trial.success),
            score: trial.evaluation.score,
            ..Self::default()
        })
    }
}
