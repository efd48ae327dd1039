//! Runs of LangSmith. A trace is a run without a parent; the calls of tools below it are its steps. They may stand anywhere in the file, so
//! all runs are held until its end.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::{
    Run,
    messages::{first_words, last_words, messages},
    scores,
};

/// The runs of a file by the trace that they belong to.
#[derive(Default)]
pub(crate) struct Runs(BTreeMap<String, Vec<Value>>);

impl Runs {
    pub(crate) fn keep(&mut self, mut run: Value) -> Result<(), &'static str> {
        let text = |name: &str| run.get(name).and_then(Value::as_str).map(str::to_owned);
        let id = text("id").ok_or("it has no `id`")?;
        text("run_type").ok_or("it has no `run_type`")?;
        let trace_id = text("trace_id").unwrap_or(id);
        if let Some(Value::Array(children)) = run.get_mut("child_runs").map(Value::take) {
            for child in children {
                self.keep(child)?;
            }
        }
        self.0.entry(trace_id).or_default().push(run);
        Ok(())
    }

    /// The traces, oldest first.
    pub(crate) fn into_runs(self) -> Vec<Run> {
        let mut runs: Vec<Run> = self.0.into_values().filter_map(run).collect();
        runs.sort_by_key(|run| run.created_at);
        runs
    }
}

/// A trace out of its runs; `None` if the one that began it is not there, or says nothing.
fn run(mut runs: Vec<Value>) -> Option<Run> {
    runs.sort_by(|one, other| text(one, "dotted_order").cmp(&text(other, "dotted_order")));
    let root = runs.iter().find(|run| run.get("parent_run_id").is_none_or(Value::is_null))?;
    let asked = messages(root.get("inputs")?, "user");
    let answered = messages(root.get("outputs").unwrap_or(&Value::Null), "assistant");
    // An agent's output often repeats the whole conversation, tools included.
    let said: Vec<Value> = if answered.len() > asked.len() && answered.starts_with(&asked) {
        answered.clone()
    } else {
        let tools = runs.iter().filter(|run| text(run, "run_type") == Some("tool"));
        let tools = tools.flat_map(tool_messages);
        asked.iter().cloned().chain(tools).chain(answered.iter().cloned()).collect()
    };
    Some(Run {
        id: text(root, "id")?.to_owned(),
        task: first_words(&asked, "user")?,
        final_response: last_words(&answered, "assistant").unwrap_or_default(),
        model: runs.iter().find_map(model),
        metadata: metadata(root),
        review: scores::review(error(root).into_iter().chain(feedback(root))),
        created_at: text(root, "start_time").and_then(time),
        messages: said,
    })
}

fn text<'a>(run: &'a Value, name: &str) -> Option<&'a str> {
    run.get(name).and_then(Value::as_str)
}

/// LangSmith leaves the zone out: it is UTC.
fn time(text: &str) -> Option<reflect_core::Timestamp> {
    text.parse().or_else(|_| format!("{text}Z").parse()).ok()
}

fn model(run: &Value) -> Option<String> {
    let metadata =
        run.pointer("/extra/metadata/ls_model_name").or_else(|| run.pointer("/extra/invocation_params/model"));
    metadata?.as_str().map(str::to_owned)
}

fn metadata(root: &Value) -> Value {
    let kept = root.pointer("/extra/metadata").and_then(Value::as_object).cloned().unwrap_or_else(Map::new);
    let mut kept: Map<String, Value> = kept.into_iter().filter(|(name, _)| !name.starts_with("ls_")).collect();
    for name in ["name", "session_name", "tags"] {
        if let Some(value) = root.get(name).filter(|value| !value.is_null()) {
            kept.insert(name.to_owned(), value.clone());
        }
    }
    Value::Object(kept)
}

fn tool_messages(run: &Value) -> [Value; 2] {
    let inputs = run.get("inputs").unwrap_or(&Value::Null);
    let arguments = inputs.get("input").and_then(Value::as_str).map_or_else(|| inputs.to_string(), str::to_owned);
    let outputs = run.get("outputs").unwrap_or(&Value::Null);
    let output = outputs.get("output").unwrap_or(outputs);
    let output = output.get("content").unwrap_or(output);
    let output = output.as_str().map_or_else(|| output.to_string(), str::to_owned);
    let call = json!({"name": text(run, "name").unwrap_or_default(), "arguments": arguments});
    [
        json!({"role": "assistant", "content": "", "tool_calls": [{"id": run.get("id"), "type": "function", "function": call}]}),
        json!({"role": "tool", "tool_call_id": run.get("id"), "content": text(run, "error").unwrap_or(&output)}),
    ]
}

/// A run that broke off has failed.
fn error(root: &Value) -> Option<(bool, Option<String>)> {
    Some((false, Some(text(root, "error")?.to_owned())))
}

/// What people and evaluators said, by the names of their scores.
fn feedback(root: &Value) -> Vec<(bool, Option<String>)> {
    let stats = root.get("feedback_stats").and_then(Value::as_object);
    let verdicts = stats.into_iter().flatten().filter_map(|(_, stats)| {
        let comments = stats.get("comments").and_then(Value::as_array);
        let comments: Vec<&str> = comments.into_iter().flatten().filter_map(Value::as_str).collect();
        Some((scores::passes(stats.get("avg")?)?, Some(comments.join("\n"))))
    });
    verdicts.collect()
}
