//! Pass rates and the interval of their difference.

/// The normal quantile of a two-sided interval of 95 %.
const Z: f64 = 1.959_964;

/// How many runs passed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PassRate {
    /// Those that passed.
    pub passes: u64,
    /// All of them.
    pub runs: u64,
}

/// A difference of two rates with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// The difference itself.
    pub points: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl PassRate {
    /// This rate after one more run.
    pub fn add(&mut self, passed: bool) {
        self.passes += u64::from(passed);
        self.runs += 1;
    }

    /// The share that passed; `None` of no runs.
    pub fn share(&self) -> Option<f64> {
        (self.runs > 0).then(|| self.passes as f64 / self.runs as f64)
    }

    /// The share, moved a little towards one half, so that it is never 0 or 1.
    pub(super) fn cautious_share(&self) -> f64 {
        (self.passes as f64 + 1.0) / (self.runs as f64 + 2.0)
    }

    /// Wilson's interval of 95 %.
    fn interval(&self) -> (f64, f64) {
        let runs = self.runs as f64;
        let share = self.passes as f64 / runs;
        let widening = 1.0 + Z * Z / runs;
        let middle = (share + Z * Z / (2.0 * runs)) / widening;
        let reach = Z * (share * (1.0 - share) / runs + Z * Z / (4.0 * runs * runs)).sqrt() / widening;
        ((middle - reach).max(0.0), (middle + reach).min(1.0))
    }
}

/// `with − without` and its interval of 95 % by Newcombe's hybrid of two Wilson intervals (Newcombe 1998, method 10). It holds for one look at a
/// time that was fixed before. `None` if an arm has no runs.
pub fn newcombe(with: PassRate, without: PassRate) -> Option<Difference> {
    let (more, less) = (with.share()?, without.share()?);
    let ((more_low, more_high), (less_low, less_high)) = (with.interval(), without.interval());
    let points = more - less;
    Some(Difference {
        points,
        low: points - (more - more_low).hypot(less_high - less),
        high: points + (more_high - more).hypot(less - less_low),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_paper() {
        let difference = newcombe(PassRate { passes: 56, runs: 70 }, PassRate { passes: 48, runs: 80 }).unwrap();
        assert!((difference.low - 0.0524).abs() < 5e-4 && (difference.high - 0.3339).abs() < 5e-4, "{difference:?}");
    }

    #[test]
    fn no_runs_have_no_difference_and_certain_ones_an_interval() {
        let (none, all) = (PassRate::default(), PassRate { passes: 10, runs: 10 });
        assert_eq!(newcombe(all, none), None);
        let equal = newcombe(all, all).unwrap();
        assert!(equal.low < -0.2 && equal.points == 0.0 && equal.high > 0.2);
    }
}
