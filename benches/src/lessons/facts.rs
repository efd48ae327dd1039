//! The facts of a task, and texts with their names in them.

use std::{collections::BTreeMap, fmt};

use serde::Deserialize;

/// What varies from task to task: names, numbers, tables.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct Facts(BTreeMap<String, Fact>);

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum Fact {
    Number(i64),
    Text(String),
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => text.fmt(f),
        }
    }
}

impl Facts {
    /// The text with every `{name}` replaced by the fact of that name.
    pub(super) fn fill(&self, template: &str) -> String {
        self.replace(template, |fact| fact)
    }

    /// The regular expression with facts in it that match themselves.
    pub(super) fn fill_pattern(&self, pattern: &str) -> String {
        self.replace(pattern, |fact| regex::escape(&fact))
    }

    fn replace(&self, template: &str, write: impl Fn(String) -> String) -> String {
        let filled = |text: String, (name, fact): (&String, &Fact)| {
            text.replace(&format!("{{{name}}}"), &write(fact.to_string()))
        };
        self.0.iter().fold(template.to_owned(), filled)
    }
}
