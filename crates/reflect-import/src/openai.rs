//! Conversations as OpenAI's chat API has them.

use reflect_core::Timestamp;
use serde_json::{Map, Value};

use crate::{
    Run,
    messages::{first_words, last_words, messages},
};

/// A line of a log: a conversation (`messages`), one with the completion that answered it (`choices`), or a `request` with its `response`.
pub(crate) fn run(record: &Value, number: u64) -> Result<Run, &'static str> {
    let request = record.get("request").or_else(|| record.get("body")).unwrap_or(record);
    let response = record.get("response").unwrap_or(record);
    let response = response.get("body").unwrap_or(response);
    let sent = request.get("messages").and_then(Value::as_array).ok_or("it has no list `messages`")?;
    let answered = response.get("choices").and_then(|choices| choices.get(0)).and_then(|choice| choice.get("message"));
    let said: Vec<Value> = sent.iter().chain(answered).flat_map(|message| messages(message, "assistant")).collect();
    let text = |name: &str| [record, response, request].into_iter().find_map(|part| part.get(name)?.as_str());
    let created = [record, response].into_iter().find_map(|part| part.get("created")?.as_i64());
    Ok(Run {
        // Without a name of its own, a record is told from others by what it says and where it stands.
        id: text("id").map_or_else(|| format!("{number} {record}"), str::to_owned),
        task: first_words(&said, "user").ok_or("no message of it is the user's")?,
        final_response: last_words(&said, "assistant").unwrap_or_default(),
        model: text("model").map(str::to_owned),
        metadata: record
            .get("metadata")
            .filter(|value| value.is_object())
            .cloned()
            .unwrap_or_else(|| Map::new().into()),
        created_at: created.map(|seconds| Timestamp::from_micros(seconds.saturating_mul(1_000_000))),
        messages: said,
        review: None,
    })
}
