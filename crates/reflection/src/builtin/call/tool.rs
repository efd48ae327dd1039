//! What a tool does, by its name and the names of its arguments.

use serde_json::Value;

use super::sql;
use crate::builtin::{arguments::Fields, arguments::value_text, reading};

/// A tool's name as its words, without the prefix that a client gave it.
pub(super) struct Name(Vec<String>);

const SHELLS: &str = "bash shell sh zsh terminal powershell exec cmd console command commands";
const DATABASES: &str = "sql postgres postgresql mysql sqlite bigquery snowflake duckdb psql";
const LOOKS: &str = "read view cat grep search find glob list ls tree browse browser screenshot logs tail head show \
    describe lookup docs navigate crawl scrape web";
const ASKS: &str = "get fetch retrieve query count check inspect status load suchen";
const ACTS: &str = "create delete update send post write set add remove book issue cancel insert put edit submit pay \
    refund move copy click fill press submit drag upload select choose";
const CHECKS: &str = "test tests lint compile typecheck pytest jest";

impl Name {
    pub(super) fn of(tool: &str) -> Self {
        let bare = tool.rsplit(['.', '/', ':']).next().unwrap_or(tool);
        let bare = bare.rsplit("__").next().unwrap_or(bare);
        let mut words: Vec<String> = vec![String::new()];
        let mut before = ' ';
        for letter in bare.chars().take(120) {
            let is_hump = letter.is_uppercase() && before.is_lowercase();
            if !letter.is_alphanumeric() || is_hump {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
                word.extend(letter.to_lowercase());
            }
            before = letter;
        }
        words.retain(|word| !word.is_empty());
        Self(words)
    }

    pub(super) fn has(&self, list: &str) -> bool {
        self.0.iter().any(|word| reading::lists(list, word))
    }

    /// Whether it shows something and cannot fail by what it shows.
    pub(super) fn only_looks(&self) -> bool {
        self.has(LOOKS) && !self.has(ACTS)
    }

    /// Whether what it shows is a text that somebody wrote, such as a file or a page, and not the answer of a service.
    pub(super) fn shows_what_others_wrote(&self, fields: Option<&Fields>) -> bool {
        const TEXTS: &str = "cat grep glob ls tree browse browser screenshot logs tail head docs crawl scrape web file files \
            directory dir folder page code text content notebook document documents snapshot kb wiki";
        const WHERE: [&str; 12] = [
            "path",
            "file_path",
            "filePath",
            "file",
            "filename",
            "url",
            "query",
            "pattern",
            "q",
            "directory",
            "regex",
            "uri",
        ];
        let has_place = fields.is_some_and(|fields| WHERE.iter().any(|key| fields.contains_key(*key)));
        self.0.len() < 2 || self.has(TEXTS) || has_place || fields.is_none()
    }

    /// Whether it is after an answer and changes nothing, though its answer may be an error.
    pub(super) fn asks(&self) -> bool {
        (self.has(LOOKS) || self.has(ASKS)) && !self.has(ACTS)
    }

    pub(super) fn checks(&self) -> bool {
        self.has(CHECKS) && !self.has(ACTS)
    }
}

/// The line that a shell is sent; a list of words is joined, and of `bash -lc LINE` it is the line.
pub(super) fn command_line(name: &Name, arguments: &str, fields: Option<&Fields>) -> Option<String> {
    let is_shell = name.has(SHELLS);
    let Some(fields) = fields else {
        let text = serde_json::from_str::<String>(arguments).unwrap_or_else(|_| arguments.to_owned());
        return (is_shell && !text.trim().is_empty()).then_some(text);
    };
    let named = |keys: &[&str]| keys.iter().find_map(|key| fields.get(*key).copied());
    let raw = match is_shell {
        true => named(&["command", "cmd", "commands", "script", "code", "input"])?,
        false => named(&["command", "cmd"])?,
    };
    match serde_json::from_str::<Value>(raw.get()).ok()? {
        Value::String(line) => Some(line),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            match words.as_slice() {
                [shell, flag, line] if shell.ends_with("sh") && flag.starts_with('-') => Some((*line).to_owned()),
                words => Some(words.join(" ")),
            }
        }
        _ => None,
    }
}

/// The SQL that a database is sent.
pub(super) fn statement(name: &Name, arguments: &str, fields: Option<&Fields>) -> Option<String> {
    let is_database = name.has(DATABASES);
    let Some(fields) = fields else {
        let text = serde_json::from_str::<String>(arguments).unwrap_or_else(|_| arguments.to_owned());
        return (sql::is_sql(&text) || (is_database && !text.trim().is_empty())).then_some(text);
    };
    let text = ["sql", "query", "statement", "command", "code", "input"].iter().find_map(|key| fields.get(*key));
    let text = value_text(text?);
    (is_database || sql::is_sql(&text)).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_known_by_the_words_of_their_names() {
        assert!(Name::of("mcp__fs__readFile").only_looks() && Name::of("web_search").only_looks());
        assert!(!Name::of("log_expense").only_looks() && !Name::of("check_stock").checks());
        assert!(!Name::of("browser_select_option").only_looks() && Name::of("browser_snapshot").only_looks());
        assert!(!Name::of("create_list").only_looks() && !Name::of("research").only_looks());
        assert!(Name::of("get_order").asks() && !Name::of("get_order").only_looks());
        assert!(Name::of("run_tests").checks() && !Name::of("latest").checks());
    }
}
