//! One trial of a run, as it is kept.

use reflect_core::{Lesson, Timestamp, WrittenBy};
use reflect_llm::{Content, Usage};
use serde::{Deserialize, Serialize};

use crate::{Attempt, Evaluation, FinishedAttempt, RememberedLesson, task::Task};

/// A trial that came to its end.
///
/// ```
/// # use reflexion::{AttemptContext, Evaluation, FinishedAttempt, Reflexion, actor_fn};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), reflexion::BoxError> {
/// # let actor = actor_fn(|_: String, _: AttemptContext| async { Ok("42") });
/// # let reflexion = Reflexion::builder(actor).evaluator(|_: &FinishedAttempt| Evaluation::fail("no")).build()?;
/// let outcome = reflexion.run("task").await?;
/// for trial in &outcome.trials {
///     println!("{}: {} ({})", trial.number, trial.answer(), trial.evaluation.feedback);
/// }
/// assert!(outcome.trials[0].lesson.is_some() && outcome.trials[2].lesson.is_none());
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Its number, from 1.
    pub number: u32,
    /// What the actor made.
    pub attempt: Attempt,
    /// What the evaluator said. The words may be a hook's, and the verdict is unknown where nobody came to judge.
    pub evaluation: Evaluation,
    /// Whether that counts as success: a pass, or a score that is high enough.
    pub success: bool,
    /// What was learned from it. None after a success, after the last trial, and where nothing would have kept it.
    pub lesson: Option<TrialLesson>,
    /// The lessons that the actor was shown, oldest first.
    pub shown: Vec<RememberedLesson>,
    /// What its stages took.
    pub spent: TrialSpent,
    /// When it began.
    pub started_at: Timestamp,
    /// When the attempt ended.
    pub attempted_at: Timestamp,
    /// When it was over.
    pub ended_at: Timestamp,
}

impl Trial {
    /// The answer.
    pub fn answer(&self) -> &str {
        &self.attempt.answer
    }

    /// The attempt with the number of its trial, as evaluators read it.
    pub fn finished_attempt(&self, task: impl Into<Content>) -> FinishedAttempt {
        let Task { text, inputs } = Task::of(task.into());
        FinishedAttempt {
            trial: self.number,
            task: text,
            inputs,
            attempt: self.attempt.clone(),
            started_at: self.started_at,
            ended_at: self.attempted_at,
        }
    }
}

/// What was learned from a trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialLesson {
    /// What it says.
    pub lesson: Lesson,
    /// Whose words these are.
    pub source: LessonSource,
    /// Its id in a store that outlives the run, if the memory keeps one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Which reflector wrote it, where one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_by: Option<WrittenBy>,
}

impl TrialLesson {
    /// The lesson as one text.
    pub fn text(&self) -> String {
        self.lesson.text()
    }
}

/// Whose words a lesson is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LessonSource {
    /// The reflector's.
    Reflector,
    /// The evaluator's feedback as it is: the reflector had nothing to say that is of use.
    Feedback,
    /// A hook's.
    Hook,
}

/// What the stages of a trial took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct TrialSpent {
    /// The attempt.
    pub act: StageSpent,
    /// The evaluation.
    pub evaluate: StageSpent,
    /// The reflection.
    pub reflect: StageSpent,
}

impl TrialSpent {
    /// Tokens and cost of all stages.
    pub fn usage(&self) -> Usage {
        self.act.usage.plus(self.evaluate.usage).plus(self.reflect.usage)
    }

    /// Both together, stage by stage.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            act: self.act.plus(other.act),
            evaluate: self.evaluate.plus(other.evaluate),
            reflect: self.reflect.plus(other.reflect),
        }
    }
}

/// What one stage took. Tries that failed count in time and number; what they used is not known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct StageSpent {
    /// How often it was tried.
    pub tries: u32,
    /// Tokens and cost, as far as models report them.
    pub usage: Usage,
    /// How long it took, in milliseconds, waits between tries included.
    pub millis: u64,
}

impl StageSpent {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            tries: self.tries.saturating_add(other.tries),
            usage: self.usage.plus(other.usage),
            millis: self.millis.saturating_add(other.millis),
        }
    }
}
