//! How a lesson is written: reflectors that read a reviewed run.
//!
//! A [`Reflector`] turns a run and its review into a [`Lesson`]. [`BuiltinReflector`] needs no model: it follows rules,
//! says only what the run shows, and gives the same lesson for the same run every time.
//!
//! Nothing here stores anything or speaks HTTP, and nothing reads the clock. To add a reflector, implement the trait
//! in a file of its own.

mod builtin;

use async_trait::async_trait;
use reflect_core::{Lesson, Message, Outcome, WrittenBy};

pub use builtin::BuiltinReflector;

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
}

/// Writes lessons.
#[async_trait]
pub trait Reflector: Send + Sync {
    /// Who is writing: goes onto every memory.
    fn written_by(&self) -> WrittenBy;

    /// The lesson of a run. The same run may be handed in again after a failure.
    async fn reflect(&self, run: &ReviewedRun) -> Result<Lesson, ReflectError>;
}

/// Why there is no lesson.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReflectError {
    /// Trying again later may help.
    #[error("{0}")]
    Temporary(String),
    /// Trying again will not help.
    #[error("{0}")]
    Permanent(String),
}
