//! Times, and what is said about them.

use std::time::Duration;

/// The times of all rounds of one client.
#[derive(Debug, Default)]
pub(super) struct Seen(Vec<Vec<Duration>>);

/// What is printed of them: the median round's throughput, and percentiles over all calls.
#[derive(Debug, Clone, Copy)]
pub(super) struct Figures {
    pub(super) per_second: f64,
    pub(super) p50_millis: f64,
    pub(super) p99_millis: f64,
}

impl Seen {
    pub(super) fn add(&mut self, round: Vec<Duration>) {
        self.0.push(round);
    }

    pub(super) fn figures(&self) -> Figures {
        let per_second = |round: &Vec<Duration>| round.len() as f64 / round.iter().sum::<Duration>().as_secs_f64();
        let mut rates: Vec<f64> = self.0.iter().map(per_second).collect();
        rates.sort_by(f64::total_cmp);
        let mut times: Vec<Duration> = self.0.iter().flatten().copied().collect();
        times.sort();
        let percentile = |share: f64| {
            let place = (times.len() as f64 * share) as usize;
            times.get(place.min(times.len().saturating_sub(1))).map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
        };
        Figures {
            per_second: rates.get(rates.len() / 2).copied().unwrap_or(f64::NAN),
            p50_millis: percentile(0.5),
            p99_millis: percentile(0.99),
        }
    }
}
