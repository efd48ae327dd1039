//! A run and its review, and what a reflector makes of them for a memory.

use async_trait::async_trait;
use reflect_core::{Lesson, Message, Outcome, WrittenBy};

use crate::{Context, ReflectError, Reflector, lesson};

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

/// How far a model's answer could be taken at its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ParseStatus {
    /// Nothing had to be parsed: no model was asked.
    None,
    /// It was well formed.
    Clean,
    /// It had to be mended, and what was meant is clear.
    Repaired,
    /// It could not be read; its text was used as it stood.
    Fallback,
}

/// What the calls for one lesson, judgement or skill added up to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Spent {
    /// How often a model was asked.
    pub calls: u32,
    /// Tokens that went to it, as far as it told.
    pub input_tokens: u64,
    /// Tokens that came back.
    pub output_tokens: u64,
    /// Cost in millionths of a US dollar, where prices are known.
    pub micro_dollars: Option<u64>,
    /// How long it took, in milliseconds.
    pub millis: u64,
}

/// A lesson that can be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenLesson {
    /// What it says.
    pub lesson: Lesson,
    /// Who wrote it: goes onto the memory.
    pub written_by: WrittenBy,
    /// What it took.
    pub spent: Spent,
    /// How well the model's answer could be read.
    pub parse_status: ParseStatus,
}

/// A reflector that reads runs and writes lessons: what a server asks.
#[async_trait]
pub trait RunReflector: Reflector {
    /// Who would be writing, before anything is written: the name and the version, and the model if one is asked.
    fn written_by(&self) -> WrittenBy;

    /// The lesson of a run, by way of [`Reflector::reflect`]. The same run may be handed in again after a failure.
    async fn reflect_run(&self, run: &ReviewedRun) -> Result<WrittenLesson, ReflectError> {
        let result = self.reflect(&Context::of_run(run)).await?;
        Ok(lesson::from_result(&result, self.written_by()))
    }
}
