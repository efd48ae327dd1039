//! The reflector that needs no model.
//!
//! It reads a run as a list of tool calls with their results, and writes the lesson from what is there: the reviewer's
//! words, errors and what became of them, calls that worked, the answer. It never says why something happened unless
//! the run or the reviewer says so, and a text with nothing to stand on stays empty.
//!
//! The reviewer's words come first and under the reviewer's name. Tool names, arguments and errors stand in backticks, the task and
//! answers in quotation marks; all of them are pieces of the input, shortened. To teach it another way of failing, start in
//! `errors`; to let it say more, in `fail` or `pass`.

mod arguments;
mod claim;
mod errands;
mod errors;
mod evidence;
mod fail;
mod feedback;
mod pass;
mod reading;
mod reference;
mod said;
mod setbacks;
mod steps;
mod summary;
mod tries;
mod words;

#[cfg(test)]
mod behaviour;
#[cfg(test)]
mod examples;
#[cfg(test)]
mod properties;

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
        WrittenBy::new("builtin", "2")
    }

    async fn reflect_run(&self, run: &ReviewedRun) -> Result<Reflected, ReflectError> {
        Ok(WrittenLesson { lesson: lesson(run), written_by: self.written_by() }.into())
    }
}

/// The lesson that the rules write for a run.
pub(crate) fn lesson(run: &ReviewedRun) -> Lesson {
    let evidence = Evidence::read(run);
    let parts = if run.outcome.is_pass() { pass::write(&evidence) } else { fail::write(&evidence) };
    let mut lesson = Lesson {
        summary: summary::write(&evidence, run.outcome),
        key_mistake: parts.key_mistake,
        correct_action: parts.correct_action,
        guidance: parts.guidance,
        applicable_tools: Vec::new(),
        tools_used: evidence.tools_used,
    };
    lesson.applicable_tools = named_tools(&lesson);
    lesson
}

/// Guidance by someone else, with the reviewer's words in front unless it has them, and with a note if names or numbers of the run are in it. A
/// judge's words are left out: they are no reviewer's.
pub(crate) fn with_reviewers_words(run: &ReviewedRun, guidance: &str) -> String {
    said::before(guidance, &Evidence::read(run))
}

/// What differs between a pass and a fail.
#[derive(Default)]
struct Parts {
    key_mistake: String,
    correct_action: String,
    guidance: String,
}

/// The tools that the lesson itself speaks of, be it in backticks or in the reviewer's words.
fn named_tools(lesson: &Lesson) -> Vec<String> {
    let texts = [&lesson.key_mistake, &lesson.correct_action, &lesson.guidance];
    let is_named = |tool: &&String| texts.iter().any(|text| reading::names(text, tool));
    lesson.tools_used.iter().filter(is_named).cloned().collect()
}
