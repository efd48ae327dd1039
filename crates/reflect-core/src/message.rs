//! One message, read from whatever shape an LLM API or framework gave it.

use serde_json::Value;

use crate::Media;

/// A message as a reflector reads it. The stored JSON is untouched by this reading.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Message {
    /// `system`, `user`, `assistant`, `tool`, or a framework's own word; `unknown` when it says none.
    pub role: String,
    /// Its words: the content, or the text parts of it joined as they are. Empty for a tool's answer.
    pub text: String,
    /// What it asks tools to do.
    pub tool_calls: Vec<ToolCall>,
    /// What tools answered.
    pub tool_results: Vec<ToolResult>,
    /// Images, documents and other files in it, those in a tool's answer included.
    pub media: Vec<Media>,
}

/// A call of a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolCall {
    /// Joins it to its result; may be empty.
    pub id: String,
    /// The tool's name; may be empty.
    pub name: String,
    /// The arguments as JSON text, or whatever text stood there.
    pub arguments: String,
}

/// A tool's answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolResult {
    /// The id of the call that it answers; may be empty.
    pub call_id: String,
    /// The tool's name, where the message says it.
    pub name: String,
    /// What came back.
    pub text: String,
    /// Whether the message itself marks it as an error. The text may speak of one all the same.
    pub is_error: bool,
}

impl Message {
    /// Reads one JSON value. What is not understood is passed over; a value that cannot be read at all becomes a
    /// message of role `unknown` with the JSON as its text.
    pub(crate) fn read(json: &str) -> Self {
        let Ok(value) = serde_json::from_str::<Value>(json) else {
            return Self { role: "unknown".into(), text: json.to_owned(), ..Self::default() };
        };
        let mut message = Self { role: text_at(&value, &["role"]), ..Self::default() };
        match message.role.as_str() {
            "tool" | "function" => message.read_result(&value),
            _ => message.read_content(value.get("content")),
        }
        let calls = value.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
        message
            .tool_calls
            .extend(calls.chain(value.get("function_call").filter(|call| call.is_object())).map(tool_call));
        message.read_item(&value);
        if message.role.is_empty() {
            message.role = "unknown".into();
        }
        message
    }

    /// Whether the agent itself speaks.
    pub fn is_assistant(&self) -> bool {
        matches!(self.role.as_str(), "assistant" | "ai" | "model")
    }

    fn read_content(&mut self, content: Option<&Value>) {
        match content {
            Some(Value::String(text)) => self.text.push_str(text),
            Some(Value::Array(parts)) => parts.iter().for_each(|part| self.read_part(part)),
            Some(part @ Value::Object(_)) => self.read_part(part),
            _ => {}
        }
    }

    /// A content part: words, or the way Anthropic's API writes calls and results.
    fn read_part(&mut self, part: &Value) {
        match part.get("type").and_then(Value::as_str) {
            Some("tool_use" | "tool_call") => self.tool_calls.push(tool_call(part)),
            Some("tool_result") => self.read_result(part),
            Some("thinking" | "reasoning" | "redacted_thinking") => {}
            _ => match Media::read(part) {
                Some(media) => self.media.push(media),
                None => self.text.push_str(&plain_text(part)),
            },
        }
    }

    fn read_result(&mut self, value: &Value) {
        self.tool_results.push(tool_result(value));
        let content = result_content(value).and_then(Value::as_array).into_iter().flatten();
        self.media.extend(content.filter_map(Media::read));
    }

    /// An item of OpenAI's Responses API, which has a type where others have a role.
    fn read_item(&mut self, value: &Value) {
        let role = match value.get("type").and_then(Value::as_str) {
            Some("function_call") => {
                self.tool_calls.push(tool_call(value));
                "assistant"
            }
            Some("function_call_output") => {
                self.read_result(value);
                "tool"
            }
            _ => return,
        };
        if self.role.is_empty() {
            self.role = role.into();
        }
    }
}

fn tool_call(value: &Value) -> ToolCall {
    let function = value.get("function").unwrap_or(value);
    let arguments = ["arguments", "args", "input"].iter().find_map(|key| function.get(key));
    ToolCall {
        id: text_at(value, &["id", "call_id", "tool_call_id"]),
        name: text_at(function, &["name"]),
        arguments: arguments.map(text_or_json).unwrap_or_default(),
    }
}

fn tool_result(value: &Value) -> ToolResult {
    let marked = |key: &str| value.get(key).is_some_and(|mark| mark == true || mark == "error");
    ToolResult {
        call_id: text_at(value, &["tool_call_id", "tool_use_id", "call_id"]),
        name: text_at(value, &["name", "tool_name"]),
        text: result_content(value).map(plain_text).unwrap_or_default(),
        is_error: marked("is_error") || marked("error") || marked("status"),
    }
}

fn result_content(value: &Value) -> Option<&Value> {
    ["content", "output", "result"].iter().find_map(|key| value.get(key))
}

/// The words in a value: a text itself, an object's `text`, a list's words joined, anything else as JSON.
fn plain_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Array(parts) => parts.iter().map(plain_text).collect(),
        Value::Object(part) => match part.get("text").or_else(|| part.get("content")) {
            Some(text) => plain_text(text),
            None if part.contains_key("type") || Media::read(value).is_some() => String::new(),
            None => value.to_string(),
        },
        other => text_or_json(other),
    }
}

fn text_or_json(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn text_at(value: &Value, keys: &[&str]) -> String {
    keys.iter().find_map(|key| value.get(key).and_then(Value::as_str)).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_openai_chat_calls_and_results() {
        let call = Message::read(
            r#"{"role":"assistant","content":null,
                "tool_calls":[{"id":"c1","type":"function","function":{"name":"get_order","arguments":"{\"id\":7}"}}]}"#,
        );
        assert_eq!(
            call.tool_calls,
            [ToolCall { id: "c1".into(), name: "get_order".into(), arguments: r#"{"id":7}"#.into() }]
        );
        let result = Message::read(r#"{"role":"tool","tool_call_id":"c1","name":"get_order","content":"not found"}"#);
        assert_eq!(result.tool_results[0].text, "not found");
        assert_eq!(result.tool_results[0].call_id, "c1");
        assert_eq!(result.text, "");
    }

    #[test]
    fn reads_anthropic_parts() {
        let call = Message::read(
            r#"{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"Looking."},
                {"type":"tool_use","id":"t1","name":"search","input":{"q":"x"}}]}"#,
        );
        assert_eq!((call.text.as_str(), call.tool_calls[0].arguments.as_str()), ("Looking.", r#"{"q":"x"}"#));
        let result = Message::read(
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,
                "content":[{"type":"text","text":"timeout"}]}]}"#,
        );
        assert!(result.tool_results[0].is_error);
        assert_eq!(result.tool_results[0].text, "timeout");
    }

    #[test]
    fn names_images_and_documents_in_words_and_results() {
        let asked = Message::read(
            r#"{"role":"user","content":[{"type":"text","text":"What is it?"},{"type":"image_url","image_url":{"url":"https://a.example/b"}}]}"#,
        );
        assert_eq!(
            (asked.text.as_str(), asked.media[0].to_string().as_str()),
            ("What is it?", "an image (at a.example)")
        );
        let result = Message::read(
            r#"{"role":"tool","tool_call_id":"c1","content":[{"type":"text","text":"done"},{"inlineData":{"mimeType":"image/png","data":"AAAA"}}]}"#,
        );
        assert_eq!((result.tool_results[0].text.as_str(), result.media.len()), ("done", 1));
    }

    #[test]
    fn reads_responses_items() {
        let call = Message::read(r#"{"type":"function_call","call_id":"f1","name":"run","arguments":"{}"}"#);
        assert_eq!((call.role.as_str(), call.tool_calls[0].name.as_str()), ("assistant", "run"));
        let output = Message::read(r#"{"type":"function_call_output","call_id":"f1","output":"done"}"#);
        assert_eq!((output.role.as_str(), output.tool_results[0].text.as_str()), ("tool", "done"));
    }

    #[test]
    fn makes_something_of_anything() {
        assert_eq!(Message::read("{}").role, "unknown");
        assert_eq!(Message::read(r#"{"role":7,"content":{"a":1}}"#).text, r#"{"a":1}"#);
        assert_eq!(Message::read(r#"{"n":1e999}"#).text, r#"{"n":1e999}"#);
    }
}
