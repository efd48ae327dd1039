//! A run as a prompt: in parts that nothing in it can close, within a budget of tokens.
//!
//! Each part begins at a line with a mark that occurs in none of the texts ([`marks`]), so whatever a trace holds stays
//! inside its part. What does not fit is shortened, the largest observations first ([`budget`]). Task, outcome and feedback
//! always have their part, and a rubric is there word for word, on top of the budget. The same run gives the same prompt.

mod budget;
mod marks;
mod parts;
mod shorten;

#[cfg(test)]
mod property_tests;

use reflect_core::{Message, Outcome, ReviewSource};

use crate::{Redactor, ReviewedRun, ShownLesson, plain};

pub(crate) use parts::{recalled_texts, tools_used};
pub(crate) use shorten::shorten;

/// The fewest tokens that a run can be shown in.
pub(crate) const MIN_TOKENS: usize = 500;

/// The title of the line that closes the last part.
const END: &str = "end";

/// What a prompt shows of a run.
pub(crate) struct RunView<'a> {
    pub(crate) task: &'a str,
    pub(crate) messages: &'a [Message],
    pub(crate) final_response: &'a str,
    /// None while it is to be judged.
    pub(crate) outcome: Option<Outcome>,
    pub(crate) feedback: Option<&'a str>,
    /// Whether outcome and feedback are a model's.
    pub(crate) is_judged_by_a_model: bool,
    pub(crate) reference: Option<&'a str>,
    pub(crate) rubric: Option<&'a str>,
    pub(crate) shown_lessons: &'a [ShownLesson],
}

impl<'a> RunView<'a> {
    pub(crate) fn of(run: &'a ReviewedRun) -> Self {
        Self {
            task: &run.task,
            messages: &run.messages,
            final_response: &run.final_response,
            outcome: Some(run.outcome),
            feedback: run.feedback_text.as_deref(),
            is_judged_by_a_model: run.review_source == ReviewSource::Judge,
            reference: run.reference_context.as_deref(),
            rubric: None,
            shown_lessons: &run.shown_lessons,
        }
    }
}

/// The run as text of at most `tokens` tokens by our count, or [`MIN_TOKENS`] if that is more, and the rubric's on top.
pub(crate) fn render(view: &RunView<'_>, tokens: usize, redactor: Option<&Redactor>) -> String {
    render_parts(parts::of(view), tokens, redactor)
}

/// Only messages, as of a conversation that is still going on.
pub(crate) fn render_messages(messages: &[Message], tokens: usize, redactor: Option<&Redactor>) -> String {
    render_parts(parts::of_messages(messages), tokens, redactor)
}

/// Titled texts, none of which is a step; the titles are ours.
pub(crate) fn render_texts(texts: Vec<(String, String)>, tokens: usize, redactor: Option<&Redactor>) -> String {
    render_parts(parts::of_texts(texts), tokens, redactor)
}

fn render_parts(mut parts: Vec<parts::Part>, tokens: usize, redactor: Option<&Redactor>) -> String {
    if let Some(redactor) = redactor {
        for part in &mut parts {
            part.text = redactor.redact(&part.text).into_owned();
        }
    }
    let mark = marks::choose(&parts);
    let (opening, closing) = (marks::opening(&mark), marks::line(&mark, END));
    let fixed = plain::quarter_tokens(&opening) + plain::quarter_tokens(&closing) + 2;
    let room = (tokens.max(MIN_TOKENS) * 4).saturating_sub(fixed);
    let fitted = budget::fit(parts, room, |title| plain::quarter_tokens(&marks::line(&mark, title)) + 2);
    let mut text = opening;
    text.push('\n');
    for part in fitted {
        text.push_str(&marks::line(&mark, &part.title));
        text.push('\n');
        text.push_str(&part.text);
        text.push('\n');
    }
    text.push_str(&closing);
    text
}
