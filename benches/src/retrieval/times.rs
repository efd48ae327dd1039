//! How long queries took.

use anyhow::Context;

/// The times of several rounds, in milliseconds. The median over rounds is reported, so that one disturbed round does not count.
#[derive(Debug, Default)]
pub(crate) struct Times {
    rounds: Vec<Vec<f64>>,
}

impl Times {
    pub(crate) fn add(&mut self, mut round: Vec<f64>) {
        round.sort_by(f64::total_cmp);
        self.rounds.push(round);
    }

    pub(crate) fn p50(&self) -> anyhow::Result<f64> {
        self.percentile(0.5)
    }

    pub(crate) fn p99(&self) -> anyhow::Result<f64> {
        self.percentile(0.99)
    }

    fn percentile(&self, share: f64) -> anyhow::Result<f64> {
        let of_round =
            |round: &Vec<f64>| round.get(((round.len().max(1) - 1) as f64 * share).round() as usize).copied();
        median(self.rounds.iter().filter_map(of_round).collect())
    }
}

/// The one in the middle.
pub(crate) fn median(mut values: Vec<f64>) -> anyhow::Result<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().context("nothing was measured")
}
