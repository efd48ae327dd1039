//! Reflexion: try, evaluate, reflect, try again.
//!
//! An [`Actor`] makes an attempt at a task, an [`Evaluator`] says whether it passed, a reflector of the `reflection` crate
//! turns a failure into a lesson, and the next trial starts with the lessons so far. [`Reflexion`] is the loop around them, and an
//! [`Outcome`] is what comes of it.
//!
//! Nothing here serves HTTP or keeps a database, and nothing spawns a task that outlives its call, but for the write of a checkpoint that was begun. Limits on time need a tokio
//! runtime with its timer. To add an evaluator, give it a file in `evaluate/` and implement [`Evaluator`]; to add a memory, one in
//! `memory/` and [`EpisodicMemory`]. The order of the stages is in `run/mod.rs`, and each stage has a file there.

mod actor;
mod attempt;
mod best;
mod builder;
mod chat_actor;
mod checkpoint;
mod control;
mod error;
pub mod evaluate;
mod evaluation;
mod events;
mod hooks;
mod memory;
mod outcome;
mod prompt;
mod reflexion;
mod reviewed;
mod run;
mod settings;
mod task;
mod trial;
mod usefulness;

pub use actor::{Actor, AttemptContext, actor_fn};
pub use attempt::{Attempt, AttemptEnd, FinishedAttempt};
pub use builder::{BuildError, DEFAULT_MAX_TRIALS, DEFAULT_MEMORY_SIZE, ReflexionBuilder};
pub use chat_actor::{ChatActor, TextPiece, Tool};
pub use checkpoint::{Checkpoint, CheckpointError, CheckpointFile, CheckpointSink};
pub use control::{
    AfterRetries, BudgetKind, Budgets, Plateau, StagePolicies, StagePolicy, StuckDetection, StuckReason, repeated_call,
};
pub use error::{Panicked, RunError, Stage, TookTooLong};
pub use evaluation::{Evaluation, Evaluator, IntoEvaluation, evaluator_fn};
pub use events::{Event, EventListener, JsonLines};
pub use hooks::{Control, Environment, Hooks};
#[cfg(feature = "reflect")]
pub use memory::ProjectMemory;
pub use memory::{BestLessons, EpisodicMemory, Keeps, LatestLessons, RememberedLesson, RunSoFar};
pub use outcome::{Outcome, StopReason, Trouble, Unfinished};
pub use reflect_core::{Clock, Timestamp};
pub use reflect_llm::{Content, Part};
pub use reflect_system::SystemClock;
pub use reflection::{Lesson, Verdict, WrittenBy, any_reflector};
pub use reflexion::Reflexion;
pub use settings::{AnswerPolicy, Isolation, Strategy, UnknownPolicy};
pub use tokio_util::sync::CancellationToken;
pub use trial::{LessonSource, StageSpent, Trial, TrialLesson, TrialSpent};

/// Whatever went wrong in a part that was plugged in.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Compiles the examples of the guide.
#[cfg(all(doctest, feature = "reflect"))]
#[doc = include_str!("../../../docs/reflexion.md")]
struct Guide;

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
