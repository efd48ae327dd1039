//! Calls that failed to the end, and what worked in their place.

use std::collections::HashSet;

use reflect_core::Tells;

use super::{
    arguments::{self, Change},
    attempts::{Attempts, End},
    call::{Request, sql::Statement},
    changes::without_directory,
    evidence::Evidence,
    facts, outcome, saying,
    steps::Step,
    told::Told,
    tries, words,
};

/// How many later calls are looked at for one that took the place of a failed one.
const LATER: usize = 200;

/// How many failed calls are looked into; there is room for fewer in a lesson.
const CALLS: usize = 32;

/// The pitfalls of a run. Looks and edits come last, and only where nothing else failed; in a run that passed only edits that were refused.
pub(super) fn read(evidence: &Evidence, attempts: &[Attempts], told_of: &HashSet<usize>) -> Vec<Told> {
    let open: Vec<&Attempts> = attempts.iter().filter(|attempts| !told_of.contains(&attempts.first)).collect();
    let doings = open.iter().filter(|attempts| attempts.step.does_something()).take(CALLS);
    let mut pitfalls: Vec<Told> = doings.filter_map(|attempts| pitfall(evidence, attempts)).collect();
    if pitfalls.is_empty() && (!evidence.has_passed || told_of.is_empty()) {
        let is_told = |step: &Step| !step.does_something() && (!evidence.has_passed || step.is_refused_edit());
        let looks = open.iter().filter(|attempts| is_told(attempts.step)).take(CALLS);
        pitfalls = looks.filter_map(|attempts| pitfall(evidence, attempts)).collect();
    }
    let mut seen = HashSet::new();
    pitfalls.retain(|told| seen.insert(told.text.clone()));
    pitfalls
}

fn pitfall(evidence: &Evidence, attempts: &Attempts) -> Option<Told> {
    let Attempts { step, times, .. } = *attempts;
    if let Request::Edit(files) = &step.request
        && step.is_refused_edit()
        && attempts.end != End::Unknown
    {
        return Some(Told::new(Tells::Pitfall, refused_edit(evidence, attempts, files), &[step]));
    }
    let call = saying::call(step);
    let failed = |times| saying::failed(step, times);
    let text = match attempts.end {
        End::Unknown => return None,
        End::PassedElsewhere(success) => format!("{}.", passed_elsewhere(evidence, attempts, success)?),
        End::Passed(success) if other_place(evidence, step, success).is_some() => {
            let place = other_place(evidence, step, success).unwrap_or_default();
            format!("{call} {}; in {place} it {}.", failed(times), saying::succeeded(step))
        }
        // With a change in between it is a fix, and without one it was over by itself.
        End::Passed(_) => return None,
        End::Failed => failed_to_the_end(evidence, attempts)?,
    };
    let tells = if is_mended(evidence, attempts) { Tells::Fix } else { Tells::Pitfall };
    Some(Told::new(tells, text, &[step]))
}

/// What is said of a call that never worked: with what worked in its place, where something did.
fn failed_to_the_end(evidence: &Evidence, attempts: &Attempts) -> Option<String> {
    let Attempts { step, times, .. } = *attempts;
    let call = saying::call(step);
    let failed = |times| saying::failed(step, times);
    if let Some(told) = in_place(evidence, attempts).and_then(|other| in_place_of(step, other)) {
        return Some(told);
    }
    if let Some(other) = instead(evidence, attempts) {
        return Some(format!("{call} {}; {} {}.", failed(times), saying::call(other), saying::succeeded(other)));
    }
    // What a run that passed ends in was what it had to show, or does not matter.
    if evidence.has_passed && times == 1 && attempts.last + 1 == evidence.steps.len() {
        return None;
    }
    let is_in_a_row = times > 1 && attempts.last + 1 - attempts.first == times;
    Some(match (attempts.is_one_error, is_in_a_row) {
        (true, true) => format!("{call} {}; nothing was tried in between.", failed(times)),
        (true, false) => format!("{call} {}.", failed(times)),
        (false, _) => format!("{call} {}.", failed(1)),
    })
}

/// "An edit of `a.rs` failed with `modified since read`; after `Read` it worked."
fn refused_edit(evidence: &Evidence, attempts: &Attempts, files: &[String]) -> String {
    let failed = saying::failed(attempts.step, attempts.times);
    let directories = evidence.directories();
    let names: Vec<String> =
        files.iter().take(3).map(|file| words::code(without_directory(file, &directories), 80)).collect();
    let later = || evidence.steps.iter().skip(attempts.last + 1);
    let edited = later().position(|step| step.has_succeeded() && step.request == attempts.step.request);
    let shows_it = |step: &&Step| step.is_a_look() && files.iter().any(|file| step.arguments.contains(file.as_str()));
    let look = later().take(edited.unwrap_or_default()).find(shows_it);
    let end = match (edited, look) {
        (Some(_), Some(look)) => format!("; after {} it worked", look.tool_name()),
        (Some(_), None) => "; another then worked".into(),
        (None, _) => String::new(),
    };
    format!("An edit of {} {failed}{end}.", words::list(&names))
}

/// Whether a tool took the call with other arguments: what was wrong and what was right stand side by side.
fn is_mended(evidence: &Evidence, attempts: &Attempts) -> bool {
    let step = attempts.step;
    let is_call = matches!(step.request, Request::Other) && attempts.end == End::Failed && evidence.has_passed;
    if !is_call {
        return false;
    }
    let other = in_place(evidence, attempts).filter(|other| is_another_try(step, other));
    other.is_some_and(|other| {
        let Change { before, after } = arguments::change(step.arguments, other.arguments, 70);
        !(before.is_empty() && after.is_empty())
    })
}

/// The directory in which the same command succeeded, where it is another.
fn other_place(evidence: &Evidence, step: &Step, success: usize) -> Option<String> {
    let (Request::Command(one), Request::Command(other)) = (&step.request, &evidence.steps.get(success)?.request)
    else {
        return None;
    };
    let place = other.place().filter(|place| one.place() != Some(place))?;
    let base = one.place().and_then(|base| place.strip_prefix(base)).and_then(|rest| rest.strip_prefix('/'));
    Some(words::code(base.unwrap_or(place), 80))
}

/// "`pytest a` failed with `timed out`; `pytest a --timeout 600` passed", where all failures said the same and nothing else explains it.
fn passed_elsewhere(evidence: &Evidence, attempts: &Attempts, success: usize) -> Option<String> {
    let other = evidence.steps.get(success).filter(|_| attempts.is_one_error)?;
    let failed = saying::failed(attempts.step, attempts.times);
    let (one, two) = saying::apart(attempts.step, other)?;
    Some(format!("{one} {failed}; {two} {}", saying::succeeded(other)))
}

/// "`get_order` with `1017` failed with `not found`; with `A-1017` it worked."
fn in_place_of(step: &Step, other: &Step) -> Option<String> {
    let failed = saying::failed(step, 1);
    if !matches!(step.request, Request::Other | Request::Look | Request::Edit(_)) {
        let (one, two) = saying::apart(step, other)?;
        return Some(format!("{one} {failed}; {two} {}.", saying::succeeded(other)));
    }
    let name = step.tool_name();
    let Change { before, after } = arguments::change(step.arguments, other.arguments, 70);
    Some(match (before.is_empty(), after.is_empty()) {
        (true, true) => format!("{name} {failed}; another call of it worked."),
        (true, false) => format!("{name} {failed}; with {after} it worked."),
        (false, true) => format!("{name} with {before} {failed}; without, it worked."),
        (false, false) => format!("{name} with {before} {failed}; with {after} it worked."),
    })
}

/// A later call that reads as another try at the same thing, and succeeded.
fn in_place<'s, 'a>(evidence: &'s Evidence<'a>, attempts: &Attempts) -> Option<&'s Step<'a>> {
    let step = attempts.step;
    let later = evidence.steps.iter().skip(attempts.last + 1).filter(|other| other.tool == step.tool).take(LATER);
    // What the same checker says of other things is told by its last word alone.
    let is_other = |other: &&Step| {
        other.has_worked_beside(step)
            && other.key != step.key
            && !is_same_check(step, other)
            && (only_shows(step) || !only_shows(other))
    };
    if let Some(statement) = step.request.sql() {
        let error = step.failure().map(|failure| failure.error.as_str()).unwrap_or_default();
        let has_missing_name =
            |other: &Step| other.request.sql().is_some_and(|other| facts::has_missing_name(other.text(), error));
        let is_right =
            |other: &&Step| !has_missing_name(other) && (!statement.is_query() || is_last_query(evidence, other));
        let mut later = later.filter(is_other).filter(|other| evidence.has_passed && is_another_try(step, other));
        return later.find(is_right);
    }
    let another_try = later.filter(is_other).find(|other| is_another_try(step, other) && !describes_itself(other));
    another_try.or_else(|| after_looks(evidence, attempts))
}

/// Whether it is the last query of a run, and gave rows: one before it may have come without an error and been wrong.
fn is_last_query(evidence: &Evidence, step: &Step) -> bool {
    let is_query = |statement: &Statement| statement.is_query() && !statement.is_of_catalogue();
    let mut queries =
        evidence.steps.iter().filter(|other| other.has_succeeded() && other.request.sql().is_some_and(is_query));
    queries.next_back().is_some_and(|last| std::ptr::eq(last, step)) && outcome::has_rows(&step.printed)
}

/// The next call of a tool that acts, where the run only looked in between.
fn after_looks<'s, 'a>(evidence: &'s Evidence<'a>, attempts: &Attempts) -> Option<&'s Step<'a>> {
    let step = attempts.step;
    let is_telling = matches!(step.request, Request::Other) && !step.is_a_look();
    let mut later = evidence.steps.iter().skip(attempts.last + 1).filter(|_| is_telling).peekable();
    let mut looks = 0;
    while later.next_if(|other| other.is_a_look() && other.tool != step.tool).is_some() {
        looks += 1;
    }
    later.next().filter(|other| looks > 0 && other.tool == step.tool && other.has_succeeded())
}

/// The next call that acts, where it is of another tool, speaks of the same, and succeeded in a run that passed.
fn instead<'s, 'a>(evidence: &'s Evidence<'a>, attempts: &Attempts) -> Option<&'s Step<'a>> {
    let step = attempts.step;
    let acts = |step: &Step| matches!(step.request, Request::Other) && !step.is_a_look();
    let mut later = evidence.steps.iter().skip(attempts.last + 1).filter(|other| !other.is_a_look());
    let next = later.next().filter(|other| evidence.has_passed && acts(step) && acts(other))?;
    let is_another = next.tool != step.tool && next.has_succeeded();
    (is_another && tries::speaks_of_the_same(step.arguments, next.arguments)).then_some(next)
}

/// Whether a call asks an interface what it offers: that answers everything, and is no try at anything.
pub(super) fn describes_itself(step: &Step) -> bool {
    let small = words::fold(step.arguments, 400).to_lowercase();
    const SIGNS: [&str; 11] = [
        "openapi",
        "swagger",
        "graphql/schema",
        "api-docs",
        "/docs",
        "--help",
        "__type",
        "__schema",
        ".columns",
        ".keys()",
        ".dtypes",
    ];
    SIGNS.iter().any(|sign| small.contains(sign))
}

/// Whether a call asks what there is: that is no try at doing something.
pub(super) fn only_shows(step: &Step) -> bool {
    step.is_a_look() || matches!(&step.request, Request::Command(command) if command.only_shows())
}

fn is_same_check(one: &Step, other: &Step) -> bool {
    match (&one.request, &other.request) {
        (Request::Command(one), Request::Command(other)) => one.check().is_some() && one.check() == other.check(),
        _ => false,
    }
}

/// Whether one call reads as another try at what an earlier one wanted, and not as a new errand.
pub(super) fn is_another_try(step: &Step, other: &Step) -> bool {
    if let (Some(one), Some(two)) = (step.request.sql(), other.request.sql()) {
        return one.is_sql()
            && two.is_sql()
            && !two.lists_tables()
            && two.describes().is_none()
            && tries::alike(one.text(), two.text(), tries::CLOSE);
    }
    match (&step.request, &other.request) {
        (Request::Command(one), Request::Command(two)) => {
            let is_alike = || {
                one.program() == two.program()
                    && (one.subcommand() == two.subcommand() || one.check().is_none())
                    && (tries::alike(one.shown(), two.shown(), tries::CLOSE)
                        || differ_in_values(one.shown(), two.shown()))
            };
            !one.program().is_empty() && (is_alike() || starts(two.shown(), one.shown()))
        }
        (Request::Command(_) | Request::Statement(_), _) | (_, Request::Command(_) | Request::Statement(_)) => false,
        _ => tries::is_another_try(step.arguments, other.arguments),
    }
}

/// Whether a command starts another as it stands: `sudo -u web make install`, `powershell -File a.ps1 -Fast`.
fn starts(wrapper: &str, command: &str) -> bool {
    let before = wrapper.strip_suffix(command).unwrap_or_default();
    command.contains(' ') && before.ends_with(' ')
}

/// Whether two commands have the same words but for the values of flags: `--batch 64` and `--batch 16`.
fn differ_in_values(one: &str, other: &str) -> bool {
    let (one, other): (Vec<&str>, Vec<&str>) = (one.split_whitespace().collect(), other.split_whitespace().collect());
    let is_value = |at: usize| {
        let flag =
            |words: &[&str]| words.get(at).and_then(|word| word.split_once('=')).map(|(flag, _)| flag.to_owned());
        let before = at.checked_sub(1).and_then(|before| one.get(before));
        before.is_some_and(|before| before.starts_with('-')) || (flag(&one).is_some() && flag(&one) == flag(&other))
    };
    let mut pairs = one.iter().zip(&other).enumerate();
    one.len() == other.len() && one.len() > 2 && pairs.all(|(at, (word, twin))| word == twin || is_value(at))
}

/// What a run's answer passed over, where it ended in an error.
pub(super) fn claimed(evidence: &Evidence) -> Option<Told> {
    let claim = super::claim::find(evidence)?;
    if claim.step.tool.is_empty() {
        return None;
    }
    let text = format!(
        "{} {}; the answer still said {}.",
        saying::call(claim.step),
        saying::failed(claim.step, 1),
        claim.said
    );
    Some(Told::new(Tells::Pitfall, words::fold(&text, usize::MAX), &[claim.step]))
}
