//! What a lesson says, sentence by sentence, in the order of worth.

use reflect_core::Tells;

use super::{attempts, evidence::Evidence, example, facts, fixes, pitfalls, said, steps::Step, words};

/// A sentence or two, how much they tell, and the tools that they are about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) tells: Tells,
    pub(super) text: String,
    pub(super) tools: Vec<String>,
}

impl Told {
    pub(super) fn new(tells: Tells, text: String, steps: &[&Step]) -> Self {
        let tools = steps.iter().map(|step| words::fold(step.tool, super::steps::NAME_LIMIT).replace('`', "'"));
        Self { tells, text, tools: tools.collect() }
    }
}

/// The most characters that a lesson by rules has; a reviewer's words may have more and stand alone then.
pub(super) const LIMIT: usize = 600;

/// The most things that one lesson tells, and that it tells of one kind.
const THINGS: usize = 3;
const OF_ONE_KIND: usize = 2;

/// The parts of a lesson.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) guidance: String,
    pub(super) correct_action: String,
    pub(super) key_mistake: String,
    pub(super) tools: Vec<String>,
    pub(super) tells: Tells,
}

/// The parts of a run's lesson: the reviewer's words, then what the run itself shows, as far as there is room.
///
/// The guidance is the reviewer's words and nothing else, or where there are none the fixes and facts. An example is the correct
/// action, and what failed to the end of a failed run its key mistake.
pub(super) fn write(evidence: &Evidence) -> Parts {
    let said = said::read(evidence);
    let shown = shown(evidence);
    let (mut shown_first, mut correct_action, mut key_mistake) = (String::new(), String::new(), String::new());
    let mut tools = Vec::new();
    let mut room = LIMIT.saturating_sub(said.as_ref().map_or(0, |said| said.text.chars().count()));
    let mut told: Vec<Tells> = said.iter().map(|said| said.tells).collect();
    for one in shown {
        let of_kind = told.iter().filter(|tells| **tells == one.tells).count();
        let is_last_choice = one.tells == Tells::Example && !told.is_empty();
        let length = one.text.chars().count() + LABEL;
        if told.len() >= THINGS || of_kind >= OF_ONE_KIND || is_last_choice || length > room {
            continue;
        }
        room -= length;
        told.push(one.tells);
        tools.extend(one.tools);
        let part = match one.tells {
            Tells::Pitfall if !evidence.has_passed => &mut key_mistake,
            Tells::Example => &mut correct_action,
            _ if said.is_some() => &mut correct_action,
            _ => &mut shown_first,
        };
        if !part.is_empty() {
            part.push(' ');
        }
        part.push_str(&one.text);
    }
    // Their order is the order of worth.
    let tells = told.into_iter().min().unwrap_or(Tells::Nothing);
    let guidance = said.map_or(shown_first, |said| said.text);
    Parts { guidance, correct_action, key_mistake, tools, tells }
}

/// What a part's name takes of the room: "Correct action: ".
const LABEL: usize = 17;

/// What the run shows, the best first. Of one failure only the best is told.
fn shown(evidence: &Evidence) -> Vec<Told> {
    let attempts = attempts::read(&evidence.steps);
    let facts = facts::read(evidence, &attempts);
    let unexplained = attempts.iter().filter(|attempts| !facts.explained.contains(&attempts.first));
    let fixes = fixes::read(evidence, unexplained);
    let mut told_of = facts.explained;
    told_of.extend(fixes.iter().map(|fix| fix.0));
    if facts.tell_what_works {
        let statements = attempts.iter().filter(|attempts| attempts.step.request.sql().is_some());
        told_of.extend(statements.map(|attempts| attempts.first));
    }
    // What a reviewer condemns may be just what made it pass.
    let is_condemned = !evidence.has_passed && evidence.feedback.is_telling();
    let mut shown: Vec<Told> = fixes.into_iter().filter(|_| !is_condemned).map(|fix| fix.1).collect();
    shown.extend(facts.told);
    // A reviewer who spoke has said what was wrong with the answer.
    let claimed = pitfalls::claimed(evidence).filter(|_| !evidence.has_passed && !is_condemned);
    match claimed {
        Some(claimed) => shown.push(claimed),
        None => shown.extend(pitfalls::read(evidence, &attempts, &told_of)),
    }
    if evidence.has_passed {
        shown.extend(example::read(evidence, &attempts));
    }
    shown
}
