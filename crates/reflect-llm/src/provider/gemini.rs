//! Google's Gemini.

use reqwest::Url;
use serde_json::{Value, json};

use super::{
    pieces::{Pieces, called_tool, tool_call},
    protocol::{Asking, Protocol, below, count_at, malformed, text_at, what_is_set},
    schema_prompt::{enforced, messages},
};
use crate::{ChatError, ChatMessage, ChatRequest, FinishReason, Part, Role, Secret, Source, Usage, content::base64_of};

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
        let system = all.iter().filter(|message| message.role == Role::System);
        let system: Vec<Value> = system.map(|message| json!({"text": message.text})).collect();
        let functions = request.tools.iter().map(
            |tool| json!({"name": tool.name, "description": tool.description, "parametersJsonSchema": tool.parameters}),
        );
        let functions: Vec<Value> = functions.collect();
        let schema = enforced(request, asking.schema).map(|(_, schema)| schema);
        let config = json!({
            "responseMimeType": schema.map(|_| "application/json"),
            "responseJsonSchema": schema,
            "temperature": request.temperature.filter(|_| asking.temperature),
            "maxOutputTokens": request.max_tokens,
        });
        what_is_set(json!({
            "systemInstruction": (!system.is_empty()).then(|| json!({"parts": system})),
            "contents": contents(&all),
            "tools": (!functions.is_empty()).then(|| json!([{"functionDeclarations": functions}])),
            "generationConfig": what_is_set(config),
        }))
    }

    /// A piece of a stream and a whole answer look alike.
    fn add(&self, answer: &Value, pieces: &mut Pieces) -> Result<String, ChatError> {
        let blocked = answer.pointer("/promptFeedback/blockReason").is_some();
        let candidate = answer.pointer("/candidates/0");
        if candidate.is_none() && !blocked && answer.get("usageMetadata").is_none() {
            return Err(malformed("it has no `candidates`"));
        }
        if let Some(usage) = answer.get("usageMetadata") {
            pieces.reply.usage = Usage {
                input_tokens: count_at(usage, "/promptTokenCount"),
                output_tokens: count_at(usage, "/candidatesTokenCount") + count_at(usage, "/thoughtsTokenCount"),
                cost_usd: None,
            };
        }
        if pieces.reply.model.is_empty() {
            pieces.reply.model = text_at(answer, "/modelVersion");
        }
        let mut text = String::new();
        for part in
            candidate.and_then(|it| it.pointer("/content/parts")).and_then(Value::as_array).into_iter().flatten()
        {
            if let Some(call) = part.get("functionCall") {
                let arguments = call.get("args").cloned().unwrap_or_else(|| json!({}));
                let calls = &mut pieces.reply.tool_calls;
                calls.push(tool_call(calls.len(), &text_at(call, "/id"), &text_at(call, "/name"), arguments));
            } else if part.get("thought") != Some(&Value::Bool(true)) {
                text.push_str(&text_at(part, "/text"));
            }
        }
        if let Some(reason) = candidate.and_then(|it| it.get("finishReason")).and_then(Value::as_str) {
            pieces.reply.finish = finish(reason);
            pieces.done = true;
        }
        if blocked {
            pieces.reply.finish = FinishReason::Filtered;
            pieces.done = true;
        }
        if !pieces.reply.tool_calls.is_empty() {
            pieces.reply.finish = FinishReason::ToolCalls;
        }
        pieces.reply.text.push_str(&text);
        Ok(text)
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
        let response = json!({"name": called_tool(all, id), "response": {"result": message.text}});
        return json!({"role": "user", "parts": [{"functionResponse": response}]});
    }
    let mut parts: Vec<Value> = message.content().0.iter().map(part).collect();
    if parts.is_empty() && message.tool_calls.is_empty() {
        parts.push(json!({"text": ""}));
    }
    for call in &message.tool_calls {
        parts.push(json!({"functionCall": {"name": call.name, "args": call.arguments}}));
    }
    let role = if message.role == Role::Assistant { "model" } else { "user" };
    json!({"role": role, "parts": parts})
}

fn part(part: &Part) -> Value {
    let (source, default_type) = match part {
        Part::Text { text } => return json!({"text": text}),
        Part::Image { source } => (source, None),
        Part::Document { source } => (source, Some("application/pdf")),
    };
    match source {
        Source::Bytes { media_type, data } => json!({"inlineData": {"mimeType": media_type, "data": base64_of(data)}}),
        Source::Url { url } => {
            let file = json!({"mimeType": default_type.or_else(|| image_type(url)), "fileUri": url});
            json!({"fileData": what_is_set(file)})
        }
    }
}

/// The type that an address tells by its ending.
fn image_type(url: &str) -> Option<&'static str> {
    let path = url.split(['?', '#']).next().unwrap_or_default().to_lowercase();
    let types = [(".png", "image/png"), (".jpg", "image/jpeg"), (".jpeg", "image/jpeg"), (".webp", "image/webp")];
    types.iter().find(|(ending, _)| path.ends_with(ending)).map(|(_, media_type)| *media_type)
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
