//! Ollama's own chat, which takes a schema and counts tokens.

use reqwest::Url;
use serde_json::{Map, Value, json};

use super::{
    openai::function,
    pieces::{PieceReader, arguments_of, tool_call},
    protocol::{Asking, Framing, Protocol, bearer, below, count_at, malformed, text_at},
    schema_prompt::{enforced, messages},
};
use crate::{ChatError, ChatMessage, ChatReply, ChatRequest, FinishReason, Role, Secret, Usage};

pub(super) struct Ollama;

impl Protocol for Ollama {
    fn url(&self, base: &Url, _model: &str, _stream: bool) -> Url {
        below(base, &["api", "chat"])
    }

    fn headers(&self, key: Option<&Secret>) -> Vec<(&'static str, String)> {
        bearer(key)
    }

    fn body(&self, model: &str, request: &ChatRequest, asking: Asking) -> Value {
        let all = messages(request, asking.schema);
        let mut body = Map::new();
        body.insert("model".into(), model.into());
        body.insert("messages".into(), all.iter().map(|one| message(one, &all)).collect());
        // It streams unless told otherwise.
        body.insert("stream".into(), asking.stream.into());
        if !request.tools.is_empty() {
            body.insert("tools".into(), request.tools.iter().map(function).collect());
        }
        if let Some((_, schema)) = enforced(request, asking.schema) {
            body.insert("format".into(), schema.clone());
        }
        let mut options = Map::new();
        if let Some(temperature) = request.temperature.filter(|_| asking.temperature) {
            options.insert("temperature".into(), temperature.into());
        }
        if let Some(most) = request.max_tokens {
            options.insert("num_predict".into(), most.into());
        }
        if !options.is_empty() {
            body.insert("options".into(), Value::Object(options));
        }
        Value::Object(body)
    }

    fn read(&self, answer: &Value) -> Result<ChatReply, ChatError> {
        let mut reader = Reader::default();
        reader.take(answer)?;
        Ok(reader.reply())
    }

    fn framing(&self) -> Framing {
        Framing::Lines
    }

    fn reader(&self) -> Box<dyn PieceReader> {
        Box::new(Reader::default())
    }
}

fn message(message: &ChatMessage, all: &[ChatMessage]) -> Value {
    let role = match message.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    };
    let mut body = Map::new();
    body.insert("role".into(), role.into());
    body.insert("content".into(), message.text.as_str().into());
    if !message.tool_calls.is_empty() {
        let calls = message.tool_calls.iter();
        let calls = calls.map(|call| json!({"function": {"name": call.name, "arguments": call.arguments}}));
        body.insert("tool_calls".into(), calls.collect());
    }
    if let Some(id) = &message.tool_call_id {
        let call = all.iter().flat_map(|earlier| &earlier.tool_calls).find(|call| call.id == *id);
        body.insert("tool_name".into(), call.map_or(id.as_str(), |call| call.name.as_str()).into());
    }
    Value::Object(body)
}

/// A piece of a stream and a whole answer look alike.
#[derive(Default)]
struct Reader {
    reply: ChatReply,
    done: bool,
}

impl Reader {
    fn take(&mut self, answer: &Value) -> Result<String, ChatError> {
        let message = answer.get("message").ok_or_else(|| malformed("it has no `message`"))?;
        for call in message.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            let arguments = match call.pointer("/function/arguments") {
                Some(Value::String(text)) => arguments_of(text),
                Some(other) => other.clone(),
                None => arguments_of(""),
            };
            let index = self.reply.tool_calls.len();
            self.reply.tool_calls.push(tool_call(
                index,
                &text_at(call, "/id"),
                &text_at(call, "/function/name"),
                arguments,
            ));
        }
        let text = text_at(message, "/content");
        self.reply.text.push_str(&text);
        if answer.get("done") == Some(&Value::Bool(true)) {
            self.done = true;
            self.reply.model = text_at(answer, "/model");
            self.reply.usage = Usage {
                input_tokens: count_at(answer, "/prompt_eval_count"),
                output_tokens: count_at(answer, "/eval_count"),
                cost_usd: None,
            };
            self.reply.finish = match answer.get("done_reason").and_then(Value::as_str) {
                Some("length") => FinishReason::Length,
                Some("stop") | None => FinishReason::Stop,
                Some(_) => FinishReason::Other,
            };
        }
        Ok(text)
    }
}

impl PieceReader for Reader {
    fn read(&mut self, data: &str) -> Result<String, ChatError> {
        let piece: Value =
            serde_json::from_str(data).map_err(|error| malformed(format!("a piece is not JSON: {error}")))?;
        self.take(&piece)
    }

    fn is_complete(&self) -> bool {
        self.done
    }

    fn reply(&mut self) -> ChatReply {
        let mut reply = std::mem::take(&mut self.reply);
        if !reply.tool_calls.is_empty() {
            reply.finish = FinishReason::ToolCalls;
        }
        reply
    }
}
