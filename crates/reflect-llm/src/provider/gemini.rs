//! Google's Gemini.

use reqwest::Url;
use serde_json::{Map, Value, json};

use super::{
    pieces::{PieceReader, tool_call},
    protocol::{Asking, Framing, Protocol, below, count_at, malformed, text_at},
    schema_prompt::{enforced, messages},
};
use crate::{ChatError, ChatMessage, ChatReply, ChatRequest, FinishReason, Role, Secret, Usage};

pub(super) struct Gemini;

impl Protocol for Gemini {
    fn url(&self, base: &Url, model: &str, stream: bool) -> Url {
        let method = if stream { "streamGenerateContent" } else { "generateContent" };
        let mut url = below(base, &["models", &format!("{model}:{method}")]);
        if stream {
            url.set_query(Some("alt=sse"));
        }
        url
    }

    fn headers(&self, key: Option<&Secret>) -> Vec<(&'static str, String)> {
        key.map(|key| ("x-goog-api-key", key.expose().to_owned())).into_iter().collect()
    }

    fn body(&self, _model: &str, request: &ChatRequest, asking: Asking) -> Value {
        let all = messages(request, asking.schema);
        let mut body = Map::new();
        let system: Vec<Value> = all
            .iter()
            .filter(|message| message.role == Role::System)
            .map(|message| json!({"text": message.text}))
            .collect();
        if !system.is_empty() {
            body.insert("systemInstruction".into(), json!({"parts": system}));
        }
        body.insert("contents".into(), Value::Array(contents(&all)));
        if !request.tools.is_empty() {
            let functions: Vec<Value> = request
                .tools
                .iter()
                .map(|tool| json!({"name": tool.name, "description": tool.description, "parametersJsonSchema": tool.parameters}))
                .collect();
            body.insert("tools".into(), json!([{"functionDeclarations": functions}]));
        }
        let mut config = Map::new();
        if let Some((_, schema)) = enforced(request, asking.schema) {
            config.insert("responseMimeType".into(), "application/json".into());
            config.insert("responseJsonSchema".into(), schema.clone());
        }
        if let Some(temperature) = request.temperature.filter(|_| asking.temperature) {
            config.insert("temperature".into(), temperature.into());
        }
        if let Some(most) = request.max_tokens {
            config.insert("maxOutputTokens".into(), most.into());
        }
        if !config.is_empty() {
            body.insert("generationConfig".into(), Value::Object(config));
        }
        Value::Object(body)
    }

    fn read(&self, answer: &Value) -> Result<ChatReply, ChatError> {
        let mut reader = Reader::default();
        reader.take(answer)?;
        Ok(reader.reply())
    }

    fn framing(&self) -> Framing {
        Framing::Events
    }

    fn reader(&self) -> Box<dyn PieceReader> {
        Box::new(Reader::default())
    }
}

fn contents(messages: &[ChatMessage]) -> Vec<Value> {
    let spoken = messages.iter().filter(|message| message.role != Role::System);
    spoken.map(|message| content(message, messages)).collect()
}

fn content(message: &ChatMessage, all: &[ChatMessage]) -> Value {
    if message.role == Role::Tool {
        // Gemini knows a result by the name of its function.
        let id = message.tool_call_id.as_deref().unwrap_or_default();
        let call = all.iter().flat_map(|earlier| &earlier.tool_calls).find(|call| call.id == id);
        let name = call.map_or(id, |call| call.name.as_str());
        let response = json!({"name": name, "response": {"result": message.text}});
        return json!({"role": "user", "parts": [{"functionResponse": response}]});
    }
    let mut parts = Vec::new();
    if !message.text.is_empty() || message.tool_calls.is_empty() {
        parts.push(json!({"text": message.text}));
    }
    for call in &message.tool_calls {
        parts.push(json!({"functionCall": {"name": call.name, "args": call.arguments}}));
    }
    let role = if message.role == Role::Assistant { "model" } else { "user" };
    json!({"role": role, "parts": parts})
}

fn finish(reason: &str) -> FinishReason {
    match reason {
        "STOP" => FinishReason::Stop,
        "MAX_TOKENS" => FinishReason::Length,
        "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "IMAGE_SAFETY" => {
            FinishReason::Filtered
        }
        _ => FinishReason::Other,
    }
}

/// A piece of a stream and a whole answer look alike.
#[derive(Default)]
struct Reader {
    reply: ChatReply,
    done: bool,
}

impl Reader {
    fn take(&mut self, answer: &Value) -> Result<String, ChatError> {
        let blocked = answer.pointer("/promptFeedback/blockReason").is_some();
        let candidate = answer.pointer("/candidates/0");
        if candidate.is_none() && !blocked && answer.get("usageMetadata").is_none() {
            return Err(malformed("it has no `candidates`"));
        }
        if let Some(usage) = answer.get("usageMetadata") {
            self.reply.usage = Usage {
                input_tokens: count_at(usage, "/promptTokenCount"),
                output_tokens: count_at(usage, "/candidatesTokenCount") + count_at(usage, "/thoughtsTokenCount"),
                cost_usd: None,
            };
        }
        if self.reply.model.is_empty() {
            self.reply.model = text_at(answer, "/modelVersion");
        }
        let mut text = String::new();
        for part in
            candidate.and_then(|it| it.pointer("/content/parts")).and_then(Value::as_array).into_iter().flatten()
        {
            if let Some(call) = part.get("functionCall") {
                let arguments = call.get("args").cloned().unwrap_or_else(|| json!({}));
                let index = self.reply.tool_calls.len();
                self.reply.tool_calls.push(tool_call(index, &text_at(call, "/id"), &text_at(call, "/name"), arguments));
            } else if part.get("thought") != Some(&Value::Bool(true)) {
                text.push_str(&text_at(part, "/text"));
            }
        }
        if let Some(reason) = candidate.and_then(|it| it.get("finishReason")).and_then(Value::as_str) {
            self.reply.finish = finish(reason);
            self.done = true;
        }
        if blocked {
            self.reply.finish = FinishReason::Filtered;
            self.done = true;
        }
        self.reply.text.push_str(&text);
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
        } else if !self.done {
            reply.finish = FinishReason::Other;
        }
        reply
    }
}
