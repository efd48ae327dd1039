//! Anthropic's messages.

use reqwest::Url;
use serde_json::{Value, json};

use super::{
    pieces::{Pieces, tool_call},
    protocol::{Asking, Protocol, below, count_at, list, malformed, text_at, what_is_set},
    schema_prompt::{enforced, messages},
};
use crate::{ChatError, ChatMessage, ChatReply, ChatRequest, FinishReason, Role, Secret, Usage};

/// Anthropic wants a limit always; this one is below that of every model.
const DEFAULT_MAX_TOKENS: u32 = 4_096;

pub(super) struct Anthropic;

impl Protocol for Anthropic {
    fn url(&self, base: &Url, _model: &str, _stream: bool) -> Url {
        below(base, &["messages"])
    }

    fn headers(&self, key: Option<&Secret>) -> Vec<(&'static str, String)> {
        let mut headers = vec![("anthropic-version", "2023-06-01".to_owned())];
        headers.extend(key.map(|key| ("x-api-key", key.expose().to_owned())));
        headers
    }

    fn body(&self, model: &str, request: &ChatRequest, asking: Asking) -> Value {
        let all = messages(request, asking.schema);
        let (system, spoken): (Vec<&ChatMessage>, Vec<&ChatMessage>) =
            all.iter().partition(|message| message.role == Role::System);
        let system: Vec<&str> = system.iter().map(|message| message.text.as_str()).collect();
        let tools = request
            .tools
            .iter()
            .map(|tool| json!({"name": tool.name, "description": tool.description, "input_schema": tool.parameters}));
        let format = enforced(request, asking.schema)
            .map(|(_, schema)| json!({"format": {"type": "json_schema", "schema": schema}}));
        what_is_set(json!({
            "model": model,
            "max_tokens": request.max_tokens.unwrap_or(DEFAULT_MAX_TOKENS),
            "messages": turns(&spoken),
            "system": (!system.is_empty()).then(|| system.join("\n\n")),
            "tools": list(tools),
            "output_config": format,
            "temperature": request.temperature.filter(|_| asking.temperature),
            "stream": asking.stream.then_some(true),
        }))
    }

    fn read(&self, answer: &Value) -> Result<ChatReply, ChatError> {
        let blocks = answer.get("content").and_then(Value::as_array).ok_or_else(|| malformed("it has no `content`"))?;
        let mut reply = ChatReply {
            usage: usage(answer.get("usage").unwrap_or(&Value::Null)),
            finish: finish(answer.get("stop_reason").and_then(Value::as_str)),
            model: text_at(answer, "/model"),
            ..ChatReply::default()
        };
        for block in blocks {
            match block.get("type").and_then(Value::as_str) {
                Some("text") => reply.text.push_str(&text_at(block, "/text")),
                Some("tool_use") => {
                    let input = block.get("input").cloned().unwrap_or_default();
                    let call =
                        tool_call(reply.tool_calls.len(), &text_at(block, "/id"), &text_at(block, "/name"), input);
                    reply.tool_calls.push(call);
                }
                // Thinking is for the model alone.
                _ => {}
            }
        }
        Ok(reply)
    }

    fn add(&self, piece: &Value, pieces: &mut Pieces) -> Result<String, ChatError> {
        let index = count_at(piece, "/index");
        match piece.get("type").and_then(Value::as_str) {
            Some("message_start") => {
                pieces.reply.model = text_at(piece, "/message/model");
                pieces.reply.usage = usage(piece.pointer("/message/usage").unwrap_or(&Value::Null));
            }
            Some("content_block_start") if text_at(piece, "/content_block/type") == "tool_use" => {
                let (id, name) = (text_at(piece, "/content_block/id"), text_at(piece, "/content_block/name"));
                pieces.calls.add(index, &id, &name, "");
            }
            Some("content_block_delta") => {
                if let Some(arguments) = piece.pointer("/delta/partial_json").and_then(Value::as_str) {
                    pieces.calls.add(index, "", "", arguments);
                }
                if text_at(piece, "/delta/type") == "text_delta" {
                    let text = text_at(piece, "/delta/text");
                    pieces.reply.text.push_str(&text);
                    return Ok(text);
                }
            }
            Some("message_delta") => {
                pieces.reply.finish = finish(piece.pointer("/delta/stop_reason").and_then(Value::as_str));
                pieces.reply.usage.output_tokens = count_at(piece, "/usage/output_tokens");
            }
            Some("message_stop") => pieces.done = true,
            Some(_) => {}
            None => return Err(malformed("a piece has no `type`")),
        }
        Ok(String::new())
    }
}

/// Users and assistants have to take turns, and results of tools are the user's words.
fn turns(messages: &[&ChatMessage]) -> Vec<Value> {
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in messages {
        let role = if message.role == Role::Assistant { "assistant" } else { "user" };
        let mut blocks = Vec::new();
        if let (Role::Tool, Some(id)) = (message.role, &message.tool_call_id) {
            blocks.push(json!({"type": "tool_result", "tool_use_id": id, "content": message.text}));
        } else {
            // Parts are written as Anthropic writes them.
            blocks.extend(message.content().0.iter().map(|part| json!(part)));
        }
        for call in &message.tool_calls {
            blocks.push(json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}));
        }
        match turns.last_mut() {
            Some((last, earlier)) if *last == role => earlier.extend(blocks),
            _ => turns.push((role, blocks)),
        }
    }
    turns.into_iter().map(|(role, content)| json!({"role": role, "content": content})).collect()
}

fn usage(usage: &Value) -> Usage {
    let cached = count_at(usage, "/cache_read_input_tokens") + count_at(usage, "/cache_creation_input_tokens");
    Usage {
        input_tokens: count_at(usage, "/input_tokens") + cached,
        output_tokens: count_at(usage, "/output_tokens"),
        cost_usd: None,
    }
}

fn finish(reason: Option<&str>) -> FinishReason {
    match reason {
        Some("end_turn" | "stop_sequence") => FinishReason::Stop,
        Some("max_tokens" | "model_context_window_exceeded") => FinishReason::Length,
        Some("tool_use") => FinishReason::ToolCalls,
        Some("refusal") => FinishReason::Filtered,
        _ => FinishReason::Other,
    }
}
