//! The calls of a run that worked, as a way to follow.

use super::{arguments, steps::Step, words};

/// Calls of one tool in a row that worked.
pub(super) struct Errand<'s, 'a> {
    calls: Vec<&'s Step<'a>>,
}

impl<'s, 'a> Errand<'s, 'a> {
    pub(super) fn all(steps: &'s [Step<'a>]) -> Vec<Self> {
        let mut errands: Vec<Self> = Vec::new();
        for step in steps.iter().filter(|step| step.error.is_none() && !step.tool.is_empty()) {
            match errands.last_mut() {
                Some(errand) if errand.tool() == step.tool => errand.calls.push(step),
                _ => errands.push(Self { calls: vec![step] }),
            }
        }
        errands
    }

    fn tool(&self) -> &'a str {
        self.calls.first().map(|step| step.tool).unwrap_or_default()
    }

    fn name(&self) -> String {
        self.calls.first().map(|step| step.tool_name()).unwrap_or_default()
    }

    /// The calls in words: what was sent, of three or more different ones only the first.
    fn told(&self, limit: usize) -> String {
        let mut sent: Vec<&str> = self.calls.iter().map(|step| step.arguments).collect();
        sent.dedup();
        let name = self.name();
        match sent.as_slice() {
            [only] => arguments::call(&name, only, limit),
            [first, second] => {
                let shown = [first, second].map(|sent| arguments::shown(sent, limit / 2));
                let shown: Vec<String> = shown.into_iter().filter(|shown| !shown.is_empty()).collect();
                match words::list(&shown) {
                    list if list.is_empty() => name,
                    list => format!("{name} with {list}"),
                }
            }
            [first, ..] => {
                let times = format!("{name} {} times", self.calls.len());
                match arguments::shown(first, limit) {
                    shown if shown.is_empty() => times,
                    shown => format!("{times}, first with {shown}"),
                }
            }
            [] => name,
        }
    }
}

/// How much of the arguments is shown: the most with which the calls leave room for other sentences.
const SEQUENCE_LIMITS: [usize; 4] = [160, 100, 60, 30];
const SEQUENCE_LENGTH: usize = 420;

/// "That run called `a` with …, then `b` with …": what was sent is that run's own. Of a long run the start and the end. Empty when nothing worked.
pub(super) fn sequence(worked: &[Errand]) -> String {
    if worked.is_empty() {
        return String::new();
    }
    let mut sequence = String::new();
    for limit in SEQUENCE_LIMITS {
        sequence = format!("That run called {}.", told(worked, limit).join(", then "));
        if sequence.chars().count() <= SEQUENCE_LENGTH {
            break;
        }
    }
    sequence
}

fn told(worked: &[Errand], limit: usize) -> Vec<String> {
    match worked {
        [first, second, between @ .., last] if between.len() > 2 => {
            let calls: usize = between.iter().map(|errand| errand.calls.len()).sum();
            let more = format!("made {calls} more calls");
            vec![first.told(limit), second.told(limit), more, format!("called {}", last.told(limit))]
        }
        _ => worked.iter().map(|errand| errand.told(limit)).collect(),
    }
}

/// The order of the tools, where the run shows one: each tool was finished with before the next.
pub(super) fn order(worked: &[Errand]) -> String {
    let names: Vec<String> = worked.iter().map(Errand::name).collect();
    let mut different = names.clone();
    different.sort();
    different.dedup();
    if different.len() != names.len() {
        return String::new();
    }
    match names.as_slice() {
        [first, second] => format!("Call {first} before {second}."),
        [_, _, _] | [_, _, _, _] => format!("Call {} in this order.", words::list(&names)),
        _ => String::new(),
    }
}
