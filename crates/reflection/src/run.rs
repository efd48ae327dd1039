//! A run and its review, and what a reflector makes of them for a memory.

use async_trait::async_trait;
use reflect_core::{Lesson, Message, Outcome, ReviewSource, WrittenBy, WrittenLesson};
use reflect_llm::{Extracted, Usage};

use crate::ReflectError;

/// A run, how it was judged, and what else is known about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewedRun {
    /// What the agent was asked to do.
    pub task: String,
    /// What was said and done, in order.
    pub messages: Vec<Message>,
    /// The agent's answer.
    pub final_response: String,
    /// How the run was judged.
    pub outcome: Outcome,
    /// The reviewer's words.
    pub feedback_text: Option<String>,
    /// Who reviewed. A judge is a model: its words are marked as such, and trusted less.
    pub review_source: ReviewSource,
    /// A policy, schema or gold answer that the run can be held against.
    pub reference_context: Option<String>,
    /// The lessons that the agent was shown before it began, best first.
    pub shown_lessons: Vec<ShownLesson>,
}

/// A lesson that a run was shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShownLesson {
    /// The id of its memory.
    pub memory_id: String,
    /// The task it was learned from.
    pub task: String,
    /// What it says.
    pub lesson: Lesson,
    /// Whether the run that it was learned from passed.
    pub success: Option<bool>,
}

/// What the calls for one lesson, judgement or skill added up to.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Spent {
    /// How often a model was asked, failures included.
    pub calls: u32,
    /// Tokens and cost, as far as the model told.
    pub usage: Usage,
    /// How long it took, in milliseconds.
    pub millis: u64,
}

impl Spent {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            calls: self.calls.saturating_add(other.calls),
            usage: self.usage.plus(other.usage),
            millis: self.millis.saturating_add(other.millis),
        }
    }

    /// The writer, with the tokens and the time of its calls.
    pub(crate) fn noted_on(self, written_by: WrittenBy) -> WrittenBy {
        WrittenBy {
            input_tokens: Some(self.usage.input_tokens),
            output_tokens: Some(self.usage.output_tokens),
            millis: Some(self.millis),
            ..written_by
        }
    }
}

/// What a reflector answers about a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Reflected {
    /// The lesson and who wrote it: goes onto the memory as it is.
    pub written: WrittenLesson,
    /// What else was noticed; no memory keeps it.
    pub key_findings: Vec<String>,
    /// What it took; zero where no model was asked.
    pub spent: Spent,
    /// The model's answer, and how well it could be read; none where no model was asked.
    pub answer: Option<Extracted>,
}

/// A lesson that no model was asked for.
impl From<WrittenLesson> for Reflected {
    fn from(written: WrittenLesson) -> Self {
        Self { written, key_findings: Vec::new(), spent: Spent::default(), answer: None }
    }
}

/// A reflector that reads runs and writes lessons: what a server asks. It is a [`crate::Reflector`] too, whose first step is
/// [`RunReflector::reflect_run`].
#[async_trait]
pub trait RunReflector: Send + Sync {
    /// Who would be writing, before anything is written: the name and the version, and the model if one is asked.
    fn written_by(&self) -> WrittenBy;

    /// The lesson of a run. The same run may be handed in again after a failure.
    async fn reflect_run(&self, run: &ReviewedRun) -> Result<Reflected, ReflectError>;
}
