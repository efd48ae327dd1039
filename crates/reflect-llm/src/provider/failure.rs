//! From what went wrong on the wire to what a caller can act on.

use std::error::Error;

use reflect_core::Timestamp;
use reflect_http::retry_after;
use reqwest::{Response, StatusCode};
use serde_json::Value;

use super::strike;
use crate::{ChatError, Secret};

/// How much of an error's body is read.
const MOST_ERROR_BYTES: usize = 16 * 1024;

/// How much of a provider's words is passed on.
const MOST_WORDS: usize = 300;

/// The connection failed.
pub(super) fn not_asked(error: reqwest::Error, key: Option<&Secret>) -> ChatError {
    broken("it could not be asked", None, error, key)
}

/// An answer of this status began, and the connection broke. Told apart by its status: whoever counts money has to know that the
/// provider was at work.
pub(super) fn broken_off(status: StatusCode, error: reqwest::Error, key: Option<&Secret>) -> ChatError {
    broken("its answer broke off", Some(status.as_u16()), error, key)
}

fn broken(what: &str, status: Option<u16>, error: reqwest::Error, key: Option<&Secret>) -> ChatError {
    // The address is left out: operators put keys into addresses whatever one tells them.
    let error = error.without_url();
    let mut words = format!("{what}: {error}");
    let mut source = error.source();
    while let Some(cause) = source {
        words = format!("{words}: {cause}");
        source = cause.source();
    }
    ChatError::Unavailable { status, retry_after: None, message: shown(&words, key) }
}

/// The error that an answer with a failing status stands for.
pub(super) async fn refusal(mut response: Response, now: Timestamp, key: Option<&Secret>) -> ChatError {
    let status = response.status();
    let wait = retry_after(response.headers(), now);
    let mut body = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        body.extend_from_slice(&chunk);
        if body.len() >= MOST_ERROR_BYTES {
            break;
        }
    }
    let words = provider_words(&String::from_utf8_lossy(&body));
    of_status(status, wait, shown(&format!("status {}: {words}", status.as_u16()), key))
}

fn of_status(status: StatusCode, retry_after: Option<std::time::Duration>, message: String) -> ChatError {
    let code = Some(status.as_u16());
    match status.as_u16() {
        429 => ChatError::RateLimited { retry_after, message },
        408 | 425 | 500.. => ChatError::Unavailable { status: code, retry_after, message },
        _ => ChatError::Refused { status: code, message },
    }
}

/// An error that came instead of an answer although the status was fine, as gateways do; `None` when there is none.
pub(super) fn error_inside(answer: &Value, key: Option<&Secret>) -> Option<ChatError> {
    let error = answer.get("error").filter(|error| !error.is_null())?;
    let message = shown(&words_of(answer).unwrap_or_else(|| error.to_string()), key);
    let code = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
    if let Some(status) = code.and_then(|code| StatusCode::from_u16(code).ok()).filter(|status| status.as_u16() >= 400)
    {
        return Some(of_status(status, None, message));
    }
    let kind = error.get("type").and_then(Value::as_str).unwrap_or_default();
    if kind.contains("rate_limit") {
        return Some(ChatError::RateLimited { retry_after: None, message });
    }
    if kind.contains("invalid_request") || kind.contains("authentication") || kind.contains("permission") {
        return Some(ChatError::Refused { status: None, message });
    }
    Some(ChatError::Unavailable { status: None, retry_after: None, message })
}

/// What is said in the body of an error.
fn provider_words(body: &str) -> String {
    let body = body.trim();
    if body.is_empty() {
        return "no words with it".to_owned();
    }
    if body.starts_with('<') {
        return "a web page instead of an answer".to_owned();
    }
    serde_json::from_str(body).ok().and_then(|value| words_of(&value)).unwrap_or_else(|| body.to_owned())
}

fn words_of(value: &Value) -> Option<String> {
    // Gemini's gateway wraps its errors into an array.
    let value = value.get(0).unwrap_or(value);
    ["/error/message", "/error", "/message", "/detail"]
        .iter()
        .find_map(|pointer| value.pointer(pointer).and_then(Value::as_str))
        .map(str::to_owned)
}

/// Words as they may be shown: short, on one line, and without secrets.
pub(super) fn shown(words: &str, key: Option<&Secret>) -> String {
    let struck = strike::secrets(words, key);
    let line: Vec<&str> = struck.split_whitespace().collect();
    let line = line.join(" ");
    match line.char_indices().nth(MOST_WORDS) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}
