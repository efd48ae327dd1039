//! Whether a JSON answer is an error, by its fields.

use std::collections::HashMap;

use serde_json::{Value, value::RawValue};

use super::{labels::says_something, telling};

/// What a text is, read as JSON.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// An error, and what it says.
    Error(String),
    /// JSON that is no error, whatever words are in it.
    Fine,
    /// Not JSON, or JSON that is one text: to be read as text.
    NotJson,
}

type Fields<'a> = HashMap<String, &'a RawValue>;

/// Judges an object by its own fields; what is nested deeper is data.
pub(super) fn judge(text: &str) -> Verdict {
    if text.starts_with("{'error':") {
        return judge_python_dict(text);
    }
    if text.starts_with('[') {
        return match serde_json::from_str::<&RawValue>(text) {
            Ok(_) => Verdict::Fine,
            Err(_) => Verdict::NotJson,
        };
    }
    if text.starts_with('"') {
        return match serde_json::from_str::<String>(text).ok().filter(|inner| super::opening_error(inner).is_some()) {
            Some(error) => Verdict::Error(error),
            None => Verdict::NotJson,
        };
    }
    if !text.starts_with('{') {
        return Verdict::NotJson;
    }
    match serde_json::from_str::<Fields>(text) {
        Ok(fields) => match judge_fields(&fields) {
            Some(message) if message.is_empty() => Verdict::Error(text.to_owned()),
            Some(message) => Verdict::Error(message),
            None => Verdict::Fine,
        },
        Err(_) => Verdict::NotJson,
    }
}

fn judge_python_dict(text: &str) -> Verdict {
    let said = text.trim_start_matches("{'error':").trim_end_matches('}').trim();
    let is_none = ["None", "False", "''", "\"\"", "0", "[]", "{}"].iter().any(|none| said.starts_with(none));
    if is_none {
        return Verdict::Fine;
    }
    Verdict::Error(said.trim_matches(['\'', '"']).to_owned())
}

fn judge_fields(fields: &Fields) -> Option<String> {
    for key in ["error", "errors", "exception", "error_message", "errorMessage"] {
        if let Some(said) = fields.get(key).and_then(|raw| said_error(raw)) {
            return Some(match said {
                Said::Words(message) => message,
                Said::Yes => explanation(fields),
            });
        }
    }
    is_failure(fields).then(|| explanation(fields))
}

enum Said {
    Words(String),
    Yes,
}

/// What an error field says; nothing when it says that there is none.
fn said_error(raw: &RawValue) -> Option<Said> {
    match serde_json::from_str::<Value>(raw.get()).ok()? {
        Value::Bool(true) => Some(Said::Yes),
        Value::String(text) => says_something(&text).then_some(Said::Words(text)),
        Value::Number(number) => (number.as_f64() != Some(0.0)).then_some(Said::Yes),
        Value::Object(object) if object.is_empty() => None,
        Value::Array(list) if list.is_empty() => None,
        Value::Object(object) => {
            let message = object.get("message").and_then(Value::as_str);
            Some(Said::Words(message.unwrap_or(raw.get()).to_owned()))
        }
        Value::Array(list) => {
            let first = list.first().map(|first| first.get("message").or(first.get("msg")).unwrap_or(first));
            let message = first.and_then(Value::as_str);
            Some(Said::Words(message.unwrap_or(raw.get()).to_owned()))
        }
        Value::Null | Value::Bool(false) => None,
    }
}

/// Whether another field says that the call failed. `"status": "failed"` alone may be about an order or a job; it
/// counts only beside an explanation.
fn is_failure(fields: &Fields) -> bool {
    let has = |keys: &[&str], wanted: &dyn Fn(&str) -> bool| {
        keys.iter().any(|key| fields.get(*key).is_some_and(|raw| wanted(raw.get().trim())))
    };
    let is_status = |raw: &str| raw.parse::<u16>().is_ok_and(|status| (400..600).contains(&status));
    let is_nonzero = |raw: &str| raw.parse::<i64>().is_ok_and(|code| code != 0);
    has(&["is_error", "isError"], &|raw| raw == "true")
        || has(&["success", "ok"], &|raw| raw == "false")
        || has(&["status", "status_code", "statusCode", "http_status"], &is_status)
        || has(&["exit_code", "exitCode", "returncode", "return_code", "exit_status"], &is_nonzero)
        || has(&["status"], &|raw| raw.eq_ignore_ascii_case("\"error\""))
        || (explained(fields).is_some()
            && has(&["status"], &|raw| matches!(raw.to_lowercase().as_str(), "\"failed\"" | "\"failure\"")))
}

/// Fields that hold the body of an answer beside its status.
const BODIES: [&str; 4] = ["body", "response", "data", "json"];

/// The field that explains a failure, in words: its own, or one of the body that came with its status.
fn explained(fields: &Fields) -> Option<String> {
    let own = ["message", "detail", "details", "reason", "error_description", "stderr", "title"]
        .iter()
        .filter_map(|key| serde_json::from_str::<String>(fields.get(*key)?.get()).ok())
        .find(|text| !text.trim().is_empty());
    own.or_else(|| {
        let body = BODIES.iter().find_map(|key| fields.get(*key))?;
        let inner: Fields = serde_json::from_str(body.get()).ok()?;
        let said = ["error", "errors", "detail"].iter().find_map(|key| match said_error(inner.get(*key)?)? {
            Said::Words(words) => Some(words),
            Said::Yes => None,
        });
        BODIES.iter().all(|key| !inner.contains_key(*key)).then_some(())?;
        // "Validation failed" alone does not say of what.
        let parts = [explained(&inner), said].into_iter().flatten().filter(|text| !text.trim().is_empty());
        let parts: Vec<String> = parts.collect();
        (!parts.is_empty()).then(|| parts.join(": "))
    })
}

/// That field's words, and of several lines the one that reads as an error. Empty when no field explains.
fn explanation(fields: &Fields) -> String {
    let text = explained(fields).unwrap_or_default();
    match telling(&text) {
        said if said.is_empty() => text,
        said => said,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_say_what_their_fields_say() {
        let cases = [
            (r#"{"error": "order not found"}"#, "order not found"),
            (r#"{"error": {"code": 7, "message": "quota"}}"#, "quota"),
            (r#"{"errors": [{"message": "bad field"}]}"#, "bad field"),
            (r#"{"error": true, "message": "no stock"}"#, "no stock"),
            (r#"{"success": false, "reason": "closed"}"#, "closed"),
            (r#"{"status": 404, "detail": "no such user"}"#, "no such user"),
            (r#"{"status": "failed", "message": "card declined"}"#, "card declined"),
            (r#"{"exit_code": 1, "stdout": "", "stderr": "x\nValueError: bad\n"}"#, "ValueError: bad"),
            (r#""Error: nope""#, "Error: nope"),
            ("{'error': 'no such table: orders'}", "no such table: orders"),
            (
                r#"{"status": 422, "json": {"message": "Invalid", "errors": [{"field": "a", "message": "a is too long"}]}}"#,
                "Invalid: a is too long",
            ),
            (r#"{"ok": false}"#, r#"{"ok": false}"#),
        ];
        for (text, message) in cases {
            assert_eq!(judge(text), Verdict::Error(message.into()), "{text}");
        }
    }

    #[test]
    fn fields_that_deny_an_error_are_fine() {
        let cases = [
            r#"{"error": null, "rows": 3}"#,
            r#"{"error": "", "rows": 3}"#,
            r#"{"error": false}"#,
            r#"{"errors": []}"#,
            r#"{"error": 0}"#,
            r#"{"error_rate": 0.4, "error_count": 3}"#,
            r#"{"status": "failed", "id": 7}"#,
            r#"{"status": 200}"#,
            r#"{"exit_code": 0, "stderr": "warning: Error: old"}"#,
            r#"{"title": "Order not found? Error: what to do"}"#,
            r#"{"items": [{"error": "nested"}]}"#,
            r#"[{"error": "one row of a log"}]"#,
            "{'error': None, 'rows': 3}",
            "{}",
        ];
        for text in cases {
            assert_eq!(judge(text), Verdict::Fine, "{text}");
        }
        assert_eq!(judge("{broken"), Verdict::NotJson);
        assert_eq!(judge("plain"), Verdict::NotJson);
    }
}
