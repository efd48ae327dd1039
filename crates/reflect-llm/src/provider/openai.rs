//! OpenAI's chat completions, which most servers of models speak.

use reqwest::Url;
use serde_json::{Map, Value, json};

use super::{
    pieces::{CallParts, PieceReader, arguments_of, tool_call},
    protocol::{Asking, Framing, Protocol, bearer, below, count_at, malformed, text_at},
    schema_prompt::{enforced, messages},
};
use crate::{
    ChatError, ChatMessage, ChatReply, ChatRequest, FinishReason, Role, Secret, ToolCall, ToolDefinition, Usage,
};

pub(super) struct OpenAi {
    /// It is OpenAI itself, which has renamed a field that others know by its old name.
    pub(super) own_address: bool,
}

impl Protocol for OpenAi {
    fn url(&self, base: &Url, _model: &str, _stream: bool) -> Url {
        below(base, &["chat", "completions"])
    }

    fn headers(&self, key: Option<&Secret>) -> Vec<(&'static str, String)> {
        bearer(key)
    }

    fn body(&self, model: &str, request: &ChatRequest, asking: Asking) -> Value {
        let mut body = Map::new();
        body.insert("model".into(), model.into());
        body.insert("messages".into(), messages(request, asking.schema).iter().map(message).collect());
        if !request.tools.is_empty() {
            body.insert("tools".into(), request.tools.iter().map(function).collect());
        }
        if let Some((name, schema)) = enforced(request, asking.schema) {
            // Strict schemas must forbid other keys; one that does not is only a guide.
            let strict = schema.get("additionalProperties") == Some(&Value::Bool(false));
            let format = json!({"name": name, "schema": schema, "strict": strict});
            body.insert("response_format".into(), json!({"type": "json_schema", "json_schema": format}));
        }
        if let Some(temperature) = request.temperature.filter(|_| asking.temperature) {
            body.insert("temperature".into(), temperature.into());
        }
        if let Some(most) = request.max_tokens {
            let name = if self.own_address { "max_completion_tokens" } else { "max_tokens" };
            body.insert(name.into(), most.into());
        }
        if asking.stream {
            body.insert("stream".into(), true.into());
            body.insert("stream_options".into(), json!({"include_usage": true}));
        }
        Value::Object(body)
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

    fn framing(&self) -> Framing {
        Framing::Events
    }

    fn reader(&self) -> Box<dyn PieceReader> {
        Box::new(Reader::default())
    }
}

/// A tool as OpenAI and Ollama describe it.
pub(super) fn function(tool: &ToolDefinition) -> Value {
    let function = json!({"name": tool.name, "description": tool.description, "parameters": tool.parameters});
    json!({"type": "function", "function": function})
}

fn message(message: &ChatMessage) -> Value {
    let role = match message.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    };
    let mut body = json!({"role": role, "content": message.text});
    if let Value::Object(map) = &mut body {
        if !message.tool_calls.is_empty() {
            map.insert("tool_calls".into(), message.tool_calls.iter().map(written_call).collect());
        }
        if let Some(id) = &message.tool_call_id {
            map.insert("tool_call_id".into(), id.as_str().into());
        }
    }
    body
}

fn written_call(call: &ToolCall) -> Value {
    let arguments = call.arguments.as_str().map_or_else(|| call.arguments.to_string(), str::to_owned);
    json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
}

fn read_call(index: usize, call: &Value) -> ToolCall {
    let arguments = match call.pointer("/function/arguments") {
        Some(Value::String(text)) => arguments_of(text),
        Some(other) => other.clone(),
        None => arguments_of(""),
    };
    tool_call(index, &text_at(call, "/id"), &text_at(call, "/function/name"), arguments)
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

#[derive(Default)]
struct Reader {
    reply: ChatReply,
    calls: CallParts,
    reason: Option<String>,
    done: bool,
}

impl PieceReader for Reader {
    fn read(&mut self, data: &str) -> Result<String, ChatError> {
        if data == "[DONE]" {
            self.done = true;
            return Ok(String::new());
        }
        let piece: Value =
            serde_json::from_str(data).map_err(|error| malformed(format!("a piece is not JSON: {error}")))?;
        if !piece.get("choices").is_some_and(Value::is_array) {
            return Err(malformed("a piece has no `choices`"));
        }
        if piece.get("usage").is_some_and(Value::is_object) {
            self.reply.usage = usage(&piece);
        }
        if self.reply.model.is_empty() {
            self.reply.model = text_at(&piece, "/model");
        }
        if let Some(reason) = piece.pointer("/choices/0/finish_reason").and_then(Value::as_str) {
            self.reason = Some(reason.to_owned());
        }
        for call in piece.pointer("/choices/0/delta/tool_calls").and_then(Value::as_array).into_iter().flatten() {
            let (id, name) = (text_at(call, "/id"), text_at(call, "/function/name"));
            self.calls.add(count_at(call, "/index"), &id, &name, &text_at(call, "/function/arguments"));
        }
        let text = content(piece.pointer("/choices/0/delta/content"));
        self.reply.text.push_str(&text);
        Ok(text)
    }

    fn is_complete(&self) -> bool {
        self.done
    }

    fn reply(&mut self) -> ChatReply {
        let mut reply = std::mem::take(&mut self.reply);
        reply.tool_calls = self.calls.take();
        reply.finish = finish(self.reason.as_deref(), !reply.tool_calls.is_empty());
        reply
    }
}
