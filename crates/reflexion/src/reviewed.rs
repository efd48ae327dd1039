//! A trial as the reflectors of `reflection` read it.

use reflect_core::{Message, Outcome, ReviewSource, ToolCall, ToolResult};
use reflect_llm::{ChatMessage, Role};
use reflection::{ReviewedRun, ShownLesson};

use crate::{RememberedLesson, Trial};

/// A trial that did not succeed. Earlier lessons are `shown_lessons`, and where each is from, with its score, stands beside it.
pub(crate) fn reviewed_run(task: &str, trial: &Trial, known: &[RememberedLesson]) -> ReviewedRun {
    let feedback = trial.evaluation.feedback.trim();
    ReviewedRun {
        task: task.to_owned(),
        messages: trial.attempt.messages.iter().map(message).collect(),
        final_response: trial.attempt.answer.clone(),
        outcome: Outcome::Fail,
        feedback_text: (!feedback.is_empty()).then(|| feedback.to_owned()),
        // The evaluator is the caller's own choice, model or not.
        review_source: ReviewSource::Api,
        reference_context: None,
        shown_lessons: known.iter().map(shown).collect(),
    }
}

fn shown(remembered: &RememberedLesson) -> ShownLesson {
    let score = remembered.score.map(|score| format!(", score {score:.2}")).unwrap_or_default();
    let task = match (remembered.trial, &remembered.task) {
        (Some(trial), _) => format!("this same task, trial {trial}{score}"),
        (None, Some(task)) => format!("{task}{score}"),
        (None, None) => format!("an earlier run{score}"),
    };
    ShownLesson {
        memory_id: remembered.id.clone().unwrap_or_default(),
        task,
        lesson: remembered.lesson.clone(),
        success: remembered.success,
    }
}

/// A message as judges and reflectors read it: the result of a tool is no words of anybody.
pub(crate) fn message(message: &ChatMessage) -> Message {
    let call = |call: &reflect_llm::ToolCall| ToolCall {
        id: call.id.clone(),
        name: call.name.clone(),
        arguments: call.arguments.as_str().map_or_else(|| call.arguments.to_string(), str::to_owned),
    };
    let mut read = Message { role: message.role.to_string(), ..Message::default() };
    if message.role == Role::Tool {
        let call_id = message.tool_call_id.clone().unwrap_or_default();
        read.tool_results.push(ToolResult { call_id, text: message.text.clone(), ..ToolResult::default() });
    } else {
        let content = message.content();
        read.text = content.text();
        read.media = content.media();
        read.tool_calls = message.tool_calls.iter().map(call).collect();
    }
    read
}
