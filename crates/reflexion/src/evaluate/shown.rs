//! An attempt as a judge reads it.

use reflect_core::{Message, ToolCall, ToolResult};
use reflect_llm::{ChatMessage, Role};

use crate::{Attempt, AttemptEnd};

/// What was said and done, with the arguments and results of tools; and, where the actor did not end by itself, why. The
/// instructions are left out: a judge is shown them apart.
pub(crate) fn messages(attempt: &Attempt) -> Vec<Message> {
    let said = attempt.messages.iter().filter(|message| message.role != Role::System).map(message);
    said.chain(ended(&attempt.end)).collect()
}

fn message(message: &ChatMessage) -> Message {
    let role = match message.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => {
            let call_id = message.tool_call_id.clone().unwrap_or_default();
            let result = ToolResult { call_id, text: message.text.clone(), ..ToolResult::default() };
            return Message { role: "tool".into(), tool_results: vec![result], ..Message::default() };
        }
    };
    let calls = message.tool_calls.iter().map(|call| ToolCall {
        id: call.id.clone(),
        name: call.name.clone(),
        arguments: call.arguments.to_string(),
    });
    Message { role: role.into(), text: message.text.clone(), tool_calls: calls.collect(), tool_results: Vec::new() }
}

fn ended(end: &AttemptEnd) -> Option<Message> {
    let text = match end {
        AttemptEnd::Answered => return None,
        AttemptEnd::Limit(why) => format!("The attempt was ended by a limit: {why}"),
        AttemptEnd::Stuck(why) => format!("The attempt was ended because it went in circles: {why}"),
    };
    Some(Message { role: "runtime".into(), text, ..Message::default() })
}
