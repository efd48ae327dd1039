//! Facts that a run had to find out: what a database consists of, or a name that does not exist and what there is instead.
//!
//! The words of the query that failed are left out, so that runs with different tasks that met the same fact tell it alike. Where a
//! run was shown what there is, that alone is told and not which name it had missed.

mod answer;
mod catalogue;
mod listing;
mod missing;
mod offers;
mod rows;
mod schema;

use std::collections::HashSet;

use reflect_core::Tells;

use super::{
    attempts::{Attempts, End},
    call::{Request, schema::is_placeholder, sql::Statement},
    changes::Changes,
    evidence::Evidence,
    pitfalls, reading, saying,
    steps::Step,
    told::Told,
    words,
};
use catalogue::Catalogue;
use missing::{Kind, Missing};

/// Whether a text has the name that an error calls missing.
pub(super) fn has_missing_name(text: &str, error: &str) -> bool {
    Missing::read(error).is_some_and(|missing| match missing.name.contains('.') {
        true => reading::names(text, missing.name),
        false => reading::names(&text.replace('.', " "), missing.name),
    })
}

/// The facts of a run, as they are told.
#[derive(Default)]
pub(super) struct Facts {
    pub(super) told: Vec<Told>,
    /// The failures that they explain, by their first step.
    pub(super) explained: HashSet<usize>,
    /// Whether it is told what a database consists of, or a statement that worked: then those that failed say no more.
    pub(super) tell_what_works: bool,
}

/// A fact: names that do not exist, and what there is.
struct Fact {
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
    failures: Vec<usize>,
}

impl Fact {
    fn tells(&self) -> Tells {
        if self.shown.is_none() && self.worked.is_none() { Tells::Pitfall } else { Tells::Fact }
    }

    fn told(self) -> Told {
        let tells = self.tells();
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

/// How many names that an error lists are shown.
const SHOWN: usize = 12;

/// The facts of a run.
pub(super) fn read(evidence: &Evidence, attempts: &[Attempts]) -> Facts {
    let mut reader = Reader {
        evidence,
        catalogue: Catalogue::read(evidence),
        missing: Vec::new(),
        seen: Vec::new(),
        found: Found::default(),
    };
    for attempts in
        attempts.iter().filter(|attempts| attempts.end != End::Unknown && !matches!(attempts.end, End::Passed(_)))
    {
        reader.take(attempts);
    }
    reader.facts()
}

/// Failures on a database's names to which the run was shown the answer.
#[derive(Default)]
struct Found {
    has_missed_names: bool,
    /// Tables of which a column was missed, and those that have what was asked for.
    tables: Vec<String>,
    explained: HashSet<usize>,
}

/// The failures of a run, one after the other.
struct Reader<'s, 'a> {
    evidence: &'s Evidence<'a>,
    catalogue: Catalogue<'s, 'a>,
    /// One fact for each name.
    missing: Vec<Fact>,
    seen: Vec<(Missing<'s>, Option<usize>)>,
    found: Found,
}

impl<'s, 'a> Reader<'s, 'a> {
    fn take(&mut self, attempts: &'s Attempts<'s, 'a>) {
        let is_template = attempts.step.request.sql().is_some_and(Statement::is_template);
        let Some(error) = attempts.step.failure().map(|failure| &failure.error) else { return };
        let by_address = || missing::endpoint(error, attempts.step.arguments);
        let missing = Missing::read(error).or_else(by_address);
        if is_template || missing.as_ref().is_some_and(|missing| is_placeholder(missing.name)) {
            self.found.has_missed_names = true;
            self.found.explained.insert(attempts.first);
            return;
        }
        let Some(missing) = missing else { return };
        if let Some((_, at)) = self.seen.iter().find(|(known, _)| *known == missing) {
            if let Some(fact) = at.and_then(|at| self.missing.get_mut(at)) {
                fact.failures.push(attempts.first);
            }
            return;
        }
        let search = Search { evidence: self.evidence, attempts, missing: &missing };
        if missing.kind.is_of_schema() && search.is_answered_by(&self.catalogue, &mut self.found) {
            return;
        }
        if self.seen.len() < NAMES {
            let at = search.fact().map(|fact| self.keep(fact));
            self.seen.push((missing, at));
        }
    }

    /// Adds a fact, to another one where both are told in one sentence; says where it is.
    fn keep(&mut self, mut fact: Fact) -> usize {
        if let Some((at, known)) = self.missing.iter_mut().enumerate().find(|(_, known)| known.goes_with(&fact)) {
            let new = fact.names.into_iter().filter(|name| !known.names.contains(name)).collect::<Vec<_>>();
            known.names.extend(new);
            known.failures.extend(fact.failures);
            known.worked = known.worked.take().or(fact.worked);
            return at;
        }
        // What worked is told once.
        if fact.worked.is_some() && self.missing.iter().any(|known| known.worked == fact.worked) {
            fact.worked = None;
        }
        self.missing.push(fact);
        self.missing.len() - 1
    }

    fn facts(self) -> Facts {
        let Self { evidence, catalogue, missing, found, .. } = self;
        let has_missed = found.has_missed_names || missing.iter().any(|fact| fact.kind.is_of_schema());
        let schema = if has_missed { catalogue.told(evidence, &found.tables) } else { Vec::new() };
        let tell_schema = !schema.is_empty();
        let mut facts = Facts { told: schema, explained: found.explained, tell_what_works: tell_schema };
        for fact in missing {
            facts.explained.extend(&fact.failures);
            facts.tell_what_works |= fact.kind.is_of_schema() && fact.worked.is_some();
            let says_no_more = tell_schema && fact.kind.is_of_schema() && fact.tells() == Tells::Pitfall;
            if !says_no_more {
                facts.told.push(fact.told());
            }
        }
        facts
    }
}

/// The look at what came after a failure.
struct Search<'s, 'a> {
    evidence: &'s Evidence<'a>,
    attempts: &'s Attempts<'s, 'a>,
    missing: &'s Missing<'s>,
}

impl<'s, 'a> Search<'s, 'a> {
    fn fact(&self) -> Option<Fact> {
        if self.missing.kind.is_of_schema() {
            return self.schema_fact();
        }
        if self.turned_up() {
            return None;
        }
        let replacement = self.replacement();
        let shown = self.offered().or_else(|| self.listed(replacement.or_else(|| self.next_try())));
        let worked = replacement.map(|step| format!("{} {}.", saying::call(step), saying::succeeded(step)));
        // Of an address it may be the thing that is not there, and not the place to ask for it.
        let is_of_thing = self.missing.kind == Kind::Endpoint && shown.is_none() && !self.names_it();
        let is_told = !is_of_thing && (worked.is_some() || shown.is_some()) && !self.has_changed(replacement);
        is_told.then(|| self.telling(None, self.missing.name, shown, worked))
    }

    fn telling(&self, table: Option<String>, name: &str, shown: Option<String>, worked: Option<String>) -> Fact {
        let Told { tools, .. } = Told::new(Tells::Fact, String::new(), &[self.attempts.step]);
        let (kind, failures) = (self.missing.kind, vec![self.attempts.first]);
        Fact { kind, names: vec![name.to_owned()], table, shown, worked, tools, failures }
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
        self.later().filter(|step| step.has_succeeded()).any(|step| match &step.request {
            Request::Edit(files) => files.iter().any(|file| file.ends_with(name)),
            Request::Command(command) => {
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
        match self.missing.kind {
            Kind::Tool => offers::worked(self.later(), &failed.printed),
            kind => {
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

    /// The names that the answer itself offered: "the answer lists `a`, `b`".
    fn offered(&self) -> Option<String> {
        let names = offers::names(&self.attempts.step.printed);
        if self.missing.kind == Kind::Tool && !names.is_empty() {
            return Some(format!("the answer lists {}", some_of(&names)));
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

/// The first names of a list.
fn some_of(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| words::code(name, 64)).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
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
