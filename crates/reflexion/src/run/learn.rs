//! Learning from a trial that did not succeed.

use std::panic::{AssertUnwindSafe, catch_unwind};

use reflect_core::{Lesson, WrittenLesson};
use reflection::{ReflectError, ReviewedRun, ShownLesson};
use tracing::Instrument;

use super::{Halt, Run, stage};
use crate::{
    BoxError, Control, Event, Keeps, LessonSource, RememberedLesson, Stage, StopReason, Trial, TrialLesson,
    reviewed::reviewed_run, usefulness,
};

/// How often a lesson of no use is asked for again.
const RE_ASKS: u32 = 1;

impl Run<'_> {
    /// Whether anybody would make use of a lesson: one that nobody reads is not paid for.
    pub(super) fn wants_lessons(&self) -> bool {
        // One that cannot even say so keeps nothing.
        let keeps = catch_unwind(AssertUnwindSafe(|| self.parts.memory.keeps())).unwrap_or(Keeps::Nothing);
        match keeps {
            Keeps::Nothing => false,
            Keeps::ThisRun => self.parts.settings.strategy.shows_lessons(),
            Keeps::BeyondTheRun => true,
        }
    }

    /// The lesson of a trial, handed to hooks and listeners.
    pub(super) async fn learn(&mut self, trial: &mut Trial) -> Result<(), Halt> {
        let span = stage::span(Stage::Reflector);
        let written = self.reflect(trial).instrument(span.clone()).await;
        stage::record(&span, &trial.spent.reflect);
        let Some(lesson) = written? else { return Ok(()) };
        trial.lesson = Some(lesson);
        let stopped = self.reflection_hook(trial).await?;
        if let Some(lesson) = &trial.lesson {
            self.emit(&Event::ReflectionGenerated { trial_number: trial.number, reflection: lesson.text() });
        }
        match stopped {
            Some(why) => Err(Halt::Stop(StopReason::StoppedByHook(why))),
            None => Ok(()),
        }
    }

    /// A lesson of use, else the feedback, else nothing.
    async fn reflect(&mut self, trial: &mut Trial) -> Result<Option<TrialLesson>, Halt> {
        let known = self.known_lessons(trial);
        let mut run = reviewed_run(&self.task.text, trial, &known);
        for _ in 0..=RE_ASKS {
            let Some(WrittenLesson { lesson, written_by }) = self.ask_reflector(trial, &run).await? else { break };
            let known_lessons = run.shown_lessons.iter().map(|shown| &shown.lesson);
            let Some(why) = usefulness::refusal(&lesson, trial.answer(), known_lessons) else {
                let written_by = Some(written_by);
                return Ok(Some(TrialLesson { lesson, source: LessonSource::Reflector, id: None, written_by }));
            };
            self.put_up_with(Stage::Reflector, trial.number, format!("the lesson is of no use: {why}"));
            // The next try sees what was refused, and why, among the lessons that need not be said again.
            let task = format!("this same trial, refused because {why}");
            run.shown_lessons.push(ShownLesson { task, lesson, ..ShownLesson::default() });
        }
        Ok(plain_lesson(&trial.evaluation.feedback, LessonSource::Feedback))
    }

    /// What the reflector writes; `None` when it has nothing, or has failed and is done without.
    async fn ask_reflector(&mut self, trial: &mut Trial, run: &ReviewedRun) -> Result<Option<WrittenLesson>, Halt> {
        let reflector = &*self.parts.reflector;
        let reflect = || -> futures_util::future::BoxFuture<'_, Result<_, BoxError>> {
            Box::pin(async {
                match reflector.reflect_run(run).await {
                    Ok(reflected) => Ok(Ok(reflected)),
                    // It has asked again by itself, in vain; no policy makes more of that.
                    Err(ReflectError::Unusable(why)) => Ok(Err(why)),
                    Err(error) => Err(error.into()),
                }
            })
        };
        let spent = &mut trial.spent.reflect;
        match self.call(Stage::Reflector, trial.number, spent, reflect).await? {
            Some(Ok(reflected)) => {
                spent.usage = spent.usage.plus(reflected.spent.usage);
                Ok(Some(reflected.written))
            }
            Some(Err(why)) => {
                self.put_up_with(Stage::Reflector, trial.number, format!("the lesson is of no use: {why}"));
                Ok(None)
            }
            None => Ok(None),
        }
    }

    /// What the trial was shown from earlier runs, and all that this run has learned, be it still remembered or not: a lesson that was
    /// forgotten is not news either.
    fn known_lessons(&self, trial: &Trial) -> Vec<RememberedLesson> {
        let from_elsewhere = trial.shown.iter().filter(|remembered| remembered.trial.is_none()).cloned();
        from_elsewhere.chain(self.so_far().lessons()).collect()
    }

    async fn reflection_hook(&mut self, trial: &mut Trial) -> Result<Option<String>, Halt> {
        let parts = self.parts;
        for hook in &parts.hooks {
            let Some(lesson) = &trial.lesson else { break };
            let reflection = lesson.text();
            let control = self.hook(trial.number, || hook.on_reflection_generated(trial.number, &reflection)).await?;
            match control {
                Control::Continue => {}
                Control::Stop(why) => return Ok(Some(why)),
                Control::ReplaceLesson(text) => trial.lesson = plain_lesson(&text, LessonSource::Hook),
                other => self.misplaced(trial.number, &other, "on_reflection_generated")?,
            }
        }
        Ok(None)
    }
}

/// A lesson that consists of these words; `None` for an empty text.
fn plain_lesson(text: &str, source: LessonSource) -> Option<TrialLesson> {
    let text = text.trim();
    let lesson = Lesson { summary: text.to_owned(), ..Lesson::default() };
    (!text.is_empty()).then_some(TrialLesson { lesson, source, id: None, written_by: None })
}
