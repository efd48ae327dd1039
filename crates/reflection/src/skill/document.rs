//! The document: printing it, and reading the statements back.
//!
//! A statement is one line: `- text (memories: id, id)`. Nothing in its text can begin another line, so a document holds exactly the
//! statements that were printed, whatever they say.

use std::fmt::Write;

use super::{SkillRequest, Statement, Statements, statements::one_line};
use crate::plain;

const WHAT_WORKS: &str = "## What works";
const PITFALLS: &str = "## Pitfalls";
const CITED: &str = " (memories: ";

/// The most characters of the description, and of one task in it.
const DESCRIPTION_LIMIT: usize = 300;
const TASK_LIMIT: usize = 80;

/// The name in the front matter: the project's in lower-case letters, digits and hyphens.
pub(super) fn name(project: &str) -> String {
    let folded: String = project
        .to_lowercase()
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' })
        .collect();
    let words: Vec<&str> = folded.split('-').filter(|word| !word.is_empty()).collect();
    let slug: String = words.join("-").chars().take(50).collect();
    match slug.trim_matches('-') {
        "" => "project-lessons".into(),
        slug => format!("{slug}-lessons"),
    }
}

/// What the skill is for, by the tasks that its lessons come from.
pub(super) fn description(request: &SkillRequest<'_>, statements: &Statements) -> String {
    let first_ids = [statements.what_works.first(), statements.pitfalls.first(), statements.what_works.get(1)];
    let mut tasks: Vec<String> = Vec::new();
    for id in first_ids.into_iter().flatten().filter_map(|statement| statement.memory_ids.first()) {
        let Some(memory) = request.memories.iter().find(|memory| memory.id == *id) else { continue };
        let task = plain::shortened(&one_line(crate::recalled::before(&memory.task)), TASK_LIMIT);
        if !task.is_empty() && !tasks.contains(&task) {
            tasks.push(task);
        }
    }
    let project = plain::shortened(&one_line(request.project), 60);
    let text = match tasks.is_empty() {
        true => format!("Lessons from reviewed runs of {project}."),
        false => format!("Lessons from reviewed runs of {project}. Read before tasks such as: {}.", tasks.join("; ")),
    };
    plain::shortened(&text, DESCRIPTION_LIMIT)
}

/// The whole document.
pub(super) fn print(project: &str, name: &str, description: &str, statements: &Statements) -> String {
    let mut text = format!("---\nname: {name}\ndescription: {}\n---\n\n", quoted(description));
    // Writing to a text cannot fail.
    let _ = writeln!(text, "# {}\n", harmless(&plain::shortened(&one_line(project), 80)));
    text.push_str("What reviewed runs have taught. Each line ends with the memories it stands on.\n");
    for (heading, list) in [(WHAT_WORKS, &statements.what_works), (PITFALLS, &statements.pitfalls)] {
        let _ = writeln!(text, "\n{heading}\n");
        if list.is_empty() {
            text.push_str("Nothing yet.\n");
        }
        for statement in list {
            let ids: Vec<String> = statement.memory_ids.iter().map(ToString::to_string).collect();
            let _ = writeln!(text, "- {}{CITED}{})", harmless(&one_line(&statement.text)), ids.join(", "));
        }
    }
    text
}

/// The statements of a document that was printed here; other lines are passed over.
pub(super) fn read(content: &str) -> Statements {
    let mut statements = Statements::default();
    let mut list = None;
    for line in content.lines() {
        match line.trim_end() {
            WHAT_WORKS => list = Some(&mut statements.what_works),
            PITFALLS => list = Some(&mut statements.pitfalls),
            line => {
                if let (Some(list), Some(statement)) = (list.as_mut(), read_line(line)) {
                    list.push(statement);
                }
            }
        }
    }
    statements
}

fn read_line(line: &str) -> Option<Statement> {
    let (text, ids) = line.strip_prefix("- ")?.strip_suffix(')')?.rsplit_once(CITED)?;
    let memory_ids: Result<Vec<_>, _> = ids.split(", ").map(str::parse).collect();
    Some(Statement { text: text.to_owned(), memory_ids: memory_ids.ok()? })
}

/// A YAML text in double quotes. JSON's way of quoting is valid YAML for every character that is left in.
fn quoted(text: &str) -> String {
    let printable: String =
        text.chars().filter(|character| !matches!(character, '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}')).collect();
    serde_json::Value::String(one_line(&printable)).to_string()
}

/// Keeps a text from hiding what comes after it.
pub(super) fn harmless(text: &str) -> String {
    text.replace("<!--", "&lt;!--")
}
