//! Calls and results under labels: `Action:`, `Action Input:` and `Observation:`.

use std::collections::HashMap;

use serde_json::value::RawValue;

use super::Entry;

/// What a line opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Label {
    Action,
    Input,
    Observation,
    /// A thought, a question, an answer.
    Speech,
}

const LABELS: [(&str, Label); 6] = [
    ("Action Input:", Label::Input),
    ("Action:", Label::Action),
    ("Observation:", Label::Observation),
    ("Thought:", Label::Speech),
    ("Final Answer:", Label::Speech),
    ("Question:", Label::Speech),
];

/// What ends a run and calls nothing.
const ENDS: [&str; 3] = ["finish", "final answer", "none"];

/// The calls of a log that has at least one action with what came of it.
pub(super) fn read(text: &str) -> Vec<Entry<'_>> {
    let sections = sections(text);
    if !sections.iter().any(|(label, _)| *label == Label::Observation) {
        return Vec::new();
    }
    let mut entries: Vec<Entry> = Vec::new();
    let mut is_open = false;
    for (label, body) in sections {
        match label {
            Label::Action => {
                let entry = action(body).filter(|entry| !ENDS.contains(&entry.tool.to_lowercase().as_str()));
                is_open = entry.is_some();
                entries.extend(entry);
            }
            Label::Input if is_open => {
                if let Some(entry) = entries.last_mut() {
                    entry.arguments = without_fence(body);
                }
            }
            Label::Observation if is_open => {
                if let Some(entry) = entries.last_mut() {
                    entry.printed = body;
                }
                is_open = false;
            }
            _ => {}
        }
    }
    entries
}

/// The text under each label, in order.
fn sections(text: &str) -> Vec<(Label, &str)> {
    let mut openings: Vec<(Label, usize, usize)> = Vec::new();
    for (at, line) in super::lines(text) {
        let bare = line.trim_start();
        if let Some((sign, label)) = LABELS.iter().find(|(sign, _)| bare.starts_with(sign)) {
            openings.push((*label, at, at + line.len() - bare.len() + sign.len()));
        }
    }
    let ends = openings.iter().skip(1).map(|(_, start, _)| *start).chain([text.len()]);
    openings
        .iter()
        .zip(ends)
        .map(|((label, _, start), end)| (*label, text.get(*start..end).unwrap_or_default().trim()))
        .collect()
}

/// An action: a tool's name, `tool[arguments]`, or an object with both.
fn action(body: &str) -> Option<Entry<'_>> {
    let body = without_fence(body);
    if body.starts_with('{') {
        let fields: HashMap<&str, &RawValue> = serde_json::from_str(body).ok()?;
        let tool = fields.get("action")?.get().trim_matches('"');
        let arguments = fields.get("action_input").map(|raw| raw.get()).unwrap_or_default();
        return Some(Entry { tool, arguments, printed: "" });
    }
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || "_-. ".contains(letter));
    let opening = body.find(['[', '(']);
    let (tool, arguments) = match opening {
        Some(at) if body.ends_with([']', ')']) => (body.get(..at)?, body.get(at + 1..body.len() - 1)?),
        _ => (body.lines().next()?, ""),
    };
    let tool = tool.trim().trim_matches('`');
    is_name(tool).then_some(Entry { tool, arguments: arguments.trim(), printed: "" })
}

/// Without the three backticks around it.
fn without_fence(text: &str) -> &str {
    let Some(inside) = text.strip_prefix("```").and_then(|rest| rest.trim_end().strip_suffix("```")) else {
        return text;
    };
    inside.split_once('\n').map_or(inside, |(_, inside)| inside).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry<'a>(tool: &'a str, arguments: &'a str, printed: &'a str) -> Entry<'a> {
        Entry { tool, arguments, printed }
    }

    #[test]
    fn actions_are_read_with_their_observations() {
        let text = "Thought: look\nAction: bash\nAction Input: ls -l\nObservation: a\nb\n\nAction: book[garden, 19:00]\nObservation: ok\n\
            Action: finish[Done.]";
        assert_eq!(read(text), [entry("bash", "ls -l", "a\nb"), entry("book", "garden, 19:00", "ok")]);
        let json = "Action:\n```json\n{\"action\": \"find\", \"action_input\": {\"id\": 7}}\n```\nObservation: none";
        assert_eq!(read(json), [entry("find", r#"{"id": 7}"#, "none")]);
    }

    #[test]
    fn a_text_without_observations_is_no_log() {
        assert!(read("Action: call the customer\nThought: later").is_empty());
        assert!(read("Observation: the sky is blue.").is_empty());
    }
}
