//! Every setting there is: its name, its default, what it means. Help, the example file and the README's table all come
//! from this list.
//!
//! A setting `retrieval_days` is the flag `--retrieval-days`, the variable `REFLECT_RETRIEVAL_DAYS` and the line
//! `retrieval_days = …` in the file. Flags win over the environment, that over the file, that over the default.

use std::collections::BTreeMap;

use anyhow::Context;

/// A setting.
pub(crate) struct Setting {
    pub(crate) name: &'static str,
    /// Empty: there is none, and `help` says what happens then.
    pub(crate) default: &'static str,
    pub(crate) help: &'static str,
}

const fn setting(name: &'static str, default: &'static str, help: &'static str) -> Setting {
    Setting { name, default, help }
}

/// All settings, in the order in which help prints them.
pub(crate) const SETTINGS: &[Setting] = &[
    setting("listen", "127.0.0.1:8000", "Where to listen, as ADDRESS:PORT; port 0 takes a free one"),
    setting("data", "./reflect-data", "The folder that holds everything; it is made if need be"),
    setting("master_key", "", "The key that opens every project; without it one is made and kept in DATA/master.key"),
    setting("bootstrap_token", "", "The token that lets its holder make a project; without it nobody can"),
    setting("alpha", "0.3", "How far one review moves the utility of a memory, from 0 to 1"),
    setting("lambda", "0.5", "The weight of utility against similarity in rankings, from 0 to 1"),
    setting("mmr_lambda", "0.7", "The weight of score against diversity in rankings, from 0 to 1; 1 is no diversity"),
    setting("similarity_threshold", "", "The floor on similarity, from -1 to 1; without it the embedder's own applies"),
    setting(
        "embedder",
        "builtin",
        "What makes the vectors of new projects: builtin, openai/MODEL or http/MODEL; more, after commas, can be switched to",
    ),
    setting(
        "embedder_url",
        "",
        "The endpoint of an embedder over HTTP, up to /v1; without it openai/MODEL is at OpenAI",
    ),
    setting("embedder_key", "", "The key of that endpoint, if it wants one"),
    setting("embedder_dimension", "", "How many numbers the vectors of that embedder have"),
    setting(
        "embedder_shorten",
        "no",
        "Whether that embedder is asked for this dimension, where it can shorten: yes or no",
    ),
    setting("embedder_batch", "32", "How many texts a request to that endpoint has at most"),
    setting("embedder_timeout", "10", "How many seconds one try of such a request may take"),
    setting("workers", "128", "How many lessons are written at the same time"),
    setting("max_attempts", "5", "How often a lesson is tried before its trace counts as failed"),
    setting("attempt_timeout", "60", "How many seconds one try may take"),
    setting("review_deadline", "30", "How many seconds the sender of a deferred review waits for the lesson at most"),
    setting(
        "queue_max_age",
        "60",
        "How many seconds behind the queue of lessons may fall before traces are turned away",
    ),
    setting(
        "index_memory",
        "4096",
        "How many MiB the indexes of all projects may take; the least recently used are let go",
    ),
    setting("llm", "builtin", "Who writes the lessons: builtin, or PROVIDER/MODEL (openai, anthropic, gemini, ollama)"),
    setting(
        "llm_models",
        "",
        "Further models, with commas between, that a project may pick; without it those named elsewhere",
    ),
    setting("judge", "off", "Who judges runs that nobody reviews: off, or PROVIDER/MODEL"),
    setting("judge_after", "3600", "How many seconds a run waits for a review before it is judged"),
    setting("judge_alpha", "0.1", "How far a judge's review moves the utility of a memory, from 0 to 1"),
    setting(
        "openai_base_url",
        "",
        "Where a server that speaks OpenAI's protocol is, up to /v1; without it OpenAI itself",
    ),
    setting("openai_api_key", "", "The key for it; the provider itself needs one"),
    setting(
        "anthropic_base_url",
        "",
        "Where a server that speaks Anthropic's protocol is, up to /v1; without it Anthropic itself",
    ),
    setting("anthropic_api_key", "", "The key for it; the provider itself needs one"),
    setting(
        "gemini_base_url",
        "",
        "Where a server that speaks Gemini's protocol is, up to /v1beta; without it Gemini itself",
    ),
    setting("gemini_api_key", "", "The key for it; the provider itself needs one"),
    setting("ollama_base_url", "", "Where Ollama is; without it http://127.0.0.1:11434"),
    setting("llm_timeout", "20", "How many seconds one call to a model may take"),
    setting("llm_retries", "2", "How often a failed call is repeated before rules stand in"),
    setting("llm_concurrency", "8", "How many calls to models run at the same time"),
    setting("llm_follow_ups", "12", "How often a model is asked again for a lesson that rules stood in for"),
    setting("llm_daily_limit", "", "How many US dollars models may cost in a day (UTC); without it there is no limit"),
    setting(
        "llm_prices",
        "",
        "US dollars for a million tokens, as MODEL=INPUT/OUTPUT with commas between, over the list prices that are known",
    ),
    setting(
        "llm_redact",
        "off",
        "Whether keys, addresses and numbers are struck from texts before a model or an embedder over HTTP sees them: on or off",
    ),
    setting("llm_redact_phones", "off", "Whether telephone numbers are struck as well: on or off"),
    setting(
        "llm_redact_patterns",
        "",
        "Regular expressions, with spaces between, of what else is struck; PATTERN=>LABEL leaves [LABEL] in its place",
    ),
    setting("metrics", "open", "Who may read /metrics: open to all, key for the master key alone, or off"),
    setting("retrieval_days", "30", "How many days the log of queries is kept"),
    setting("max_body_bytes", "8388608", "How many bytes a request may have"),
    setting("max_task_length", "32768", "How many characters a task may have"),
    setting("max_text_length", "1000000", "How many characters any other text of a request may have"),
    setting("max_list_length", "10000", "How many elements a list of a request may have, messages included"),
    setting("max_nesting", "64", "How deep the JSON of a request may nest"),
    setting("max_unpaged_list", "10000", "How many traces a list without a `limit` answers"),
    setting("log", "info", "What is logged to standard error: error, warn, info, debug, trace, or per module"),
    setting("log_format", "text", "How it is logged: text or json"),
];

/// Settings that help does not mention: they are for tests alone.
pub(crate) const HIDDEN: &[Setting] =
    &[setting("fault_reflector", "", "Makes every lesson fail: `permanent`, `temporary` or `hang`")];

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
    for setting in all() {
        let variable_name = format!("REFLECT_{}", setting.name.to_uppercase());
        // An empty variable is how many tools write an absent one.
        if let Some(value) = variable(&variable_name).filter(|value| !value.is_empty()) {
            raw.insert(setting.name, Raw { value, source: variable_name });
        }
        if let Some(value) = flag(setting.name) {
            raw.insert(setting.name, Raw { value, source: flag_name(setting.name) });
        }
    }
    Ok(raw)
}

pub(crate) fn flag_name(name: &str) -> String {
    format!("--{}", name.replace('_', "-"))
}

pub(crate) fn all() -> impl Iterator<Item = &'static Setting> {
    SETTINGS.iter().chain(HIDDEN)
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
        let setting = all().find(|setting| setting.name == key).with_context(|| {
            let names: Vec<&str> = SETTINGS.iter().map(|setting| setting.name).collect();
            format!("`{path}` has `{key}`, which is no setting; there are {}", names.join(", "))
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
