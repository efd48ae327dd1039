//! What failed, what was changed, and what then passed.

use reflect_core::Tells;

use super::{
    attempts::{Attempts, End},
    changes::Changes,
    evidence::Evidence,
    saying,
    told::Told,
};

/// The fixes of a run, each with the step that failed first: those of checks before others, since a task is held against these.
pub(super) fn read<'s, 'a: 's>(
    evidence: &Evidence,
    attempts: impl Iterator<Item = &'s Attempts<'s, 'a>>,
) -> Vec<(usize, Told)> {
    let failed = attempts.filter(|attempts| attempts.step.does_something()).take(CALLS);
    let fixed = failed.filter_map(|attempts| Some((attempts, fix(evidence, attempts)?)));
    let mut fixes: Vec<(bool, usize, Told)> =
        fixed.map(|(attempts, told)| (!attempts.step.is_a_check(), attempts.first, told)).collect();
    fixes.sort_by_key(|(is_no_check, first, _)| (*is_no_check, *first));
    fixes.into_iter().map(|(_, first, told)| (first, told)).collect()
}

/// How many failed calls are looked into; there is room for fewer in a lesson.
const CALLS: usize = 64;

fn fix(evidence: &Evidence, attempts: &Attempts) -> Option<Told> {
    let (success, is_same) = match attempts.end {
        End::Passed(success) => (success, true),
        End::PassedElsewhere(success) => (success, false),
        End::Failed | End::Unknown => return None,
    };
    let Attempts { step, first, last, .. } = *attempts;
    let passed = evidence.steps.get(success)?;
    let directories = evidence.directories();
    let from = |failure: usize| {
        let between = evidence.steps.get(failure + 1..success).unwrap_or_default();
        Changes::between(step, between, passed, &directories)
    };
    let (failed, changes) = match from(first) {
        changes if changes.are_many() && first != last => (evidence.steps.get(last)?, from(last)),
        changes => (step, changes),
    };
    if changes.is_empty() {
        return None;
    }
    let what_passed = if is_same { "it".into() } else { saying::call(passed) };
    let comma = if is_same { "" } else { "," };
    let text = format!(
        "{} {}; {}{comma} {what_passed} {}.",
        saying::call(failed),
        saying::failed(failed, 1),
        changes.told(),
        saying::succeeded(passed)
    );
    Some(Told::new(Tells::Fix, text, &[failed]))
}
