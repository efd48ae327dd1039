//! The reflector that needs no model.
//!
//! It reads a run as a list of tool calls with what each came to, and writes the lesson from what is there: the reviewer's
//! words, what failed and what then passed, names that do not exist and what there is instead. It never says why something
//! happened unless the run or the reviewer says so, it gives no advice of its own, and a text with nothing to stand on stays empty.
//!
//! Tool names, commands and errors stand in backticks, the task and answers in quotation marks; all of them are pieces of the
//! input, shortened. What a lesson says, and in which order, is decided in `told`. To teach it another program, start in
//! `call::programs`; another way of failing, in `outcome`; another word for a missing name, in `facts::missing`.

mod arguments;
mod attempts;
mod call;
mod changes;
mod claim;
mod evidence;
mod example;
mod facts;
mod feedback;
mod fixes;
mod gone;
mod outcome;
mod pitfalls;
mod reading;
mod said;
mod saying;
mod steps;
mod summary;
mod told;
mod transcript;
mod tries;
mod words;

#[cfg(test)]
mod behaviour;
#[cfg(test)]
mod coding_runs;
#[cfg(test)]
mod examples;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod schema_runs;
#[cfg(test)]
mod twelve_runs;

use async_trait::async_trait;
use reflect_core::{Lesson, WrittenBy, WrittenLesson};

use crate::{ReflectError, Reflected, ReviewedRun, RunReflector, recalled as memories};
use evidence::Evidence;

/// Writes lessons by rule: the same lesson for the same run, in time linear in the run's length. It never fails.
#[derive(Debug, Clone, Copy, Default)]
pub struct BuiltinReflector;

#[async_trait]
impl RunReflector for BuiltinReflector {
    fn written_by(&self) -> WrittenBy {
        WrittenBy::new("builtin", "3")
    }

    async fn reflect_run(&self, run: &ReviewedRun) -> Result<Reflected, ReflectError> {
        Ok(WrittenLesson { lesson: lesson(run), written_by: self.written_by() }.into())
    }
}

/// The lesson that the rules write for a run.
pub(crate) fn lesson(run: &ReviewedRun) -> Lesson {
    let evidence = Evidence::read(run);
    let parts = told::write(&evidence);
    let mut lesson = Lesson {
        summary: summary::write(&evidence, run.outcome),
        key_mistake: parts.key_mistake,
        correct_action: parts.correct_action,
        guidance: parts.guidance,
        applicable_tools: Vec::new(),
        tools_used: evidence.tools_used,
        tells: Some(parts.tells),
    };
    lesson.applicable_tools = tools_of(&lesson, &parts.tools);
    lesson
}

/// Guidance by someone else, with the reviewer's words in front unless it has them, and with a note if names or numbers of the run are in it. A
/// judge's words are left out: they are no reviewer's.
pub(crate) fn with_reviewers_words(run: &ReviewedRun, guidance: &str) -> String {
    said::before(guidance, &Evidence::read(run))
}

/// The tools that the lesson is about: those of the calls that it tells of, and those that it names, be it in the reviewer's words.
fn tools_of(lesson: &Lesson, told: &[String]) -> Vec<String> {
    let texts = [&lesson.key_mistake, &lesson.correct_action, &lesson.guidance];
    let is_meant = |tool: &&String| told.contains(tool) || texts.iter().any(|text| reading::names(text, tool));
    lesson.tools_used.iter().filter(is_meant).cloned().collect()
}
