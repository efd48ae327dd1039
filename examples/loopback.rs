//! A model on loopback: a server of this process that speaks OpenAI's protocol, so that the programs run without a network and without a
//! key. With `OPENAI_API_KEY` in the environment, OpenAI is asked instead.

use std::sync::Arc;

use axum::{Json, Router, routing::post};
use reflect_llm::{ChatModel, HttpClient, ProviderSettings, connect, connect_with};
use reflexion::SystemClock;
use serde_json::{Value, json};
use tokio::{net::TcpListener, task::JoinSet};

/// What the model on loopback says to a prompt.
pub enum Reply {
    /// Words.
    Text(&'static str),
    /// A call of a tool.
    Call(&'static str, Value),
}

/// A model to ask. It is there as long as the second value.
pub async fn model(play: fn(&[Value]) -> Reply) -> anyhow::Result<(Arc<dyn ChatModel>, JoinSet<()>)> {
    let mut server = JoinSet::new();
    if let Ok(key) = std::env::var("OPENAI_API_KEY") {
        return Ok((connect("openai/gpt-5.4-mini", key)?, server));
    }
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let base_url = format!("http://{}", listener.local_addr()?);
    let answer = move |Json(request): Json<Value>| async move { answer(&request, play) };
    let router = Router::new().route("/chat/completions", post(answer));
    server.spawn(async move {
        let _ = axum::serve(listener, router).await;
    });
    let settings = ProviderSettings::new(HttpClient::new()?, Arc::new(SystemClock)).base_url(base_url);
    Ok((connect_with("openai/stand-in", &settings)?, server))
}

/// The words of a message, and how many parts it has that are none.
pub fn words(message: &Value) -> (String, usize) {
    match &message["content"] {
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part["text"].as_str());
            (texts.collect(), parts.iter().filter(|part| part["type"] != "text").count())
        }
        text => (text.as_str().unwrap_or_default().to_owned(), 0),
    }
}

/// Judgements and lessons are asked for by a schema, and are the same in every program.
fn answer(request: &Value, play: fn(&[Value]) -> Reply) -> String {
    let messages = request["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let prompt = messages.last().map(|message| words(message).0).unwrap_or_default();
    let (text, call) = match request.pointer("/response_format/json_schema/name").and_then(Value::as_str) {
        Some("judgement") if prompt.contains("for example") => {
            (r#"{"explanation": "clear, with an example", "verdict": "pass", "confidence": 0.75}"#, None)
        }
        Some("judgement") => (r#"{"explanation": "there is no example", "verdict": "fail", "confidence": 0.75}"#, None),
        Some(_) => (LESSON, None),
        None => match play(messages) {
            Reply::Text(text) => (text, None),
            Reply::Call(name, arguments) => ("", Some((name, arguments))),
        },
    };
    match request["stream"] == true {
        true => streamed(text),
        false => whole(text, call).to_string(),
    }
}

const LESSON: &str = r#"{"summary": "The explanation was too short.", "key_mistake": "No example was given.",
    "correct_action": "Give a worked example.", "guidance": "Explain in steps, and work through a small example.",
    "applicable_tools": [], "key_findings": []}"#;

fn whole(text: &str, call: Option<(&str, Value)>) -> Value {
    let calls = call.map(|(name, arguments)| {
        json!([{"id": "1", "type": "function", "function": {"name": name, "arguments": arguments.to_string()}}])
    });
    let message = json!({"role": "assistant", "content": text, "tool_calls": calls});
    json!({
        "choices": [{"message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20},
    })
}

/// Word by word.
fn streamed(text: &str) -> String {
    let piece = |word: &str| format!("data: {}\n\n", json!({"choices": [{"delta": {"content": word}}]}));
    let words: String = text.split_inclusive(' ').map(piece).collect();
    format!("{words}data: {}\n\ndata: [DONE]\n\n", json!({"choices": [{"delta": {}, "finish_reason": "stop"}]}))
}
