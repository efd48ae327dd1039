//! Asking for JSON in words, where an endpoint takes no schema.

use serde_json::Value;

use crate::{AnswerFormat, ChatMessage, ChatRequest, Role};

/// The messages to send: with the schema in the system's words unless the provider enforces it.
pub(super) fn messages(request: &ChatRequest, provider_enforces: bool) -> Vec<ChatMessage> {
    let mut messages = request.messages.clone();
    let AnswerFormat::Json { schema, .. } = &request.answer else { return messages };
    if provider_enforces {
        return messages;
    }
    let words = wish(schema);
    match messages.iter_mut().find(|message| message.role == Role::System) {
        Some(system) => system.text = format!("{}\n\n{words}", system.text),
        None => messages.insert(0, ChatMessage::system(words)),
    }
    messages
}

/// The schema, where one is asked for and the provider is to enforce it.
pub(super) fn enforced(request: &ChatRequest, provider_enforces: bool) -> Option<(&str, &Value)> {
    match &request.answer {
        AnswerFormat::Json { name, schema } if provider_enforces => Some((name, schema)),
        _ => None,
    }
}

fn wish(schema: &Value) -> String {
    format!(
        "Answer with one JSON object and nothing else: no words around it, no code fence. It has to match this JSON schema:\n{schema}"
    )
}
