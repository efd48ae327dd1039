//! A context as the sections of a prompt.
//!
//! A heading is a line that begins with a square bracket, and no other line does: inside a section such lines get a
//! backslash in front, whatever stands before the bracket. So no text can open a section or end its own.

use serde_json::Value;

use crate::{
    Context, ReflectionHistory, ReflectionLevel, plain,
    prompt::{self, RunView},
};

/// How many past reflections are shown.
const META_REFLECTIONS: usize = 50;
const OTHER_REFLECTIONS: usize = 3;

/// How many tokens a run may take in the prompt.
const RUN_TOKENS: usize = 6_000;

/// The keys that come first, in this order.
const KNOWN: [(&str, &str); 3] = [("input", "Input"), ("output", "Output"), ("error", "Error")];

/// Every key that is there: input, output, error, iteration, then the others by name, then the run and the history.
pub(super) fn of(context: &Context<'_>, level: ReflectionLevel) -> String {
    let limit = if level == ReflectionLevel::Shallow { 2_000 } else { 20_000 };
    let mut sections: Vec<String> = Vec::new();
    for (key, title) in KNOWN {
        sections.extend(context.values().get(key).map(|value| section(title, &shown(value, limit))));
    }
    sections.extend(
        context.values().get("iteration").map(|value| format!("[Iteration] {}", one_line(&shown(value, limit)))),
    );
    let is_known = |key: &str| key == "iteration" || KNOWN.iter().any(|(known, _)| *known == key);
    let mut others: Vec<(&String, &Value)> = context.values().iter().filter(|(key, _)| !is_known(key)).collect();
    others.sort_by_key(|(key, _)| key.as_str());
    sections.extend(others.into_iter().map(|(key, value)| section(&title(key), &shown(value, limit))));
    if let Some(run) = context.run() {
        let tokens = if level == ReflectionLevel::Shallow { RUN_TOKENS / 4 } else { RUN_TOKENS };
        sections.push(section("Run", &prompt::render(&RunView::of(run), tokens, None)));
    }
    if let Some(history) = context.history() {
        sections.extend(past(history, level));
    }
    if level == ReflectionLevel::Shallow {
        sections.push(section("Length", "Be brief: at most one entry in each list."));
    }
    sections.join("\n")
}

/// A heading, and the text under it.
pub(super) fn section(title: &str, text: &str) -> String {
    format!("[{title}]\n{}", kept_inside(text))
}

fn past(history: &ReflectionHistory, level: ReflectionLevel) -> Vec<String> {
    let count = if level == ReflectionLevel::Meta { META_REFLECTIONS } else { OTHER_REFLECTIONS };
    let recent = history.get_recent(count);
    let lines: Vec<String> = recent
        .iter()
        .map(|result| {
            let parts = [("causes", result.root_causes()), ("suggestions", result.suggestions())];
            let details: String = parts
                .iter()
                .filter(|(_, texts)| !texts.is_empty())
                .map(|(name, texts)| format!(" {name}: {}.", plain::shortened(&one_line(&texts.join("; ")), 400)))
                .collect();
            let summary = plain::shortened(&one_line(result.summary()), 300);
            format!("- {} ({}): {summary}{details}", result.reflection_type(), result.level())
        })
        .collect();
    if lines.is_empty() {
        return Vec::new();
    }
    let mut sections = vec![section("Past reflections", &lines.join("\n"))];
    if level == ReflectionLevel::Meta {
        let counts = serde_json::to_string(&history.summarize()).unwrap_or_default();
        sections.push(section("Counts", &counts));
        let question = "Reflect on the past reflections themselves: what keeps coming back, which suggestions were repeated without effect, \
                        and what the reflections overlook.";
        sections.push(section("Question", question));
    }
    sections
}

fn shown(value: &Value, limit: usize) -> String {
    let text = match value {
        Value::Null => "(none)".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    plain::shortened(&text, limit)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A key as a heading: what could end the heading is left out.
fn title(key: &str) -> String {
    let spaced = key.replace('_', " ");
    let plain: String =
        spaced.chars().filter(|character| character.is_alphanumeric() || *character == ' ').take(40).collect();
    let mut letters = plain.trim().chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => "Other".into(),
    }
}

/// The text with a backslash before every line that looks like a heading. All kinds of line breaks count.
fn kept_inside(text: &str) -> String {
    let is_break =
        |character: char| matches!(character, '\n' | '\r' | '\u{B}' | '\u{C}' | '\u{85}' | '\u{2028}' | '\u{2029}');
    let is_blank =
        |character: char| !character.is_alphanumeric() && !character.is_ascii_punctuation() && !is_bracket(character);
    let lines = text.split(is_break).map(|line| match line.trim_start_matches(is_blank).starts_with(is_bracket) {
        true => format!("\\{line}"),
        false => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn is_bracket(character: char) -> bool {
    matches!(character, '[' | '［' | '【' | '〔' | '⟦')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sections_come_in_order_and_only_when_there() {
        let context = Context::new()
            .with("zeta", 1)
            .with("iteration", 5)
            .with("error", "E")
            .with("output", "O")
            .with("input", "I")
            .with("scores", serde_json::json!({"accuracy": 0.4}))
            .with("success", false);
        assert_eq!(
            of(&context, ReflectionLevel::Medium),
            "[Input]\nI\n[Output]\nO\n[Error]\nE\n[Iteration] 5\n[Scores]\n{\"accuracy\":0.4}\n[Success]\nfalse\n[Zeta]\n1"
        );
        assert_eq!(of(&Context::new().with("output", "O"), ReflectionLevel::Medium), "[Output]\nO");
    }

    proptest! {
        #[test]
        fn no_text_opens_a_section(text in "(\\PC|\n|\r|\u{2028}|\\[Error\\]){0,60}", key in "\\PC{0,20}") {
            let context = Context::new().with("input", &text).with("iteration", &text).with(format!("x{key}"), &text);
            let prompt = of(&context, ReflectionLevel::Medium);
            let headings = prompt.split('\n').filter(|line| line.starts_with('[')).count();
            prop_assert_eq!(headings, 3);
        }
    }
}
