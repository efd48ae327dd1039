//! OpenAI's chat completions, which most servers of models speak.

use reqwest::Url;
use serde_json::{Value, json};

use super::{
    parts::as_url,
    pieces::{Pieces, read_call},
    protocol::{Asking, Protocol, below, count_at, list, malformed, text_at, what_is_set},
    schema_prompt::{enforced, messages},
    streaming::DONE,
};
use crate::{
    ChatError, ChatMessage, ChatReply, ChatRequest, FinishReason, Part, Source, ToolCall, ToolDefinition, Usage,
};

pub(super) struct OpenAi {
    /// It is OpenAI itself, which has renamed a field that most others know by its old name.
    pub(super) own_address: bool,
}

impl Protocol for OpenAi {
    fn url(&self, base: &Url, _model: &str, _stream: bool) -> Url {
        below(base, &["chat", "completions"])
    }

    fn refuses(&self, part: &Part) -> Option<&'static str> {
        match part {
            Part::Document { source: Source::Url { .. } } => {
                Some("OpenAI's chat takes a PDF by its bytes, not by an address")
            }
            _ => None,
        }
    }

    fn body(&self, model: &str, request: &ChatRequest, asking: Asking) -> Value {
        let format = enforced(request, asking.schema).map(|(name, schema)| {
            // Strict schemas must forbid other keys; one that does not is only a guide.
            let strict = schema.get("additionalProperties") == Some(&Value::Bool(false));
            json!({"type": "json_schema", "json_schema": {"name": name, "schema": schema, "strict": strict}})
        });
        let is_renamed = self.own_address != asking.other_max_tokens;
        let max_tokens = if is_renamed { "max_completion_tokens" } else { "max_tokens" };
        what_is_set(json!({
            "model": model,
            "messages": messages(request, asking.schema).iter().map(message).collect::<Value>(),
            "tools": list(request.tools.iter().map(function)),
            "response_format": format,
            "temperature": request.temperature.filter(|_| asking.temperature),
            max_tokens: request.max_tokens,
            "stream": asking.stream.then_some(true),
            "stream_options": asking.stream.then(|| json!({"include_usage": true})),
        }))
    }

    fn read(&self, answer: &Value) -> Result<ChatReply, ChatError> {
        let message =
            answer.pointer("/choices/0/message").ok_or_else(|| malformed("it has no `choices[0].message`"))?;
        let calls = message.get("tool_calls").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let tool_calls: Vec<ToolCall> = calls.iter().enumerate().map(|(index, call)| read_call(index, call)).collect();
        let reason = answer.pointer("/choices/0/finish_reason").and_then(Value::as_str);
        let refused = message.get("refusal").is_some_and(Value::is_string);
        Ok(ChatReply {
            text: content(message.get("content")),
            finish: if refused { FinishReason::Filtered } else { finish(reason, !tool_calls.is_empty()) },
            tool_calls,
            usage: usage(answer),
            model: text_at(answer, "/model"),
        })
    }

    fn add(&self, piece: &Value, pieces: &mut Pieces) -> Result<String, ChatError> {
        if piece == DONE {
            pieces.done = true;
            if !pieces.calls.is_empty() {
                pieces.reply.finish = FinishReason::ToolCalls;
            }
            return Ok(String::new());
        }
        if !piece.get("choices").is_some_and(Value::is_array) {
            return Err(malformed("a piece has no `choices`"));
        }
        if piece.get("usage").is_some_and(Value::is_object) {
            pieces.reply.usage = usage(piece);
        }
        if pieces.reply.model.is_empty() {
            pieces.reply.model = text_at(piece, "/model");
        }
        if let Some(reason) = piece.pointer("/choices/0/finish_reason").and_then(Value::as_str) {
            pieces.reply.finish = finish(Some(reason), false);
        }
        for call in piece.pointer("/choices/0/delta/tool_calls").and_then(Value::as_array).into_iter().flatten() {
            let (id, name) = (text_at(call, "/id"), text_at(call, "/function/name"));
            pieces.calls.add(count_at(call, "/index"), &id, &name, &text_at(call, "/function/arguments"));
        }
        let text = content(piece.pointer("/choices/0/delta/content"));
        pieces.reply.text.push_str(&text);
        Ok(text)
    }
}

/// A tool as OpenAI and Ollama describe it.
pub(super) fn function(tool: &ToolDefinition) -> Value {
    let function = json!({"name": tool.name, "description": tool.description, "parameters": tool.parameters});
    json!({"type": "function", "function": function})
}

fn message(message: &ChatMessage) -> Value {
    what_is_set(json!({
        "role": message.role,
        "content": match message.parts.is_empty() {
            true => json!(message.text),
            false => message.content().0.iter().map(part).collect(),
        },
        "tool_calls": list(message.tool_calls.iter().map(written_call)),
        "tool_call_id": message.tool_call_id,
    }))
}

fn part(part: &Part) -> Value {
    match part {
        Part::Text { text } => json!({"type": "text", "text": text}),
        Part::Image { source } => json!({"type": "image_url", "image_url": {"url": as_url(source)}}),
        Part::Document { source } => {
            json!({"type": "file", "file": {"filename": "document.pdf", "file_data": as_url(source)}})
        }
    }
}

fn written_call(call: &ToolCall) -> Value {
    let arguments = call.arguments.as_str().map_or_else(|| call.arguments.to_string(), str::to_owned);
    json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
}

/// Words, or a list of parts with words.
fn content(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts.iter().map(|part| text_at(part, "/text")).collect(),
        _ => String::new(),
    }
}

fn finish(reason: Option<&str>, calls_tools: bool) -> FinishReason {
    match reason {
        // Some servers say that they stopped where they mean that they call.
        _ if calls_tools => FinishReason::ToolCalls,
        Some("stop") => FinishReason::Stop,
        Some("length") => FinishReason::Length,
        Some("tool_calls" | "function_call") => FinishReason::ToolCalls,
        Some("content_filter") => FinishReason::Filtered,
        _ => FinishReason::Other,
    }
}

fn usage(answer: &Value) -> Usage {
    Usage {
        input_tokens: count_at(answer, "/usage/prompt_tokens"),
        output_tokens: count_at(answer, "/usage/completion_tokens"),
        cost_usd: None,
    }
}
