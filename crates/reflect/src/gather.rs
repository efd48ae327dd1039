//! Joins flags, environment and file into one value for each setting.
//!
//! A setting `retrieval_days` is the flag `--retrieval-days`, the variable `REFLECT_RETRIEVAL_DAYS` and the line
//! `retrieval_days = …` in the file. Flags win over the environment, that over the file, that over the default.

use std::collections::BTreeMap;

use anyhow::Context;

use crate::options;

/// A value with the place it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Raw {
    pub(crate) value: String,
    pub(crate) source: String,
}

/// The values that were given, by the names of their settings.
pub(crate) type RawSettings = BTreeMap<&'static str, Raw>;

/// Joins flags, environment and file. `flag` and `variable` look a value up by its name there.
pub(crate) fn gather(
    flag: impl Fn(&str) -> Option<String>,
    variable: impl Fn(&str) -> Option<String>,
    file: Option<(&str, &str)>,
) -> anyhow::Result<RawSettings> {
    let mut raw = match file {
        Some((path, text)) => read_file(path, text)?,
        None => RawSettings::new(),
    };
    for setting in options::all() {
        // An empty variable is how many tools write an absent one.
        if let Some(value) = variable(&setting.variable()).filter(|value| !value.is_empty()) {
            raw.insert(setting.name, Raw { value, source: setting.variable() });
        }
        if let Some(value) = flag(setting.name) {
            raw.insert(setting.name, Raw { value, source: setting.flag() });
        }
    }
    Ok(raw)
}

/// What is wrong with the file and where, without the line itself: it may hold a secret.
fn unreadable(path: &str, text: &str, error: &toml::de::Error) -> anyhow::Error {
    let line =
        error.span().and_then(|span| text.get(..span.start)).map_or(1, |before| before.matches('\n').count() + 1);
    anyhow::anyhow!("`{path}` is not valid TOML: line {line}: {}", error.message())
}

fn read_file(path: &str, text: &str) -> anyhow::Result<RawSettings> {
    let table: toml::Table = text.parse().map_err(|error| unreadable(path, text, &error))?;
    let mut raw = RawSettings::new();
    for (key, value) in table {
        let setting = options::all().find(|setting| setting.name == key).with_context(|| {
            let names: Vec<&str> = options::shown().map(|setting| setting.name).collect();
            format!("`{path}` has `{key}`, which is not a setting; the settings are {}", names.join(", "))
        })?;
        let value = match value {
            toml::Value::String(text) => text,
            toml::Value::Integer(number) => number.to_string(),
            toml::Value::Float(number) => number.to_string(),
            other => anyhow::bail!("`{path}` has `{key}` as {}; it must be a text or a number", other.type_str()),
        };
        raw.insert(setting.name, Raw { value, source: path.to_owned() });
    }
    Ok(raw)
}
