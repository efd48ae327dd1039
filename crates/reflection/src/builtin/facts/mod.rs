//! Facts that a run had to find out: a name that does not exist, what there is instead, and which name worked.
//!
//! The words of the query that failed are left out, so that runs with different tasks that met the same fact tell it alike.

mod listing;
mod missing;

use std::collections::HashSet;

use reflect_core::Tells;

use super::{
    attempts::{Attempts, End},
    call::{Request, sql::Statement},
    evidence::Evidence,
    pitfalls, reading, saying,
    steps::Step,
    told::Told,
    words,
};
use missing::{Kind, Missing};

/// A fact, and the failures that it explains, by their first step.
pub(super) struct Fact {
    pub(super) told: Told,
    pub(super) failures: Vec<usize>,
}

/// How many missing names are looked into. Each takes a look at what came after it.
const NAMES: usize = 8;

/// How many names of a list are shown.
const SHOWN: usize = 12;

/// The facts of a run, one for each name.
pub(super) fn read(evidence: &Evidence, attempts: &[Attempts]) -> Vec<Fact> {
    let mut facts: Vec<Fact> = Vec::new();
    let mut seen: Vec<(Missing, Option<usize>)> = Vec::new();
    for attempts in
        attempts.iter().filter(|attempts| attempts.end != End::Unknown && !matches!(attempts.end, End::Passed(_)))
    {
        let Some(missing) = attempts.step.failure().and_then(|failure| Missing::read(&failure.error)) else { continue };
        if let Some((_, fact)) = seen.iter().find(|(known, _)| *known == missing) {
            if let Some(fact) = fact.and_then(|at| facts.get_mut(at)) {
                fact.failures.push(attempts.first);
            }
            continue;
        }
        if seen.len() == NAMES {
            break;
        }
        let told = Search { evidence, attempts, missing: &missing }.fact();
        seen.push((missing, told.is_some().then_some(facts.len())));
        facts.extend(told.map(|told| Fact { told, failures: vec![attempts.first] }));
    }
    facts
}

/// The look at what came after a failure.
struct Search<'s, 'a> {
    evidence: &'s Evidence<'a>,
    attempts: &'s Attempts<'s, 'a>,
    missing: &'s Missing<'s>,
}

impl<'s, 'a> Search<'s, 'a> {
    fn fact(&self) -> Option<Told> {
        if self.turned_up() {
            return None;
        }
        let replacement = self.replacement();
        let shown = match self.missing.kind.is_of_schema() {
            true => self.schema(),
            false => self.listed(replacement.map(|(_, step)| step)),
        };
        let worked = replacement.map(|(_, step)| format!(" {} {}.", self.outline(step), saying::succeeded(step)));
        if shown.is_none() && worked.is_none() && !self.missing.kind.is_of_schema() {
            return None;
        }
        let tells = if shown.is_none() && worked.is_none() { Tells::Pitfall } else { Tells::Fact };
        let mut text = format!("There is no {} {}", self.missing.kind.noun(), words::code(self.missing.name, 80));
        if let Some(table) = self.only_table() {
            text.push_str(&format!(" in {}", words::code(table, 80)));
        }
        if let Some(shown) = shown {
            text.push_str("; ");
            text.push_str(&shown);
        }
        text.push('.');
        text.push_str(&worked.unwrap_or_default());
        Some(Told::new(tells, text, &[self.attempts.step]))
    }

    fn later(&self) -> impl Iterator<Item = (usize, &'s Step<'a>)> {
        self.evidence.steps.iter().enumerate().skip(self.attempts.first + 1)
    }

    /// The table that a column was asked of, where it can only be that one.
    fn only_table(&self) -> Option<&'s str> {
        let tables = self.attempts.step.request.sql()?.tables();
        match (self.missing.kind, tables.as_slice()) {
            (Kind::Column, [table]) => Some(table),
            _ => None,
        }
    }

    /// Whether a later call used the name with success: then there is such a thing, or there came to be.
    fn turned_up(&self) -> bool {
        let name = self.missing.name;
        self.later().filter(|(_, step)| step.has_succeeded()).any(|(_, step)| {
            match (self.missing.kind, &step.request) {
                (Kind::Table, request) => request.sql().is_some_and(|statement| {
                    !is_about_schema(statement) && statement.tables().iter().any(|table| bare(table) == name)
                }),
                (Kind::Column, request) => request.sql().is_some_and(|statement| {
                    !is_about_schema(statement)
                        && reading::names(statement.text(), name)
                        && self.only_table().is_none_or(|table| statement.tables().contains(&table))
                }),
                (_, Request::Edit(files)) => files.iter().any(|file| file.ends_with(name)),
                (_, Request::Command(command)) => {
                    !command.is_reading()
                        && (command.files().iter().any(|file| file == name) || reading::names(command.shown(), name))
                }
                _ => reading::names(step.arguments, name),
            }
        })
    }

    /// The first later call that asked for the same under another name, and worked.
    fn replacement(&self) -> Option<(usize, &'s Step<'a>)> {
        let failed = self.attempts.step;
        self.later()
            .filter(|(_, step)| step.has_succeeded() && step.tool == failed.tool && step.key != failed.key)
            .find(|(_, step)| match (self.missing.kind.is_of_schema(), failed.request.sql(), step.request.sql()) {
                (true, Some(one), Some(other)) => self.replaces(one, other),
                (true, ..) => false,
                (false, ..) => pitfalls::is_another_try(failed, step),
            })
    }

    /// Whether a statement took the place of one that named something missing.
    fn replaces(&self, failed: &Statement, other: &Statement) -> bool {
        let (before, after) = (failed.tables(), other.tables());
        if is_about_schema(other) || after.is_empty() || after.iter().all(|table| is_of_catalogue(table)) {
            return false;
        }
        match self.missing.kind {
            Kind::Column => before.first() == after.first(),
            _ => after.iter().any(|table| !before.contains(table)),
        }
    }

    fn outline(&self, step: &Step) -> String {
        let outline = step.request.sql().and_then(Statement::outline);
        match outline {
            Some(outline) if self.missing.kind == Kind::Table => words::code(&outline, saying::QUOTE),
            _ => saying::call(step),
        }
    }

    /// What the database said about itself: "`\dt` shows `a`, `b`".
    fn schema(&self) -> Option<String> {
        let failed = self.attempts.step.request.sql()?;
        let asked = self.later().filter(|(_, step)| step.has_succeeded()).find_map(|(_, step)| {
            let is_answer = match (self.missing.kind, step.request.sql()) {
                (Kind::Table, Some(statement)) => statement.lists_tables(),
                (_, Some(statement)) => statement.describes().is_some_and(|table| {
                    failed.tables().iter().any(|asked| bare(asked).eq_ignore_ascii_case(bare(&table)))
                }),
                (Kind::Table, None) => has_words(step.tool, "table", &["list", "show", "get"]),
                (_, None) => {
                    has_words(step.tool, "table", &["describe", "show", "get"])
                        && failed.tables().iter().any(|table| reading::names(step.arguments, bare(table)))
                }
            };
            let names = if is_answer { listing::names(&step.printed) } else { Vec::new() };
            (!names.is_empty() && !names.iter().any(|name| name == self.missing.name)).then_some((step, names))
        });
        let (step, names) = asked?;
        let question = match step.request.sql() {
            Some(statement) => words::code(statement.text(), 60),
            None => step.tool_name(),
        };
        Some(format!("{question} shows {}", self.selected(names)))
    }

    /// The names of a list that are shown: all of a short one, of a long one those that were used later first.
    fn selected(&self, names: Vec<String>) -> String {
        let total = names.len();
        let mut names = names;
        if total > SHOWN {
            let used: HashSet<String> = self
                .later()
                .filter(|(_, step)| step.has_succeeded())
                .filter_map(|(_, step)| step.request.sql())
                .flat_map(|statement| {
                    statement.text().split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
                })
                .map(str::to_lowercase)
                .collect();
            names.sort_by_key(|name| !used.contains(&name.to_lowercase()));
            names.truncate(SHOWN);
        }
        let shown: Vec<String> = names.iter().map(|name| words::code(name, 64)).collect();
        match total.saturating_sub(shown.len()) {
            0 => shown.join(", "),
            more => format!("{} and {more} more", shown.join(", ")),
        }
    }

    /// A look between the failure and what worked that shows what the latter has new: "`ls conf` shows `app.yaml`".
    fn listed(&self, replacement: Option<&Step>) -> Option<String> {
        let replacement = replacement?;
        let new = new_words(self.attempts.step, replacement);
        let before = self.later().take_while(|(_, step)| !std::ptr::eq(*step, replacement));
        let mut looks = before.filter(|(_, step)| step.is_a_look() && step.has_succeeded());
        looks.find_map(|(_, step)| {
            let shown: Vec<String> = new
                .iter()
                .filter(|word| reading::names(&step.printed, word))
                .map(|word| words::code(word, 64))
                .collect();
            (!shown.is_empty()).then(|| format!("{} shows {}", saying::call(step), shown.join(", ")))
        })
    }
}

/// A table's name without its schema.
fn bare(table: &str) -> &str {
    table.rsplit('.').next().unwrap_or(table)
}

fn is_about_schema(statement: &Statement) -> bool {
    statement.lists_tables() || statement.describes().is_some()
}

fn is_of_catalogue(table: &str) -> bool {
    let small = table.to_lowercase();
    small.starts_with("information_schema") || small.starts_with("pg_") || small.starts_with("sqlite_")
}

/// Whether a tool's name has one word and one of others: `list_tables`, `get_table_schema`.
fn has_words(tool: &str, one: &str, others: &[&str]) -> bool {
    let small = tool.to_lowercase();
    (small.contains(one) || small.contains("schema")) && others.iter().any(|other| small.contains(other))
}

/// The words that one call has and another has not, at most a few.
fn new_words(before: &Step, after: &Step) -> Vec<String> {
    let is_part = |letter: char| letter.is_alphanumeric() || "_-.".contains(letter);
    let words = |step: &Step| -> Vec<String> {
        let text = match &step.request {
            Request::Command(command) => command.shown().to_owned(),
            _ => words::fold(step.arguments, 2_000),
        };
        text.split(|letter: char| !is_part(letter)).map(|word| word.trim_matches('.').to_owned()).collect()
    };
    let old: HashSet<String> = words(before).into_iter().collect();
    let mut new: Vec<String> = Vec::new();
    for word in words(after) {
        if word.chars().nth(2).is_some() && !old.contains(&word) && !new.contains(&word) && new.len() < 3 {
            new.push(word);
        }
    }
    new
}
