//! The documents that list every setting, written from [`options`](crate::options).

use std::fmt::Write;

use crate::options::TOPICS;

const MARKDOWN_HEAD: &str = "\
# Settings

Every setting is a flag (`--retrieval-days 7`), a variable (`REFLECT_RETRIEVAL_DAYS=7`), or a line (`retrieval_days = 7`) of a TOML file
named by `--config` or `REFLECT_CONFIG`; [`reflect.toml`](reflect.toml) is such a file with every setting in it. Flags win over
variables, those over the file, that over the default.

This page and that file are written by `cargo xtask settings` from `crates/reflect/src/options.rs`.
";

const TOML_HEAD: &str = "\
# Every setting of `reflect serve`, with its default. Use it with --config FILE or REFLECT_CONFIG=FILE.
# Flags win over REFLECT_… variables, those over this file, that over the defaults.
";

/// How wide the comments of the TOML file are.
const LINE_WIDTH: usize = 120;

/// `docs/settings.md`: a table for each topic.
pub(crate) fn markdown() -> String {
    let mut text = MARKDOWN_HEAD.to_owned();
    for topic in TOPICS {
        let introduction = with_links(topic.introduction);
        let _ = write!(
            text,
            "\n## {}\n\n{introduction}\n\n| variable | default | what it means |\n|---|---|---|\n",
            topic.title
        );
        for setting in topic.settings {
            let default = if setting.default.is_empty() { "–".to_owned() } else { format!("`{}`", setting.default) };
            let _ = writeln!(text, "| `{}` | {default} | {} |", setting.variable(), setting.help);
        }
    }
    text
}

/// `docs/reflect.toml`: settings without a default are commented out, with an example.
pub(crate) fn toml() -> String {
    let mut text = TOML_HEAD.to_owned();
    for topic in TOPICS {
        let _ = write!(text, "\n## {}\n\n", topic.title);
        comment(&mut text, topic.introduction);
        for setting in topic.settings {
            text.push('\n');
            comment(&mut text, &format!("{}.", setting.help));
            let (mark, value) =
                if setting.default.is_empty() { ("# ", setting.example) } else { ("", setting.default) };
            let _ = writeln!(text, "{mark}{} = {}", setting.name, toml_value(value));
        }
    }
    text
}

/// Pages that are named, as links from their own folder.
fn with_links(text: &str) -> String {
    let words = text.split(' ').map(|word| match word.strip_prefix("docs/") {
        Some(page) => format!("[`{page}`]({page})"),
        None => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Writes a comment, broken into lines.
fn comment(text: &mut String, words: &str) {
    let mut width = LINE_WIDTH;
    for word in words.split(' ') {
        width += 1 + word.chars().count();
        if width > LINE_WIDTH {
            let is_first = text.ends_with('\n');
            text.push_str(if is_first { "#" } else { "\n#" });
            width = 2 + word.chars().count();
        }
        text.push(' ');
        text.push_str(word);
    }
    text.push('\n');
}

/// Numbers as they are, texts in quotes: single ones where a backslash or a quote is to stay one.
fn toml_value(value: &str) -> String {
    match (value.parse::<f64>().is_ok(), value.contains(['\\', '"'])) {
        (true, _) => value.to_owned(),
        (false, true) => format!("'{value}'"),
        (false, false) => format!("\"{value}\""),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_committed_documents_are_what_the_options_say() {
        let advice = "run `cargo xtask settings`";
        assert_eq!(super::markdown(), include_str!("../../../docs/settings.md"), "docs/settings.md is old: {advice}");
        assert_eq!(super::toml(), include_str!("../../../docs/reflect.toml"), "docs/reflect.toml is old: {advice}");
    }
}
