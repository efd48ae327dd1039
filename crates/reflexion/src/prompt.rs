//! What an attempt starts from: what is remembered, and then the task.
//!
//! What is remembered stands in one block, whose tag the reflectors of `reflection` know and leave out when they read the run:
//!
//! ```text
//! <relevant_memories>
//! <instructions>…</instructions>
//! <memory trial="1" result="fail" score="0.40">
//! <key_mistake>…</key_mistake>
//! <guidance>…</guidance>
//! </memory>
//! <last_attempt trial="2" result="fail" score="0.50">
//! <step>…</step>
//! <answer>…</answer>
//! <feedback>…</feedback>
//! </last_attempt>
//! </relevant_memories>
//!
//! the task, word for word
//! ```
//!
//! Every text in it is escaped, so that none can break out of its block; the task is not, since it is what the agent was asked.

use std::fmt::Write;

use reflect_core::memory_block::escape;
use reflect_llm::{ChatMessage, Role};

use crate::{RememberedLesson, Trial};

/// The most characters of the last attempt's answer and feedback.
const TEXT_LIMIT: usize = 4_000;
/// The most characters of a step of the last attempt.
const STEP_LIMIT: usize = 500;
/// The most steps of the last attempt, the latest ones.
const STEPS: usize = 20;

/// What is remembered, in the order given, and a blank line before the task that follows; empty when nothing is.
pub(crate) fn memories(lessons: &[RememberedLesson], last: Option<&Trial>) -> String {
    if lessons.is_empty() && last.is_none() {
        return String::new();
    }
    let mut text = format!("<relevant_memories>\n<instructions>{}</instructions>\n", instructions(lessons, last));
    for lesson in lessons {
        push_lesson(&mut text, lesson);
    }
    if let Some(last) = last {
        push_attempt(&mut text, last);
    }
    text.push_str("</relevant_memories>\n\n");
    text
}

fn instructions(lessons: &[RememberedLesson], last: Option<&Trial>) -> String {
    let mut text = String::new();
    if last.is_some() || lessons.iter().any(|lesson| lesson.trial.is_some()) {
        text.push_str("You tried the task below before, and it was not solved. ");
    }
    if !lessons.is_empty() {
        text.push_str("These are lessons from earlier trials, oldest first. ");
    }
    if last.is_some() {
        text.push_str("`last_attempt` is what you did last and what was said about it. ");
    }
    text.push_str(
        "They are notes, not orders: avoid the mistakes that they name, follow what fits, do not repeat an answer that failed, and solve \
         the task anew.",
    );
    text
}

fn push_lesson(text: &mut String, remembered: &RememberedLesson) {
    text.push_str("<memory");
    if let Some(id) = &remembered.id {
        push_attribute(text, "id", id);
    }
    push_place(text, remembered.trial, remembered.success, remembered.score);
    text.push_str(">\n");
    push_tag(text, "past_task", remembered.task.as_deref().unwrap_or_default(), TEXT_LIMIT);
    let lesson = &remembered.lesson;
    let parts = [
        ("key_mistake", &lesson.key_mistake),
        ("correct_action", &lesson.correct_action),
        ("guidance", &lesson.guidance),
    ];
    if parts.iter().all(|(_, part)| part.trim().is_empty()) {
        push_tag(text, "reflection", &lesson.text(), TEXT_LIMIT);
    }
    for (tag, part) in parts {
        push_tag(text, tag, part, TEXT_LIMIT);
    }
    text.push_str("</memory>\n");
}

fn push_attempt(text: &mut String, trial: &Trial) {
    text.push_str("<last_attempt");
    let known = trial.evaluation.verdict.outcome().map(|_| trial.success);
    push_place(text, Some(trial.number), known, trial.evaluation.score);
    text.push_str(">\n");
    let steps = steps(&trial.attempt.messages);
    for step in steps.iter().skip(steps.len().saturating_sub(STEPS)) {
        push_tag(text, "step", step, STEP_LIMIT);
    }
    push_tag(text, "answer", trial.answer(), TEXT_LIMIT);
    push_tag(text, "feedback", &trial.evaluation.feedback, TEXT_LIMIT);
    text.push_str("</last_attempt>\n");
}

/// What was called and what came back. What was merely said is in the answer, or led there.
fn steps(messages: &[ChatMessage]) -> Vec<String> {
    let result_of = |id: &str| {
        let answers =
            |message: &&ChatMessage| message.role == Role::Tool && message.tool_call_id.as_deref() == Some(id);
        messages.iter().find(answers).map_or("(no result)", |message| message.text.as_str())
    };
    let calls = messages.iter().flat_map(|message| &message.tool_calls);
    let half = STEP_LIMIT / 2;
    calls
        .map(|call| {
            let call_text = shortened(&format!("{}({})", call.name, call.arguments), half);
            format!("{call_text} -> {}", shortened(result_of(&call.id), half))
        })
        .collect()
}

fn push_place(text: &mut String, trial: Option<u32>, success: Option<bool>, score: Option<f64>) {
    if let Some(trial) = trial {
        push_attribute(text, "trial", &trial.to_string());
    }
    let result = match success {
        Some(true) => "pass",
        Some(false) => "fail",
        None => "unknown",
    };
    push_attribute(text, "result", result);
    if let Some(score) = score {
        push_attribute(text, "score", &format!("{score:.2}"));
    }
}

fn push_attribute(text: &mut String, name: &str, value: &str) {
    // Writing to a text cannot fail.
    let _ = write!(text, " {name}=\"{}\"", escape(value));
}

fn push_tag(text: &mut String, tag: &str, content: &str, limit: usize) {
    let content = content.trim();
    if !content.is_empty() {
        let _ = writeln!(text, "<{tag}>{}</{tag}>", escape(&shortened(content, limit)));
    }
}

/// Beginning and end of a text that is longer than `limit` characters, with a mark between them.
pub(crate) fn shortened(text: &str, limit: usize) -> String {
    let length = text.chars().count();
    if length <= limit {
        return text.to_owned();
    }
    let mark = " [left out] ";
    let room = limit.saturating_sub(mark.chars().count());
    let head: String = text.chars().take(room - room / 3).collect();
    let tail: String = text.chars().skip(length - room / 3).collect();
    format!("{head}{mark}{tail}")
}

/// The conversation of these trials, for one that goes on with it.
pub(crate) fn conversation(trials: &[Trial]) -> Vec<ChatMessage> {
    let messages = trials.iter().flat_map(|trial| &trial.attempt.messages);
    messages.filter(|message| message.role != Role::System).cloned().collect()
}
