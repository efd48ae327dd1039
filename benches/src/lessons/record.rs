//! What happened, run by run, so that it can be counted and read afterwards.

use serde::Serialize;

use super::{arm::Arm, style::Style};

/// One measured run.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Run {
    pub(super) seed: usize,
    #[serde(serialize_with = "arm_name")]
    pub(super) arm: Arm,
    /// None for a plain task.
    pub(super) family: Option<String>,
    #[serde(serialize_with = "style_name")]
    pub(super) style: Option<Style>,
    pub(super) task: String,
    pub(super) prompt: String,
    pub(super) answer: String,
    pub(super) passed: bool,
    /// How many lessons were in the prompt.
    pub(super) lessons_shown: usize,
    /// At which place the first lesson of the task's own family was, from 1.
    pub(super) own_lesson_at: Option<usize>,
}

/// One run that was learned from.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Learned {
    pub(super) seed: usize,
    #[serde(serialize_with = "arm_name")]
    pub(super) arm: Arm,
    pub(super) family: String,
    #[serde(serialize_with = "style_name")]
    pub(super) style: Option<Style>,
    pub(super) task: String,
    pub(super) answer: String,
    pub(super) passed: bool,
    pub(super) feedback: String,
    /// The lesson that was stored, as one text.
    pub(super) lesson: String,
    /// `builtin`, `llm` or `author`.
    pub(super) written_by: String,
}

/// All of it.
#[derive(Debug, Default, Serialize)]
pub(super) struct Records {
    pub(super) runs: Vec<Run>,
    pub(super) learned: Vec<Learned>,
}

impl Records {
    pub(super) fn followed_by(mut self, others: Self) -> Self {
        self.runs.extend(others.runs);
        self.learned.extend(others.learned);
        self
    }
}

fn arm_name<S: serde::Serializer>(arm: &Arm, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(arm.name())
}

fn style_name<S: serde::Serializer>(style: &Option<Style>, serializer: S) -> Result<S::Ok, S::Error> {
    style.map(Style::name).serialize(serializer)
}
