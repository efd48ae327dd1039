//! Reflexion: try, evaluate, reflect, try again.
//!
//! An [`Actor`] makes an attempt at a task, an [`Evaluator`] says whether it passed, a reflector of the `reflection` crate
//! turns a failure into a lesson, and the next trial starts with the lessons so far.
//!
//! Nothing here serves HTTP or keeps a database. To add an evaluator, give it a file in `evaluate/` and implement [`Evaluator`].

mod actor;
mod attempt;
pub mod evaluate;
mod evaluation;

pub use actor::{Actor, AttemptContext, actor_fn};
pub use attempt::{Attempt, AttemptEnd, Trajectory};
pub use evaluation::{Evaluation, Evaluator, evaluator_fn};
pub use reflection::Verdict;

/// Whatever went wrong in a part that was plugged in.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;
