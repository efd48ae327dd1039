//! Ollama's own chat, which takes a schema and counts tokens.

use reqwest::Url;
use serde_json::{Value, json};

use super::{
    openai::function,
    pieces::{Pieces, called_tool, read_call},
    protocol::{Asking, Framing, Protocol, below, count_at, list, malformed, text_at, what_is_set},
    schema_prompt::{enforced, messages},
};
use crate::{ChatError, ChatMessage, ChatRequest, FinishReason, Part, Source, ToolCall, Usage, content::base64_of};

pub(super) struct Ollama;

impl Protocol for Ollama {
    fn url(&self, base: &Url, _model: &str, _stream: bool) -> Url {
        below(base, &["api", "chat"])
    }

    fn refuses(&self, part: &Part) -> Option<&'static str> {
        match part {
            Part::Document { .. } => Some("Ollama takes no documents"),
            Part::Image { source: Source::Url { .. } } => Some("Ollama takes an image by its bytes, not by an address"),
            _ => None,
        }
    }

    fn body(&self, model: &str, request: &ChatRequest, asking: Asking) -> Value {
        let all = messages(request, asking.schema);
        let options = json!({
            "temperature": request.temperature.filter(|_| asking.temperature),
            "num_predict": request.max_tokens,
        });
        what_is_set(json!({
            "model": model,
            "messages": all.iter().map(|one| message(one, &all)).collect::<Value>(),
            // It streams unless told otherwise.
            "stream": asking.stream,
            "tools": list(request.tools.iter().map(function)),
            "format": enforced(request, asking.schema).map(|(_, schema)| schema),
            "options": what_is_set(options),
        }))
    }

    fn framing(&self) -> Framing {
        Framing::Lines
    }

    /// A piece of a stream and a whole answer look alike.
    fn add(&self, answer: &Value, pieces: &mut Pieces) -> Result<String, ChatError> {
        let message = answer.get("message").ok_or_else(|| malformed("it has no `message`"))?;
        for call in message.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            pieces.reply.tool_calls.push(read_call(pieces.reply.tool_calls.len(), call));
        }
        let text = text_at(message, "/content");
        pieces.reply.text.push_str(&text);
        if answer.get("done") == Some(&Value::Bool(true)) {
            pieces.done = true;
            pieces.reply.model = text_at(answer, "/model");
            pieces.reply.usage = Usage {
                input_tokens: count_at(answer, "/prompt_eval_count"),
                output_tokens: count_at(answer, "/eval_count"),
                cost_usd: None,
            };
        }
        pieces.reply.finish = match answer.get("done_reason").and_then(Value::as_str) {
            Some("length") => FinishReason::Length,
            Some("stop") | None => FinishReason::Stop,
            Some(_) => FinishReason::Other,
        };
        if !pieces.reply.tool_calls.is_empty() {
            pieces.reply.finish = FinishReason::ToolCalls;
        }
        Ok(text)
    }
}

fn message(message: &ChatMessage, all: &[ChatMessage]) -> Value {
    let call = |call: &ToolCall| json!({"function": {"name": call.name, "arguments": call.arguments}});
    what_is_set(json!({
        "role": message.role,
        // Its images have a list of their own, beside the words.
        "content": message.content().text(),
        "images": list(message.parts.iter().filter_map(image)),
        "tool_calls": list(message.tool_calls.iter().map(call)),
        "tool_name": message.tool_call_id.as_deref().map(|id| called_tool(all, id)),
    }))
}

fn image(part: &Part) -> Option<Value> {
    match part {
        Part::Image { source: Source::Bytes { data, .. } } => Some(base64_of(data).into()),
        _ => None,
    }
}
