//! Messages of the protocol on their way between a program's pipes and the server: what HTTP wants to know about them, and errors.

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};

/// Where a request of newer versions says which of them it follows.
const VERSION_IN_REQUEST: &str = "/params/_meta/io.modelcontextprotocol~1protocolVersion";

/// What an error is called that the protocol itself has no number for.
const SERVER_ERROR: i32 = -32_000;
const PARSE_ERROR: i32 = -32_700;
const INVALID_REQUEST: i32 = -32_600;

/// A message from the client.
#[derive(Debug)]
pub(super) struct Incoming {
    pub(super) text: String,
    message: Value,
}

impl Incoming {
    /// Reads a line; the answer to send instead, if it is no message.
    pub(super) fn read(text: String) -> Result<Self, String> {
        match serde_json::from_str::<Value>(&text) {
            Ok(message) if message.is_object() => Ok(Self { text, message }),
            Ok(_) => Err(error(&Value::Null, INVALID_REQUEST, "a message must be one JSON object in a line", None)),
            Err(problem) => {
                Err(error(&Value::Null, PARSE_ERROR, &format!("the line is not valid JSON: {problem}"), None))
            }
        }
    }

    pub(super) fn is_initialize(&self) -> bool {
        self.method() == "initialize"
    }

    fn method(&self) -> &str {
        self.message.get("method").and_then(Value::as_str).unwrap_or_default()
    }

    /// What a request of HTTP repeats of its body: the version (`agreed` where the message names none), the method, and what it is about.
    pub(super) fn headers(&self, agreed: Option<&str>) -> HeaderMap {
        let text = |pointer: &str| self.message.pointer(pointer).and_then(Value::as_str);
        let named = text(VERSION_IN_REQUEST).or(agreed.filter(|_| !self.is_initialize()));
        let name = match self.method() {
            "tools/call" | "prompts/get" => text("/params/name"),
            "resources/read" => text("/params/uri"),
            _ => None,
        };
        let mut headers = HeaderMap::new();
        let pairs = [("mcp-protocol-version", named), ("mcp-method", Some(self.method())), ("mcp-name", name)];
        for (header, value) in pairs.into_iter().filter_map(|(header, value)| Some((header, value?))) {
            // What is no header is left out, and the server says what it misses.
            if let Ok(value) = HeaderValue::from_str(value) {
                headers.insert(HeaderName::from_static(header), value);
            }
        }
        headers
    }

    /// The answer that says why there is no other; `None` to a message that wants none.
    pub(super) fn refuse(&self, message: &str, data: Option<Value>) -> Option<String> {
        let id = self.message.get("id").filter(|id| !id.is_null())?;
        Some(error(id, SERVER_ERROR, message, data))
    }
}

/// The version that an answer to `initialize` has agreed on.
pub(super) fn agreed_version(answer: &str) -> Option<String> {
    let answer: Value = serde_json::from_str(answer).ok()?;
    answer.pointer("/result/protocolVersion").and_then(Value::as_str).map(str::to_owned)
}

fn error(id: &Value, code: i32, message: &str, data: Option<Value>) -> String {
    let mut error = json!({"code": code, "message": message});
    if let (Some(data), Some(error)) = (data, error.as_object_mut()) {
        error.insert("data".into(), data);
    }
    json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(message: Value, agreed: Option<&str>) -> Vec<(String, String)> {
        let incoming = Incoming::read(message.to_string()).unwrap();
        let headers = incoming.headers(agreed);
        headers.iter().map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned())).collect()
    }

    #[test]
    fn a_request_is_named_in_headers_by_what_it_is_about() {
        let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28"});
        let call = json!({"id": 1, "method": "tools/call", "params": {"name": "review_trace", "_meta": meta}});
        let expected =
            [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", "review_trace")];
        assert_eq!(headers(call, Some("2025-06-18")), expected.map(|(name, value)| (name.into(), value.into())));
        let read = json!({"id": 1, "method": "resources/read", "params": {"uri": "reflect://skill"}});
        let expected =
            [("mcp-protocol-version", "2025-06-18"), ("mcp-method", "resources/read"), ("mcp-name", "reflect://skill")];
        assert_eq!(headers(read, Some("2025-06-18")), expected.map(|(name, value)| (name.into(), value.into())));
        let initialize = json!({"id": 0, "method": "initialize"});
        assert_eq!(headers(initialize, Some("2025-06-18")), [("mcp-method".into(), "initialize".into())]);
    }

    #[test]
    fn only_requests_are_answered_with_errors() {
        let request = Incoming::read(r#"{"id": "a", "method": "ping"}"#.into()).unwrap();
        let answer: Value = serde_json::from_str(&request.refuse("no", None).unwrap()).unwrap();
        assert_eq!((&answer["id"], &answer["error"]["message"]), (&json!("a"), &json!("no")));
        let notification = Incoming::read(r#"{"method": "notifications/initialized"}"#.into()).unwrap();
        assert_eq!(notification.refuse("no", None), None);
        assert!(Incoming::read("{".into()).unwrap_err().contains("-32700"));
        assert!(Incoming::read("[]".into()).unwrap_err().contains("-32600"));
    }
}
