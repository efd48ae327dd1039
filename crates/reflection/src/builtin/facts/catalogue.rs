//! A database as it showed itself to a run: its tables, and the columns of some of them.
//!
//! Each is told as a statement of its own, in the order of names, whatever the run had missed and however it asked. So runs that
//! found out the same tell it in the same words.

use std::collections::{HashMap, HashSet};

use reflect_core::Tells;

use super::{answer, bare, listing};
use crate::builtin::{
    arguments::{fields, value_text},
    call::{schema::Question, sql::Statement},
    evidence::Evidence,
    steps::Step,
    told::{LIMIT, Told},
    words,
};

/// The room that the names of tables may take in a lesson.
const TABLES_ROOM: usize = 240;

/// The room of the words around the names, and of the names of the lesson's parts.
const WORDS_ROOM: usize = 110;

/// Schemas of the databases' own.
const OWN_SCHEMAS: [&str; 5] = ["information_schema", "mysql", "performance_schema", "sys", "pg_catalog"];

/// A list of names that a run was shown.
struct Listed<'s, 'a> {
    step: &'s Step<'a>,
    /// The table or the schema, where the question names one.
    of: Option<String>,
    names: Vec<String>,
}

/// The part of a database's schema that a run was shown, as it was in the end.
#[derive(Default)]
pub(super) struct Catalogue<'s, 'a> {
    tables: Option<Listed<'s, 'a>>,
    /// By the table's name in small letters.
    columns: HashMap<String, Listed<'s, 'a>>,
}

impl<'s, 'a> Catalogue<'s, 'a> {
    pub(super) fn read(evidence: &'s Evidence<'a>) -> Self {
        let mut catalogue = Self::default();
        for step in evidence.steps.iter().filter(|step| step.has_succeeded()) {
            if step.request.sql().is_some_and(Statement::changes_schema) {
                catalogue = Self::default();
            }
            if let Some(question) = question(step) {
                let names = answer::names(step, &question, evidence);
                catalogue.take(step, question, names);
            }
        }
        catalogue
    }

    fn take(&mut self, step: &'s Step<'a>, question: Question, names: Vec<String>) {
        match question {
            _ if names.is_empty() => {}
            Question::Tables { of } if of.as_deref().is_some_and(is_own) => {}
            Question::Tables { of } => self.tables = Some(Listed { step, of, names }),
            Question::Columns { of } => {
                let known = self.columns.get(&key(&of)).map_or(0, |known| known.names.len());
                if names.len() > known {
                    self.columns.insert(key(&of), Listed { step, of: Some(bare(&of).to_owned()), names });
                }
            }
        }
    }

    pub(super) fn has_tables(&self) -> bool {
        self.tables.is_some()
    }

    pub(super) fn has_columns_of(&self, table: &str) -> bool {
        self.columns.contains_key(&key(table))
    }

    /// The tables, then the columns of these tables, as far as they are known; where the tables are not, of any that the run asked for.
    pub(super) fn told(&self, evidence: &Evidence, of: &[String]) -> Vec<Told> {
        let used = names_used(evidence);
        let tables = self.tables.as_ref().map(|tables| tables.told_as_tables(evidence, &used));
        let mut room = LIMIT.saturating_sub(WORDS_ROOM + tables.as_ref().map_or(0, |told| told.text.chars().count()));
        let mut wanted: Vec<String> =
            of.iter().map(|table| key(table)).filter(|key| self.has_columns_of(key)).collect();
        if wanted.is_empty() && tables.is_none() {
            wanted = self.columns.keys().cloned().collect();
        }
        wanted.sort();
        wanted.dedup();
        let mut told: Vec<Told> = tables.into_iter().collect();
        for columns in wanted.iter().filter_map(|key| self.columns.get(key)) {
            if told.len() < 2 {
                let one = columns.told_as_columns(&used, room);
                room = room.saturating_sub(one.text.chars().count());
                told.push(one);
            }
        }
        told
    }
}

impl Listed<'_, '_> {
    fn told_as_tables(&self, evidence: &Evidence, used: &HashSet<String>) -> Told {
        let of = self.of.as_deref().filter(|of| !self.is_where_the_run_is(of, evidence));
        let of = of.map(|of| format!(" of {}", words::code(of, 64))).unwrap_or_default();
        let names = self.selected(used, TABLES_ROOM);
        let text = match self.names.len() {
            1 => format!("The only table{of} is {names}."),
            _ => format!("The tables{of} are {names}."),
        };
        Told::new(Tells::Fact, text, &[self.step])
    }

    fn told_as_columns(&self, used: &HashSet<String>, room: usize) -> Told {
        let table = words::code(self.of.as_deref().unwrap_or_default(), 64);
        let noun = if self.names.len() == 1 { "column" } else { "columns" };
        let text = format!("{table} has the {noun} {}.", self.selected(used, room));
        Told::new(Tells::Fact, text, &[self.step])
    }

    /// Whether tables of this schema go by their names alone.
    fn is_where_the_run_is(&self, schema: &str, evidence: &Evidence) -> bool {
        let is_used = |step: &Step| {
            let statement = step.request.sql().filter(|_| step.has_succeeded());
            statement.is_some_and(|statement| {
                statement.tables().iter().any(|table| self.names.iter().any(|name| name.eq_ignore_ascii_case(table)))
            })
        };
        matches!(schema.to_lowercase().as_str(), "public" | "dbo" | "main")
            || answer::errors_name(evidence, schema)
            || evidence.steps.iter().any(is_used)
    }

    /// The names in their order; of more than there is room for those that the run used before others.
    fn selected(&self, used: &HashSet<String>, room: usize) -> String {
        let quoted = |name: &String| words::code(name, 64);
        let mut names: Vec<&String> = self.names.iter().collect();
        names.sort_by_key(|name| name.to_lowercase());
        let mut length = 0;
        let mut fits = |name: &&String| {
            length += quoted(name).chars().count() + 2;
            length <= room
        };
        if !names.iter().all(&mut fits) {
            length = 0;
            let mut fits = |name: &&String| {
                length += quoted(name).chars().count() + 2;
                length + " and 99 more".len() <= room
            };
            names.sort_by_key(|name| !used.contains(&name.to_lowercase()));
            let fitting = names.iter().take_while(|name| fits(name)).count();
            names.truncate(fitting.max(1));
            names.sort_by_key(|name| name.to_lowercase());
        }
        let shown: Vec<String> = names.iter().map(|name| quoted(name)).collect();
        match self.names.len().saturating_sub(shown.len()) {
            0 => shown.join(", "),
            more => format!("{} and {more} more", shown.join(", ")),
        }
    }
}

fn key(table: &str) -> String {
    bare(table).to_lowercase()
}

fn is_own(schema: &str) -> bool {
    OWN_SCHEMAS.iter().any(|own| own.eq_ignore_ascii_case(schema))
}

/// The names that the statements of a run that worked have in them, in small letters.
fn names_used(evidence: &Evidence) -> HashSet<String> {
    let worked = evidence.steps.iter().filter(|step| step.has_succeeded()).filter_map(|step| step.request.sql());
    let words = worked
        .flat_map(|statement| statement.text().split(|letter: char| !(letter.is_alphanumeric() || letter == '_')));
    words.map(str::to_lowercase).collect()
}

/// The question of a call to a database about itself.
fn question(step: &Step) -> Option<Question> {
    match step.request.sql() {
        Some(statement) => statement.question(),
        None => asked_by_name(step),
    }
}

/// The question of a tool that is named after it: `list_tables`, `get_table_schema` with a table.
fn asked_by_name(step: &Step) -> Option<Question> {
    const WHERE: [&str; 7] = ["database", "db", "schema", "catalog", "dataset", "connection", "project"];
    let tool = step.tool.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| tool.contains(word));
    if !has(&["table", "schema"]) || !has(&["list", "show", "get", "describe", "schema", "info"]) {
        return None;
    }
    let is_bare = step.arguments.trim_matches(['"', ' ', '{', '}']).is_empty();
    let fields: Vec<(String, String)> = fields(step.arguments)
        .map(|fields| fields.iter().map(|(name, raw)| (name.clone(), value_text(raw))).collect())
        .unwrap_or_default();
    let is_place = |name: &str| WHERE.contains(&name.to_lowercase().as_str());
    let has_only_places = !fields.is_empty() && fields.iter().all(|(name, _)| is_place(name));
    if has(&["tables", "list_table", "listtable"]) && !has(&["describe"]) && (is_bare || has_only_places) {
        let of = fields.into_iter().find(|(name, _)| name.eq_ignore_ascii_case("schema")).map(|(_, of)| of);
        return Some(Question::Tables { of });
    }
    let mut others: Vec<String> =
        fields.into_iter().filter(|(name, _)| !is_place(name)).map(|(_, value)| value).collect();
    if others.is_empty() && !is_bare && !has_only_places {
        others.push(step.arguments.trim_matches(['"', ' ']).to_owned());
    }
    match others.as_slice() {
        [table] if listing::is_name(table) => Some(Question::Columns { of: table.clone() }),
        _ => None,
    }
}
