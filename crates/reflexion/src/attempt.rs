//! One attempt at a task, and what there is to judge about it.

use reflect_core::Timestamp;
use reflect_llm::{ChatMessage, Content, Role, Usage};
use serde::{Deserialize, Serialize};

/// What an actor made of a task in one trial.
///
/// ```
/// use reflexion::{Attempt, AttemptEnd};
///
/// let attempt = Attempt { turns: 3, end: AttemptEnd::Limit("3 turns".into()), ..Attempt::answer("Lisbon, I think") };
/// assert_eq!((attempt.answer.as_str(), attempt.messages.len()), ("Lisbon, I think", 1));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// The answer; empty when there is none.
    pub answer: String,
    /// What was said and done in this trial alone, in order: the prompt, the model's turns, the tools' results.
    pub messages: Vec<ChatMessage>,
    /// What it cost, as far as that is known.
    #[serde(default)]
    pub usage: Usage,
    /// How often a model was asked.
    #[serde(default)]
    pub turns: u32,
    /// Why it ended.
    #[serde(default)]
    pub end: AttemptEnd,
}

/// Why an attempt ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttemptEnd {
    /// The actor gave its answer.
    #[default]
    Answered,
    /// A limit on turns, tokens, cost or time; the text says which.
    Limit(String),
    /// It went in circles; the text says how.
    Stuck(String),
}

impl Attempt {
    /// An attempt of which only the answer is known.
    pub fn answer(answer: impl Into<String>) -> Self {
        let answer = answer.into();
        Self { messages: vec![ChatMessage::assistant(answer.clone())], answer, turns: 1, ..Self::default() }
    }
}

impl<T: Into<String>> From<T> for Attempt {
    fn from(answer: T) -> Self {
        Self::answer(answer)
    }
}

/// A finished attempt with the number of its trial: what evaluators and reflectors read.
///
/// ```
/// use reflect_core::Timestamp;
/// use reflexion::{Attempt, FinishedAttempt};
///
/// let at = Timestamp::from_micros(0);
/// let attempt = Attempt::answer("4");
/// let inputs = Default::default();
/// let finished = FinishedAttempt { trial: 1, task: "2 + 2".into(), inputs, attempt, started_at: at, ended_at: at };
/// assert_eq!(finished.answer(), "4");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FinishedAttempt {
    /// The trial's number, from 1.
    pub trial: u32,
    /// The task as it was given, without what was remembered.
    pub task: String,
    /// The same with the images and documents that came with it; empty where the task is words alone.
    #[serde(default)]
    pub inputs: Content,
    /// The attempt.
    pub attempt: Attempt,
    /// When the trial began.
    pub started_at: Timestamp,
    /// When the attempt ended.
    pub ended_at: Timestamp,
}

impl FinishedAttempt {
    /// The answer.
    pub fn answer(&self) -> &str {
        &self.attempt.answer
    }

    /// The instructions that the actor worked under, for those who judge it by them.
    pub fn system_prompt(&self) -> Option<&str> {
        let system = self.attempt.messages.iter().find(|message| message.role == Role::System);
        system.map(|message| message.text.as_str())
    }
}
