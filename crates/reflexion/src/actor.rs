//! Whoever makes the attempts.

use async_trait::async_trait;

use crate::{Attempt, BoxError};

/// What an attempt starts from, besides its task.
///
/// ```
/// use reflexion::AttemptContext;
///
/// let context = AttemptContext { trial: 1, prompt: "2 + 2".into(), turns_left: Some(10), ..Default::default() };
/// assert!(context.lessons.is_empty() && context.history.is_empty());
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AttemptContext {
    /// The trial's number, from 1.
    pub trial: u32,
    /// The text to work from: the lessons so far, or the last attempt, as the strategy says, and then the task. In the first
    /// trial of a run that remembers nothing it is the task itself.
    pub prompt: String,
    /// The same with the images and documents of the task in their places; empty where the task is words alone.
    pub inputs: reflect_llm::Content,
    /// The lessons in that text, oldest first.
    pub lessons: Vec<String>,
    /// The conversation to go on with, for actors that keep one across trials: what was said and done in the earlier trials,
    /// without instructions of the system. Empty with a fresh context.
    pub history: Vec<reflect_llm::ChatMessage>,
    /// How many turns the attempt may take.
    pub turns_left: Option<u32>,
    /// How many tokens it may use.
    pub tokens_left: Option<u64>,
    /// What it may cost, in US dollars.
    pub cost_left_usd: Option<f64>,
}

/// Makes attempts. Dropping the future cancels the attempt.
///
/// ```
/// use reflexion::{Actor, Attempt, AttemptContext, BoxError};
///
/// struct Parrot;
///
/// #[async_trait::async_trait]
/// impl Actor for Parrot {
///     async fn attempt(&self, _task: &str, context: &AttemptContext) -> Result<Attempt, BoxError> {
///         Ok(Attempt::answer(context.prompt.as_str()))
///     }
/// }
/// ```
#[async_trait]
pub trait Actor: Send + Sync {
    /// Tries the task once. An error ends the run, or is followed by another try, as the run's policy says; an attempt that
    /// went badly is an [`Attempt`], not an error.
    async fn attempt(&self, task: &str, context: &AttemptContext) -> Result<Attempt, BoxError>;
}

/// Makes an actor of a closure, so that any framework plugs in.
///
/// ```
/// use reflexion::{Actor, AttemptContext, actor_fn};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), reflexion::BoxError> {
/// let actor = actor_fn(|_task: String, context: AttemptContext| async move { Ok(format!("answering {}", context.prompt)) });
/// let context = AttemptContext { trial: 1, prompt: "2 + 2".into(), ..Default::default() };
/// assert_eq!(actor.attempt("2 + 2", &context).await?.answer, "answering 2 + 2");
/// # Ok(()) }
/// ```
pub fn actor_fn<F, Fut, A>(attempt: F) -> impl Actor
where
    F: Fn(String, AttemptContext) -> Fut + Send + Sync,
    Fut: Future<Output = Result<A, BoxError>> + Send,
    A: Into<Attempt>,
{
    FnActor(attempt)
}

struct FnActor<F>(F);

#[async_trait]
impl<F, Fut, A> Actor for FnActor<F>
where
    F: Fn(String, AttemptContext) -> Fut + Send + Sync,
    Fut: Future<Output = Result<A, BoxError>> + Send,
    A: Into<Attempt>,
{
    async fn attempt(&self, task: &str, context: &AttemptContext) -> Result<Attempt, BoxError> {
        (self.0)(task.to_owned(), context.clone()).await.map(Into::into)
    }
}
