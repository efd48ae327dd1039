//! Facts that a run had to find out: a name that does not exist, what there is instead, and which name worked.
//!
//! The words of the query that failed are left out, so that runs with different tasks that met the same fact tell it alike.

mod listing;
mod missing;
mod offers;

use std::collections::HashSet;

use reflect_core::Tells;

use super::{
    attempts::{Attempts, End},
    call::{Request, sql::Statement},
    changes::Changes,
    evidence::Evidence,
    pitfalls, reading, saying,
    steps::Step,
    told::Told,
    words,
};
use missing::{Kind, Missing};

/// A fact: names that do not exist, and what there is.
pub(super) struct Fact {
    kind: Kind,
    names: Vec<String>,
    /// The table that the names would have been columns of.
    table: Option<String>,
    /// What the run was shown when it asked: "`\dt` shows `a`, `b`".
    shown: Option<String>,
    /// What worked under another name.
    worked: Option<String>,
    tools: Vec<String>,
    /// The failures that it explains, by their first step.
    pub(super) failures: Vec<usize>,
}

impl Fact {
    pub(super) fn told(self) -> Told {
        let tells = if self.shown.is_none() && self.worked.is_none() { Tells::Pitfall } else { Tells::Fact };
        let names: Vec<String> = self.names.iter().map(|name| words::code(name, 80)).collect();
        let place = self.table.map(|table| format!(" in {}", words::code(&table, 80))).unwrap_or_default();
        let shown = self.shown.map(|shown| format!("; {shown}")).unwrap_or_default();
        let worked = self.worked.map(|worked| format!(" {worked}")).unwrap_or_default();
        let text = format!("There is no {} {}{place}{shown}.{worked}", self.kind.noun(), words::choice(&names));
        Told { tells, text, tools: self.tools }
    }

    /// Whether both are told in one sentence.
    fn goes_with(&self, other: &Self) -> bool {
        self.kind == other.kind
            && self.table == other.table
            && self.shown == other.shown
            && self.names.len() < 3
            && (self.shown.is_some() || self.kind == Kind::Column || self.worked == other.worked)
    }
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
        let Some(error) = attempts.step.failure().map(|failure| &failure.error) else { continue };
        let by_address = || missing::endpoint(error, attempts.step.arguments);
        let Some(missing) = Missing::read(error).or_else(by_address) else { continue };
        if let Some((_, at)) = seen.iter().find(|(known, _)| *known == missing) {
            if let Some(fact) = at.and_then(|at| facts.get_mut(at)) {
                fact.failures.push(attempts.first);
            }
            continue;
        }
        if seen.len() == NAMES {
            break;
        }
        let fact = Search { evidence, attempts, missing: &missing }.fact();
        let at = match fact {
            None => None,
            Some(fact) => match facts.iter_mut().enumerate().find(|(_, known)| known.goes_with(&fact)) {
                Some((at, known)) => {
                    let new = fact.names.into_iter().filter(|name| !known.names.contains(name)).collect::<Vec<_>>();
                    known.names.extend(new);
                    known.failures.extend(fact.failures);
                    known.worked = known.worked.take().or(fact.worked);
                    Some(at)
                }
                None => {
                    facts.push(fact);
                    Some(facts.len() - 1)
                }
            },
        };
        seen.push((missing, at));
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
    fn fact(&self) -> Option<Fact> {
        // In these clauses a column of the table may only not be there yet, or not any more.
        let error = self.attempts.step.failure()?.error.to_lowercase();
        if self.turned_up()
            || ["on", "having", "order"].iter().any(|clause| error.contains(&format!("'{clause} clause'")))
        {
            return None;
        }
        let (table, name) = match self.missing.kind {
            Kind::Column => {
                let (table, name) = self.column()?;
                (Some(table.to_owned()), name)
            }
            _ => (None, self.missing.name),
        };
        let replacement = self.replacement();
        let shown = match self.missing.kind.is_of_schema() {
            true => self.schema(),
            false => self.offered().or_else(|| self.listed(replacement.or_else(|| self.next_try()))),
        };
        // The columns that there are say it all, and the next query asks for others; unless what was asked for is elsewhere.
        let is_column = self.missing.kind == Kind::Column;
        let replacement = replacement.filter(|step| !is_column || shown.is_none() || self.asks_elsewhere(step));
        let worked = replacement.map(|step| format!("{} {}.", self.outline(step), saying::succeeded(step)));
        let is_told = match self.missing.kind.is_of_schema() {
            true => true,
            // Of an address it may be the thing that is not there, and not the place to ask for it.
            false if self.missing.kind == Kind::Endpoint && shown.is_none() && !self.names_it() => false,
            false => (worked.is_some() || shown.is_some()) && !self.has_changed(replacement),
        };
        if !is_told {
            return None;
        }
        let step = self.attempts.step;
        let Told { tools, .. } = Told::new(Tells::Fact, String::new(), &[step]);
        let (kind, failures) = (self.missing.kind, vec![self.attempts.first]);
        Some(Fact { kind, names: vec![name.to_owned()], table, shown, worked, tools, failures })
    }

    /// Whether the error itself says that there is no such thing.
    fn names_it(&self) -> bool {
        self.attempts.step.failure().is_some_and(|failure| Missing::read(&failure.error).is_some())
    }

    /// The next call of the same program that did not fail, where nothing tells more of it.
    fn next_try(&self) -> Option<&'s Step<'a>> {
        let failed = self.attempts.step;
        let is_flag = self.missing.kind == Kind::Flag;
        let mut later = self.later().filter(|step| is_flag && step.tool == failed.tool && step.failure().is_none());
        later.find(|step| pitfalls::is_another_try(failed, step) && !pitfalls::describes_itself(step))
    }

    fn later(&self) -> impl Iterator<Item = &'s Step<'a>> {
        self.evidence.steps.iter().skip(self.attempts.first + 1)
    }

    /// The table and the column that is missing in it.
    fn column(&self) -> Option<(&str, &str)> {
        self.attempts.step.request.sql()?.column(self.missing.name)
    }

    /// Whether a later call used the name with success: then there is such a thing, or there came to be.
    fn turned_up(&self) -> bool {
        let name = self.missing.name;
        let is_named = |step: &Step| match self.missing.kind {
            Kind::Tool => step.tool == name,
            // A sheet's name may begin with that of another.
            _ => [format!("{name}!"), format!("'{name}'!")].iter().any(|sheet| step.arguments.contains(sheet)),
        };
        if matches!(self.missing.kind, Kind::Tool | Kind::Sheet) {
            return self.later().any(|step| step.has_succeeded() && is_named(step));
        }
        self.later().filter(|step| step.has_succeeded()).any(|step| match (self.missing.kind, &step.request) {
            (Kind::Table, request) => request.sql().is_some_and(|statement| {
                !is_about_schema(statement) && statement.tables().iter().any(|table| bare(table) == name)
            }),
            (Kind::Column, request) => request.sql().zip(self.column()).is_some_and(|(statement, (table, column))| {
                !is_about_schema(statement)
                    && reading::names(&statement.text().replace('.', " "), column)
                    && statement.tables().contains(&table)
                    && statement.tables().len() == 1
            }),
            (_, Request::Edit(files)) => files.iter().any(|file| file.ends_with(name)),
            (_, Request::Command(command)) => {
                !command.is_reading()
                    && (command.files().iter().any(|file| file == name) || reading::names(command.shown(), name))
            }
            _ => reading::names(step.arguments, name),
        })
    }

    /// The first later call that asked for the same under another name, and worked. Where one has a name much like the missing one, it
    /// is that.
    fn replacement(&self) -> Option<&'s Step<'a>> {
        let failed = self.attempts.step;
        let is_other =
            |step: &&Step| step.has_worked_beside(failed) && step.tool == failed.tool && step.key != failed.key;
        // What only asks is no try at doing something.
        let is_try = |step: &&Step| pitfalls::only_shows(failed) || !pitfalls::only_shows(step);
        let worked = || self.later().filter(is_other).filter(is_try);
        match (self.missing.kind, failed.request.sql()) {
            (Kind::Tool, _) => offers::worked(self.later(), &failed.printed),
            (kind, Some(one)) if kind.is_of_schema() => {
                worked().find(|step| step.request.sql().is_some_and(|other| self.replaces(one, other)))
            }
            (kind, None) if kind.is_of_schema() => None,
            (kind, _) => {
                let is_alike = |step: &&Step| {
                    let new = offers::new_words(failed, step, offers::FEW);
                    kind.is_spelled()
                        && is_of_same_program(failed, step)
                        && new.iter().any(|word| offers::is_like(word, self.missing.name))
                };
                let is_renamed = |step: &&Step| {
                    !matches!(step.request, Request::Command(_))
                        && offers::is_renamed(failed.arguments, step.arguments, self.missing.name)
                        && !pitfalls::describes_itself(step)
                };
                let is_meant =
                    |step: &&Step| pitfalls::is_another_try(failed, step) && !pitfalls::describes_itself(step);
                worked().find(is_alike).or_else(|| worked().find(is_renamed)).or_else(|| worked().find(is_meant))
            }
        }
    }

    /// Whether a statement asks tables for it that the one that failed did not.
    fn asks_elsewhere(&self, step: &Step) -> bool {
        let (Some(failed), Some(other)) = (self.attempts.step.request.sql(), step.request.sql()) else { return false };
        other.tables().iter().any(|table| !failed.tables().contains(table))
    }

    /// The names that the answer itself offered: "the answer lists `a`, `b`".
    fn offered(&self) -> Option<String> {
        let names = offers::names(&self.attempts.step.printed);
        if self.missing.kind == Kind::Tool && !names.is_empty() {
            return Some(format!("the answer lists {}", self.selected(names)));
        }
        let failed = self.attempts.step;
        let [name] = names.as_slice() else { return None };
        let is_taken =
            |step: &Step| step.tool == failed.tool && step.has_worked_beside(failed) && step.arguments.contains(name);
        (failed.printed.contains("Did you mean") && self.later().any(is_taken))
            .then(|| format!("the error names {}", words::code(name, 80)))
    }

    /// Whether something was installed or edited before another call worked: then it may be there by now.
    fn has_changed(&self, worked: Option<&Step>) -> bool {
        let between = self.evidence.steps.get(self.attempts.first + 1..).unwrap_or_default();
        let until = between.iter().position(|step| worked.is_some_and(|worked| std::ptr::eq(step, worked)));
        let between = between.get(..until.unwrap_or_default()).unwrap_or_default();
        Changes::between(self.attempts.step, between, self.attempts.step, &[]).are_known()
    }

    /// Whether a statement took the place of one that named something missing.
    fn replaces(&self, failed: &Statement, other: &Statement) -> bool {
        let (before, after) = (failed.tables(), other.tables());
        if is_about_schema(other) || after.is_empty() || after.iter().all(|table| is_of_catalogue(table)) {
            return false;
        }
        match self.missing.kind {
            Kind::Column => self.column().is_some_and(|(table, _)| after.contains(&table)),
            _ => after.iter().any(|table| !before.contains(table)),
        }
    }

    fn outline(&self, step: &Step) -> String {
        let outline = step.request.sql().and_then(Statement::outline);
        match outline {
            Some(outline) if self.missing.kind == Kind::Table => words::code(&outline, saying::QUOTE),
            _ if self.missing.kind == Kind::Column => {
                step.request.sql().map(|statement| words::code(statement.text(), saying::QUOTE)).unwrap_or_default()
            }
            _ => saying::call(step),
        }
    }

    /// What the database said about itself: "`\dt` shows `a`, `b`".
    fn schema(&self) -> Option<String> {
        let is_asked =
            |name: &str| self.column().is_some_and(|(table, _)| bare(table).eq_ignore_ascii_case(bare(name)));
        let asked = self.later().filter(|step| step.has_succeeded()).find_map(|step| {
            let is_answer = match (self.missing.kind, step.request.sql()) {
                (Kind::Table, Some(statement)) => statement.lists_tables(),
                (_, Some(statement)) => statement.describes().is_some_and(|table| is_asked(&table)),
                (Kind::Table, None) => has_words(step.tool, "table", &["list", "show", "get"]),
                (_, None) => {
                    has_words(step.tool, "table", &["describe", "show", "get"])
                        && self.column().is_some_and(|(table, _)| reading::names(step.arguments, bare(table)))
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
                .filter(|step| step.has_succeeded())
                .filter_map(|step| step.request.sql())
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
        let is_flag = self.missing.kind == Kind::Flag;
        let mut new = offers::new_words(self.attempts.step, replacement, offers::MANY);
        new.retain(|word| !is_flag || word.starts_with('-'));
        let before = self.later().take_while(|step| !std::ptr::eq(*step, replacement));
        let is_asking = |step: &&Step| step.is_a_look() || pitfalls::describes_itself(step);
        let mut looks = before.filter(|step| is_asking(step) && step.failure().is_none());
        looks.find_map(|step| {
            let whole = offers::texts(&step.printed, self.attempts.step.arguments, replacement.arguments);
            let found = if whole.is_empty() {
                new.iter().filter(|word| reading::names(&step.printed, word)).take(offers::FEW).cloned().collect()
            } else {
                whole
            };
            let shown: Vec<String> = found.iter().map(|word| words::code(word, 64)).collect();
            (!shown.is_empty()).then(|| format!("{} shows {}", saying::call(step), shown.join(", ")))
        })
    }
}

/// Whether two calls run the same program, where they run programs: what installs a thing has its name, too.
fn is_of_same_program(one: &Step, other: &Step) -> bool {
    match (&one.request, &other.request) {
        (Request::Command(one), Request::Command(other)) => one.program() == other.program(),
        _ => true,
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
