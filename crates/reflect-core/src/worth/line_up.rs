//! Who is in an answer, and how probable that was.
//!
//! Memories are due in an order. Each is shown or [sits out](super::SittingOut) until the answer is full; one slot may be on
//! [trial](super::TrialSlot) before that. Every coin is its own, so the probability of an answer is a product along the order, and that of one
//! memory a sum over how many before it sat out. Both are exact: what is asked of logs later rests on them.

use std::iter::{once, repeat_n};

use super::TrialSlot;

/// So many may sit out one answer at most; as many beyond its limit are due.
pub const RESERVE: usize = 16;

/// A memory that is due for an answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Due {
    /// Its position among all that were ranked.
    pub position: usize,
    /// How probable it is that it sits out.
    pub sits_out: f64,
}

/// The memories that an answer is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct LineUp {
    /// How many memories were ranked. Those that are not due are shown on trial alone.
    pub ranked: usize,
    /// Who is due, the first first.
    pub due: Vec<Due>,
    /// How many are shown at most.
    pub limit: usize,
    /// How often a slot is on trial.
    pub trials: TrialSlot,
}

/// Who was shown, and who was due and sat out: positions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shown {
    /// In rising order.
    pub shown: Vec<usize>,
    /// In the order in which they were due.
    pub sat_out: Vec<usize>,
}

impl LineUp {
    /// One answer: with that position on trial, if one is, and those sitting out of whom `sits_out` says so.
    pub fn answer(&self, on_trial: Option<usize>, sits_out: impl Fn(&Due) -> bool) -> Shown {
        let mut answer = Shown { shown: on_trial.into_iter().take(self.limit).collect(), sat_out: Vec::new() };
        for due in self.due.iter().filter(|due| on_trial != Some(due.position)) {
            if answer.shown.len() == self.limit {
                break;
            }
            if answer.sat_out.len() < self.most_out() && sits_out(due) {
                answer.sat_out.push(due.position);
            } else {
                answer.shown.push(due.position);
            }
        }
        answer.shown.sort_unstable();
        answer
    }

    /// How probable it is to show exactly these, which are in rising order.
    pub fn probability(&self, shown: &[usize]) -> f64 {
        let (share, each) = self.trial_shares();
        let on_trial = shown.iter().filter(|position| **position < self.tried_among());
        (1.0 - share) * self.walked(shown, None)
            + on_trial.map(|tried| each * self.walked(shown, Some(*tried))).sum::<f64>()
    }

    /// How probable it is for each position to be shown, beside whichever others.
    pub fn chances(&self) -> Vec<f64> {
        let (share, each) = self.trial_shares();
        let mut chances = vec![0.0; self.ranked];
        self.add_chances(&mut chances, 1.0 - share, None);
        if share > 0.0 {
            (0..self.tried_among()).for_each(|tried| self.add_chances(&mut chances, each, Some(tried)));
        }
        chances
    }

    /// Somebody is always left: of all who are due one at least is shown, unless it is the only one.
    fn most_out(&self) -> usize {
        self.due.len().saturating_sub(1).clamp(1, RESERVE)
    }

    fn tried_among(&self) -> usize {
        self.trials.among.min(self.ranked)
    }

    /// The share of answers with a slot on trial, and what of it each position has.
    fn trial_shares(&self) -> (f64, f64) {
        let share = if self.tried_among() > 1 && self.limit > 0 { self.trials.share } else { 0.0 };
        (share, share / self.tried_among().max(1) as f64)
    }

    /// How probable exactly these are if that one is on trial, or none.
    fn walked(&self, shown: &[usize], on_trial: Option<usize>) -> f64 {
        let (mut taken, mut out, mut probability) = (usize::from(on_trial.is_some()), 0, 1.0);
        for due in self.due.iter().filter(|due| on_trial != Some(due.position)) {
            if taken == self.limit {
                break;
            }
            let sits_out = if out < self.most_out() { due.sits_out } else { 0.0 };
            if shown.binary_search(&due.position).is_ok() {
                probability *= 1.0 - sits_out;
                taken += 1;
            } else {
                probability *= sits_out;
                out += 1;
            }
        }
        if taken == shown.len() { probability } else { 0.0 }
    }

    /// Adds how probable each position is if that one is on trial, or none.
    fn add_chances(&self, chances: &mut [f64], weight: f64, on_trial: Option<usize>) {
        let mut add = |position: usize, chance: f64| {
            if let Some(sum) = chances.get_mut(position) {
                *sum += weight * chance;
            }
        };
        let taken = on_trial.map_or(0, |tried| {
            add(tried, 1.0);
            1
        });
        // How probable it is that so many have sat out, and the answer is not full yet.
        let mut out: Vec<f64> = once(1.0).chain(repeat_n(0.0, self.most_out())).collect();
        let others = self.due.iter().filter(|due| on_trial != Some(due.position));
        for (before, due) in others.enumerate() {
            let (mut shown, mut sitting) = (0.0, 0.0);
            for (number, probability) in out.iter_mut().enumerate() {
                // Who came before and did not sit out was shown.
                let is_full = taken + before.saturating_sub(number) >= self.limit;
                let reached = if is_full { 0.0 } else { *probability };
                let sits_out = if number < self.most_out() { due.sits_out } else { 0.0 };
                shown += reached * (1.0 - sits_out);
                *probability = reached * (1.0 - sits_out) + sitting;
                sitting = reached * sits_out;
            }
            add(due.position, shown);
        }
    }
}

#[cfg(test)]
#[path = "line_up_tests.rs"]
mod tests;
