//! What became of a call over the whole run: the calls that ask for the same, and how the last of them ended.

use std::collections::HashMap;

use super::{
    call::{Request, command::Command},
    outcome::{CallOutcome, Failure, Sign, is_frame_line},
    reading,
    steps::{Place, Step},
};

/// Calls that ask for the same and failed at least once.
pub(super) struct Attempts<'s, 'a> {
    /// The first that failed; of calls that ended in failure the first since the last success.
    pub(super) step: &'s Step<'a>,
    pub(super) first: usize,
    /// The last that failed, and how many did from the first on.
    pub(super) last: usize,
    pub(super) times: usize,
    /// Whether all of them said the same.
    pub(super) is_one_error: bool,
    pub(super) end: End,
}

/// How it went on after the failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The same call, or a line with it as a part, succeeded at this step.
    Passed(usize),
    /// The same checker succeeded at this step, on more or on less.
    PassedElsewhere(usize),
    /// It failed as often as it was tried.
    Failed,
    /// Nothing tells how the last one went.
    Unknown,
}

/// The steps of a run by what they ask for.
struct Index<'s, 'a> {
    steps: &'s [Step<'a>],
    tries: HashMap<&'s str, Vec<Try>>,
    /// The last success of each checker that has not failed since.
    checks: HashMap<String, usize>,
    /// The commands by their program, each with the step that ran it and its place in the line.
    commands: HashMap<&'s str, Vec<(usize, usize)>>,
}

/// How many later commands of a program are looked at for one that asks for the same with more words.
const LATER: usize = 64;

/// A call, or a line that had it as a part and succeeded.
#[derive(Clone, Copy)]
struct Try {
    at: usize,
    is_part: bool,
}

/// All calls that failed, in the order of their first failure. Linear in the run.
pub(super) fn read<'s, 'a>(steps: &'s [Step<'a>]) -> Vec<Attempts<'s, 'a>> {
    let index = Index::of(steps);
    let mut attempts: Vec<Attempts> = index.tries.values().filter_map(|tries| index.follow(tries)).collect();
    attempts.sort_by_key(|attempts| attempts.first);
    attempts
}

impl<'s, 'a> Index<'s, 'a> {
    fn of(steps: &'s [Step<'a>]) -> Self {
        let mut index = Self { steps, tries: HashMap::new(), checks: HashMap::new(), commands: HashMap::new() };
        for (at, step) in
            steps.iter().enumerate().filter(|(_, step)| step.place == Place::Call && !step.tool.is_empty())
        {
            index.tries.entry(&step.key).or_default().push(Try { at, is_part: false });
            let Request::Command(command) = &step.request else { continue };
            for (part, key) in command.parts().iter().enumerate() {
                index.commands.entry(program_of(key)).or_default().push((at, part));
            }
            if !step.has_succeeded() {
                // What is red again has not passed.
                if let Some(check) = command.check().filter(|_| step.failure().is_some()) {
                    index.checks.remove(&check);
                }
                continue;
            }
            index.checks.extend(command.check().map(|check| (check, at)));
            for part in command.parts().iter().filter(|part| **part != step.key) {
                index.tries.entry(part).or_default().push(Try { at, is_part: true });
            }
        }
        index
    }

    fn follow(&self, tries: &[Try]) -> Option<Attempts<'s, 'a>> {
        let at = tries.iter().position(|one| self.failure(one).is_some())?;
        let failed = self.steps.get(tries.get(at)?.at)?;
        let succeeded = |one: &Try| self.has_succeeded(one, failed);
        let last = tries.last()?;
        let (start, end) = match (succeeded(last), self.failure(last)) {
            (true, _) => {
                (at, tries.iter().skip(at).find(|one| succeeded(one)).map_or(End::Unknown, |one| End::Passed(one.at)))
            }
            (false, None) => (at, End::Unknown),
            (false, Some(_)) => {
                (tries.iter().rposition(succeeded).map_or(at, |success| success + 1).max(at), End::Failed)
            }
        };
        let until = if let End::Passed(success) = end { success } else { usize::MAX };
        let failed: Vec<&Try> = tries
            .iter()
            .skip(start)
            .take_while(|one| one.at < until)
            .filter(|one| self.failure(one).is_some())
            .collect();
        let (first, last) = (failed.first()?.at, failed.last()?.at);
        let step = self.steps.get(first)?;
        let error = &step.failure()?.error;
        let is_one_error = failed.iter().all(|one| self.failure(one).is_some_and(|failure| failure.error == *error));
        let end = if end == End::Failed { self.end_of_failures(step, last) } else { end };
        Some(Attempts { step, first, last, times: failed.len(), is_one_error, end })
    }

    /// The end of calls of which none succeeded under this key.
    fn end_of_failures(&self, step: &Step, last: usize) -> End {
        let Request::Command(command) = &step.request else { return End::Failed };
        if let Some(elsewhere) =
            command.check().and_then(|check| self.checks.get(&check)).filter(|success| **success > last)
        {
            return End::PassedElsewhere(*elsewhere);
        }
        if let Some(wider) = self.wider(step, command, last) {
            return End::PassedElsewhere(wider);
        }
        let is_later_success = |one: &Try| one.at > last && self.steps.get(one.at).is_some_and(Step::has_succeeded);
        let parts = command.parts().iter().filter_map(|part| self.tries.get(part.as_str()));
        if parts.flatten().any(is_later_success) { End::Unknown } else { End::Failed }
    }

    /// The first later command that asks for the same with more words, and worked: `npm ci --no-audit` after `npm ci`.
    fn wider(&self, step: &Step, command: &Command, last: usize) -> Option<usize> {
        let key = match (command.parts(), command.sql()) {
            ([key], None) => key,
            ([.., key], None) if command.looks_first() => key,
            _ => return None,
        };
        let commands = self.commands.get(program_of(key))?;
        let later = commands.iter().filter(|(at, _)| *at > last).take(LATER);
        let mut wider = later.filter(|(at, part)| {
            let Some(Step { request: Request::Command(other), .. }) = self.steps.get(*at) else { return false };
            let asks_for_more =
                other.parts().get(*part).is_some_and(|other| key == other || has_more_words(key, other));
            // The code of a line is that of its parts; only that of the last may be hidden by a pipe.
            asks_for_more && self.came_through(*at, step, !other.is_last(*part))
        });
        wider.next().map(|(at, _)| *at)
    }

    /// Whether a line came to 0, by its own code or because its tool would have marked it.
    fn came_through(&self, at: usize, failed: &Step, is_before_last: bool) -> bool {
        let Some(step) = self.steps.get(at) else { return false };
        let by_frame = failed.failure().is_some_and(|failure| failure.by == Sign::Frame);
        let is_unmarked = step.outcome == CallOutcome::Unknown && by_frame && !step.printed.trim().is_empty();
        step.has_succeeded()
            || (is_unmarked && is_before_last)
            || self.has_succeeded(&Try { at, is_part: false }, failed)
    }

    fn failure(&self, one: &Try) -> Option<&'s Failure> {
        if one.is_part { None } else { self.steps.get(one.at)?.failure() }
    }

    /// Whether a call succeeded, by itself or by what the earlier failure of the same call shows of its tool: one that marks what
    /// fails has not marked this one; a program that ended by an exception has ended without.
    fn has_succeeded(&self, one: &Try, failed: &Step) -> bool {
        let (Some(step), Some(failure)) = (self.steps.get(one.at), failed.failure()) else { return false };
        if one.is_part || step.has_succeeded() || has_ended_well(step, failed) {
            return true;
        }
        let (has_own_code, tells_of_failure) = match &step.request {
            Request::Command(command) => (command.has_own_code(), command.tells_of_failure()),
            _ => (true, false),
        };
        if tells_of_failure && step.outcome == CallOutcome::Unknown && !step.printed.trim().is_empty() {
            return !speaks_of_trouble(&step.printed);
        }
        let is_unmarked = step.outcome == CallOutcome::Unknown && has_own_code && !step.printed.trim().is_empty();
        is_unmarked
            && match failure.by {
                Sign::Frame => true,
                Sign::Exception => !speaks_of_trouble(&step.printed),
                Sign::Words => false,
            }
    }
}

/// The program of a command, by its key.
fn program_of(key: &str) -> &str {
    let first = key.trim_start_matches("$ ").split(' ').next().unwrap_or_default();
    first.rsplit('/').next().unwrap_or(first)
}

/// Whether a command has all words of another in their order, and some of its own that do not turn it into a question.
fn has_more_words(key: &str, other: &str) -> bool {
    const QUESTIONS: &str = "--help -h --version --dry-run help";
    let words = |key: &'_ str| key.trim_start_matches("$ ").split(' ').skip(1).map(str::to_owned).collect::<Vec<_>>();
    let (fewer, more) = (words(key), words(other));
    let mut wanted = fewer.iter().peekable();
    let added: Vec<&String> = more.iter().filter(|word| wanted.next_if_eq(word).is_none()).collect();
    let is_question = added.iter().any(|word| reading::lists(QUESTIONS, word));
    !fewer.is_empty() && !added.is_empty() && !is_question && wanted.peek().is_none()
}

/// Whether the end of an output is shown and has no trouble in it, where the same program told its failure at the end.
fn has_ended_well(step: &Step, failed: &Step) -> bool {
    let lines = |step: &'_ Step| -> Vec<String> {
        let own = step.printed.lines().rev().filter(|line| !line.trim().is_empty() && !is_frame_line(line));
        own.take(LAST_LINES).map(str::to_owned).collect()
    };
    let shows_its_end = matches!(&step.request, Request::Command(command) if command.shows_its_end());
    if !shows_its_end || step.outcome != CallOutcome::Unknown {
        return false;
    }
    let (end, end_of_failed) = (lines(step), lines(failed));
    // What is shown has to reach back to where the failure was told.
    let told_at = end_of_failed.iter().take(6).position(|line| is_trouble(line));
    told_at.is_some_and(|at| end.len() > at) && !end.iter().any(|line| may_be_trouble(line))
}

/// Whether a line may be of an error: by its words, or as a call that led to it.
fn may_be_trouble(line: &str) -> bool {
    const WORDS: [&str; 9] =
        ["err!", "cannot", "could not", "not found", "denied", "refused", "unable", "invalid", "timed out"];
    let small = line.trim_start().to_lowercase();
    is_trouble(line)
        || small.starts_with("at ")
        || small.starts_with("file \"")
        || WORDS.iter().any(|word| small.contains(word))
}

/// How many lines at the end of an output are read for trouble.
const LAST_LINES: usize = 60;

/// Whether the first or the last line of an output does.
pub(super) fn speaks_of_trouble(printed: &str) -> bool {
    let mut lines = printed.lines().filter(|line| !line.trim().is_empty());
    let (first, last) = (lines.next(), lines.next_back());
    first.into_iter().chain(last).any(is_trouble)
}

fn is_trouble(line: &str) -> bool {
    let mut small = line.to_lowercase();
    // "12 synced, 0 failed" counts none of it.
    for none in ["0 fail", "0 error", "0 fehler", "no error", "no fail", "without error"] {
        let is_whole =
            |at: usize| !small.get(..at).is_some_and(|before| before.ends_with(|c: char| c.is_ascii_digit()));
        if small.find(none).is_some_and(is_whole) {
            small = small.replace(none, "");
        }
    }
    ["error", "fail", "exception", "fatal", "abort", "fehler", "erreur"].iter().any(|word| small.contains(word))
}
