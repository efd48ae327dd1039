//! Joins flags, environment and file into one value for each setting.
//!
//! A setting `retrieval_days` is the flag `--retrieval-days`, the variable `REFLECT_RETRIEVAL_DAYS` and the line
//! `retrieval_days = …` in the file; a secret can also stand in a file that `REFLECT_…_FILE` names. Flags win over the environment, that over the file, that over the default. For
//! providers of models the variables that other programs read (`OPENAI_API_KEY`) come after all of these.

use std::{collections::BTreeMap, os::unix::fs::PermissionsExt};

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
        if let Some(value) = secret_from_file(setting, &variable)? {
            raw.insert(setting.name, value);
        }
        // An empty variable is how many tools write an absent one.
        if let Some(value) = variable(&setting.variable()).filter(|value| !value.is_empty()) {
            raw.insert(setting.name, Raw { value, source: setting.variable() });
        }
        if let Some(value) = flag(setting.name) {
            raw.insert(setting.name, Raw { value, source: setting.flag() });
        }
    }
    take_common_variables(&mut raw, variable);
    Ok(raw)
}

/// A provider's settings, and the variables that other programs read for it.
struct CommonVariables {
    key_setting: &'static str,
    address_setting: &'static str,
    key: &'static str,
    address: &'static str,
    /// Whether the address means here what it means there.
    is_address_read: bool,
}

const COMMON_VARIABLES: [CommonVariables; 3] = [
    CommonVariables {
        key_setting: "openai_api_key",
        address_setting: "openai_base_url",
        key: "OPENAI_API_KEY",
        address: "OPENAI_BASE_URL",
        is_address_read: true,
    },
    CommonVariables {
        key_setting: "anthropic_api_key",
        address_setting: "anthropic_base_url",
        key: "ANTHROPIC_API_KEY",
        address: "ANTHROPIC_BASE_URL",
        is_address_read: false,
    },
    CommonVariables {
        key_setting: "gemini_api_key",
        address_setting: "gemini_base_url",
        key: "GEMINI_API_KEY",
        address: "GOOGLE_GEMINI_BASE_URL",
        is_address_read: false,
    },
];

/// Reads the variables that other programs read, where ours are not set. A key is for one address, so both come from the same place:
/// where one of ours is set none of theirs is read, and where their address is one that is not read here their key is not either. No
/// key ever goes to an address that it was not set for.
fn take_common_variables(raw: &mut RawSettings, variable: impl Fn(&str) -> Option<String>) {
    for common in &COMMON_VARIABLES {
        let theirs = |name: &str| variable(name).filter(|value| !value.is_empty());
        let address = theirs(common.address);
        let ours_are_set = raw.contains_key(common.key_setting) || raw.contains_key(common.address_setting);
        if ours_are_set || (address.is_some() && !common.is_address_read) {
            continue;
        }
        if let Some(value) = address {
            raw.insert(common.address_setting, Raw { value, source: common.address.to_owned() });
        }
        if let Some(value) = theirs(common.key) {
            raw.insert(common.key_setting, Raw { value, source: common.key.to_owned() });
        }
    }
}

/// The secret in the file that `…_FILE` names, without the line's end. A file that others can write is refused: it may hold theirs.
fn secret_from_file(
    setting: &options::Setting,
    variable: impl Fn(&str) -> Option<String>,
) -> anyhow::Result<Option<Raw>> {
    let (direct, source) = (setting.variable(), format!("{}_FILE", setting.variable()));
    let path = match variable(&source).filter(|path| !path.is_empty()) {
        Some(path) if setting.is_secret => path,
        _ => return Ok(None),
    };
    anyhow::ensure!(
        variable(&direct).is_none_or(|value| value.is_empty()),
        "`{direct}` and `{source}` are both set; set one of them"
    );
    let read = || anyhow::Ok((std::fs::metadata(&path)?, std::fs::read_to_string(&path)?));
    let (found, text) = read().with_context(|| format!("reading `{path}` (from {source})"))?;
    let mode = found.permissions().mode() & 0o777;
    anyhow::ensure!(
        mode & 0o022 == 0,
        "`{path}` (from {source}) has mode {mode:04o}, so that others may have written it: look whether it is yours, then `chmod 600` it"
    );
    Ok(Some(Raw { value: text.trim_end_matches(['\r', '\n']).to_owned(), source }))
}

/// The secrets that were given as flags, where everybody on the machine can read them.
pub(crate) fn secrets_in_flags(raw: &RawSettings) -> Vec<String> {
    let given = |setting: &&options::Setting| raw.get(setting.name).is_some_and(|raw| raw.source == setting.flag());
    options::all().filter(|setting| setting.is_secret).filter(given).map(options::Setting::flag).collect()
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
