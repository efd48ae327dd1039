//! Traces of Langfuse, with their observations and scores.

use serde_json::{Map, Value, json};

use crate::{
    Run,
    messages::{first_words, last_words, messages},
    scores,
};

pub(crate) fn run(record: &Value) -> Result<Run, &'static str> {
    // A trace that was downloaded by itself stands beside its observations.
    let trace = record.get("trace").unwrap_or(record);
    let text = |name: &str| trace.get(name).and_then(Value::as_str);
    let list = |name: &str| trace.get(name).or_else(|| record.get(name)).and_then(Value::as_array);
    let mut observations: Vec<&Value> =
        list("observations").into_iter().flatten().filter(|one| one.is_object()).collect();
    observations.sort_by_key(|one| one.get("startTime").and_then(Value::as_str).unwrap_or_default());
    let asked = messages(trace.get("input").unwrap_or(&Value::Null), "user");
    let answered = messages(trace.get("output").unwrap_or(&Value::Null), "assistant");
    let tools = observations.iter().filter(|one| is_tool(one)).flat_map(|tool| tool_messages(tool));
    let said: Vec<Value> = asked.iter().cloned().chain(tools).chain(answered.iter().cloned()).collect();
    let verdicts = list("scores").into_iter().flatten().filter_map(verdict);
    Ok(Run {
        id: text("id").ok_or("it has no `id`")?.to_owned(),
        task: first_words(&asked, "user")
            .or_else(|| text("name").map(str::to_owned))
            .ok_or("it has neither `input` nor `name`")?,
        final_response: last_words(&answered, "assistant").unwrap_or_default(),
        model: observations.iter().find_map(|one| one.get("model")?.as_str()).map(str::to_owned),
        metadata: metadata(trace),
        review: scores::review(verdicts),
        created_at: text("timestamp").and_then(|time| time.parse().ok()),
        messages: said,
    })
}

fn is_tool(observation: &Value) -> bool {
    observation.get("type").and_then(Value::as_str) == Some("TOOL")
}

/// The call of a tool and its answer.
fn tool_messages(tool: &Value) -> [Value; 2] {
    let text = |name: &str| match tool.get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => String::new(),
    };
    let (id, name) = (text("id"), text("name"));
    let call = json!({"id": id, "type": "function", "function": {"name": name, "arguments": text("input")}});
    [
        json!({"role": "assistant", "content": "", "tool_calls": [call]}),
        json!({"role": "tool", "tool_call_id": id, "content": text("output")}),
    ]
}

fn verdict(score: &Value) -> Option<(bool, Option<String>)> {
    let word = score.get("stringValue").filter(|word| !word.is_null());
    let passed = word.and_then(scores::passes).or_else(|| scores::passes(score.get("value")?))?;
    Some((passed, score.get("comment").and_then(Value::as_str).map(str::to_owned)))
}

fn metadata(trace: &Value) -> Value {
    let mut metadata = trace.get("metadata").and_then(Value::as_object).cloned().unwrap_or_else(Map::new);
    for name in ["name", "userId", "sessionId", "environment", "tags"] {
        if let Some(value) = trace.get(name).filter(|value| !value.is_null()) {
            metadata.insert(name.to_owned(), value.clone());
        }
    }
    Value::Object(metadata)
}
