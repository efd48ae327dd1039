//! Errors in a run, and what became of each.

use std::collections::{HashMap, HashSet};

use super::{
    steps::{Place, Step},
    tries,
};

/// One error, with the later tries at the same thing.
pub(super) struct Setback<'s, 'a> {
    /// The first call that failed.
    pub(super) step: &'s Step<'a>,
    /// How many times the very same call failed.
    pub(super) times: usize,
    pub(super) end: End<'s, 'a>,
}

/// How a setback ended.
pub(super) enum End<'s, 'a> {
    /// The same call worked when made again.
    Retried,
    /// A call with other arguments worked.
    Corrected(&'s Step<'a>),
    /// The same call worked after this call of another tool, the last between the two.
    After(&'s Step<'a>),
    /// Nothing that looks like another try worked.
    Open,
}

/// The first setbacks are the ones that are told; a run with more has no room for them in its lesson.
pub(super) const LIMIT: usize = 16;

/// How many later calls of a tool are looked at for another try.
const TRIES: usize = 16;

/// The setbacks of a run, in the order of their first error.
pub(super) fn read<'s, 'a>(steps: &'s [Step<'a>]) -> Vec<Setback<'s, 'a>> {
    let mut by_tool: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, step) in steps.iter().enumerate() {
        by_tool.entry(step.tool).or_default().push(index);
    }
    let mut told: HashSet<usize> = HashSet::new();
    let mut setbacks = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        if setbacks.len() == LIMIT {
            break;
        }
        if step.error.is_none() || told.contains(&index) {
            continue;
        }
        let same_tool = by_tool.get(step.tool).map(Vec::as_slice).unwrap_or_default();
        let later = same_tool.partition_point(|other| *other <= index);
        let tries = same_tool.iter().skip(later).take(TRIES).copied();
        setbacks.push(follow(steps, index, step, tries, &mut told));
    }
    setbacks
}

fn follow<'s, 'a>(
    steps: &'s [Step<'a>],
    index: usize,
    step: &'s Step<'a>,
    tries: impl Iterator<Item = usize>,
    told: &mut HashSet<usize>,
) -> Setback<'s, 'a> {
    let mut setback = Setback { step, times: 1, end: End::Open };
    // Without a name or a call there is no telling whether a later step is about the same thing.
    if step.tool.is_empty() || matches!(step.place, Place::Message(_)) {
        return setback;
    }
    for later in tries {
        let Some(other) = steps.get(later) else { break };
        if !tries::is_another_try(step.arguments, other.arguments) {
            continue;
        }
        let is_same_call = step.arguments.trim() == other.arguments.trim();
        if other.error.is_some() {
            told.insert(later);
            setback.times += usize::from(is_same_call);
            continue;
        }
        let between = steps.get(index + 1..later).unwrap_or_default();
        let other_tool = |step: &&Step| step.tool != other.tool && step.error.is_none() && !step.tool.is_empty();
        setback.end = match between.iter().rev().find(other_tool) {
            _ if !is_same_call => End::Corrected(other),
            Some(helper) => End::After(helper),
            None => End::Retried,
        };
        break;
    }
    setback
}
