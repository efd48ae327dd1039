//! The learning rule once more, as plainly as it can be put, to hold the store against.

use std::collections::{BTreeMap, BTreeSet};

use reflect_core::Tally;

use super::history::{History, SEEDS, Step, Verdict};
use crate::support::DEFAULT_ALPHA;

#[derive(Default)]
struct Run {
    shown: BTreeSet<u64>,
    verdict: Option<Verdict>,
    /// The number of the memory that its lesson became or will become.
    memory: Option<u64>,
}

/// For each live memory, the runs that count for it, in their order.
struct Model {
    runs: BTreeMap<u64, Run>,
    credits: BTreeMap<u64, Vec<u64>>,
}

/// What each memory that is left at the end adds up to.
pub(crate) fn expected(history: &History) -> BTreeMap<u64, Tally> {
    let mut model = Model { runs: BTreeMap::new(), credits: (0..SEEDS).map(|seed| (seed, Vec::new())).collect() };
    for (number, step) in history {
        model.take(*number, step);
    }
    model.work();
    let verdict = |run: &u64| model.runs[run].verdict.unwrap();
    let tally = |runs: &Vec<u64>| {
        let credit = |run| {
            let Verdict { result, score, alpha } = verdict(run);
            reflect_core::Step::new(result, score, alpha.unwrap_or(DEFAULT_ALPHA))
        };
        Tally::of(runs.iter().map(credit))
    };
    model.credits.iter().map(|(memory, runs)| (*memory, tally(runs))).collect()
}

impl Model {
    fn take(&mut self, number: u64, step: &Step) {
        match step {
            Step::Run { shown, verdict } => {
                let run = Run { shown: shown.iter().copied().collect(), ..Run::default() };
                self.runs.insert(number, run);
                if let Some(verdict) = verdict {
                    self.review(number, number, *verdict);
                }
            }
            Step::Review { run, verdict } => {
                if self.runs[run].verdict.is_none() {
                    self.review(number, *run, *verdict);
                }
            }
            Step::Correct { run, verdict } => {
                self.work();
                match &mut self.runs.get_mut(run).unwrap().verdict {
                    Some(present) => *present = verdict.in_place_of(*present),
                    None => self.review(number, *run, *verdict),
                }
            }
            Step::TakeBack { run } => self.take_back(*run),
            Step::Work => self.work(),
            Step::Nothing => {}
        }
    }

    fn review(&mut self, number: u64, run_number: u64, verdict: Verdict) {
        let run = self.runs.get_mut(&run_number).unwrap();
        run.verdict = Some(verdict);
        run.memory = Some(number);
        for shown in &run.shown {
            if let Some(runs) = self.credits.get_mut(shown) {
                runs.push(run_number);
            }
        }
    }

    fn take_back(&mut self, run_number: u64) {
        let run = self.runs.get_mut(&run_number).unwrap();
        run.verdict = None;
        if let Some(memory) = run.memory.take() {
            self.credits.remove(&memory);
        }
        for runs in self.credits.values_mut() {
            runs.retain(|run| *run != run_number);
        }
    }

    fn work(&mut self) {
        for memory in self.runs.values().filter_map(|run| run.memory) {
            self.credits.entry(memory).or_default();
        }
    }
}
