//! Recalling what is known, and making the attempt.

use reflection::Verdict;
use tracing::Instrument;

use super::{Halt, Run, stage};
use crate::{
    Attempt, AttemptContext, Evaluation, Isolation, LatestLessons, RememberedLesson, Stage, StageSpent, Trial,
    TrialSpent, prompt,
};

impl Run<'_> {
    pub(super) async fn act(&mut self, number: u32) -> Result<Trial, Halt> {
        let started_at = self.parts.clock.now();
        let shown = self.recall(number).await?;
        let context = self.context(number, &shown);
        let (actor, task) = (&*self.parts.actor, self.task.text.clone());
        let mut spent = TrialSpent::default();
        let span = stage::span(Stage::Actor);
        let attempt = || actor.attempt(&task, &context);
        let attempt = self.call(Stage::Actor, number, &mut spent.act, attempt).instrument(span.clone()).await?;
        let (attempt, evaluation) = match attempt {
            Some(attempt) => (self.task.shown_in(attempt), Evaluation::unknown("it was not judged")),
            None => (Attempt::default(), Evaluation::fail(self.last_trouble("the attempt failed"))),
        };
        spent.act.usage = attempt.usage;
        stage::record(&span, &spent.act);
        let now = self.parts.clock.now();
        Ok(Trial {
            number,
            attempt,
            evaluation,
            success: false,
            lesson: None,
            shown,
            spent,
            started_at,
            attempted_at: now,
            ended_at: now,
        })
    }

    /// Whether there is anything to judge: an actor that failed has failed the trial.
    pub(super) fn is_to_be_judged(trial: &Trial) -> bool {
        trial.evaluation.verdict != Verdict::Fail
    }

    async fn recall(&mut self, number: u32) -> Result<Vec<RememberedLesson>, Halt> {
        if !self.parts.settings.strategy.shows_lessons() {
            return Ok(Vec::new());
        }
        let memory = &*self.parts.memory;
        let (task, trials, started_at) = (self.task.text.clone(), std::mem::take(&mut self.trials), self.started_at);
        let run = crate::RunSoFar { task: &task, trials: &trials, started_at };
        let recall = || memory.recall(&run);
        let recalled = self.call(Stage::Memory, number, &mut StageSpent::default(), recall).await;
        // What the run itself has learned is at hand whatever becomes of the memory.
        let recalled = recalled.map(|lessons| lessons.unwrap_or_else(|| LatestLessons::default().select(&run)));
        self.trials = trials;
        recalled
    }

    fn context(&self, number: u32, shown: &[RememberedLesson]) -> AttemptContext {
        let settings = &self.parts.settings;
        let last = self.trials.last().filter(|_| settings.strategy.shows_last_attempt());
        let left = settings.budgets.left(&self.trials);
        let memories = prompt::memories(shown, last);
        AttemptContext {
            trial: number,
            prompt: format!("{memories}{}", self.task.text),
            inputs: self.task.inputs_after(&memories),
            lessons: shown.iter().map(|remembered| remembered.lesson.text()).collect(),
            history: match settings.isolation {
                Isolation::Fresh => Vec::new(),
                Isolation::Shared => prompt::conversation(&self.trials),
            },
            turns_left: [settings.budgets.turns_per_trial, left.turns].into_iter().flatten().min(),
            tokens_left: left.tokens,
            cost_left_usd: left.cost_usd,
        }
    }

    pub(super) fn last_trouble(&self, what: &str) -> String {
        let error = self.troubles.last().map(|trouble| trouble.error.as_str()).unwrap_or_default();
        format!("{what}: {error}")
    }
}
