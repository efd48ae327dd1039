//! Shares and differences with 95 % intervals.

const Z: f64 = 1.96;

/// A share of runs.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Share {
    pub(super) hits: usize,
    pub(super) of: usize,
}

impl Share {
    pub(super) fn of(outcomes: impl IntoIterator<Item = bool>) -> Self {
        let mut share = Self::default();
        for hit in outcomes {
            share.hits += usize::from(hit);
            share.of += 1;
        }
        share
    }

    /// In percent.
    pub(super) fn percent(self) -> f64 {
        100.0 * self.hits as f64 / self.of as f64
    }

    /// Wilson's interval, in percent.
    pub(super) fn interval(self) -> (f64, f64) {
        let (count, share) = (self.of as f64, self.percent() / 100.0);
        let middle = share + Z * Z / (2.0 * count);
        let reach = Z * (share * (1.0 - share) / count + Z * Z / (4.0 * count * count)).sqrt();
        let scale = 100.0 / (1.0 + Z * Z / count);
        (((middle - reach) * scale).max(0.0), ((middle + reach) * scale).min(100.0))
    }
}

/// How much better one arm is than another on the same tasks, in points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Difference {
    pub(super) points: f64,
    /// Half of the interval's width.
    pub(super) reach: f64,
}

impl Difference {
    /// Each pair is one task: (passed in this arm, passed in the other). Pairs that agree narrow the interval, so equal arms have
    /// none; tasks of one family are alike, so the true uncertainty is larger.
    pub(super) fn paired(pairs: &[(bool, bool)]) -> Self {
        let count = pairs.len() as f64;
        let better = pairs.iter().filter(|pair| **pair == (true, false)).count() as f64;
        let worse = pairs.iter().filter(|pair| **pair == (false, true)).count() as f64;
        let mean = (better - worse) / count;
        let variance = ((better + worse) / count - mean * mean).max(0.0);
        Self { points: 100.0 * mean, reach: 100.0 * Z * (variance / count).sqrt() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilson_stays_inside_and_widens_for_few() {
        let (low, high) = Share { hits: 8, of: 15 }.interval();
        assert!((low - 30.1).abs() < 0.1 && (high - 75.2).abs() < 0.1, "{low} {high}");
        assert_eq!(Share { hits: 0, of: 30 }.interval().0, 0.0);
        assert!(Share { hits: 0, of: 30 }.interval().1 < Share { hits: 0, of: 10 }.interval().1);
    }

    #[test]
    fn a_difference_counts_only_pairs_that_disagree() {
        let pairs = [(true, false), (true, false), (false, true), (true, true), (false, false)];
        let difference = Difference::paired(&pairs);
        assert!((difference.points - 20.0).abs() < 1e-9);
        assert!(difference.reach > 50.0);
        assert_eq!(Difference::paired(&[(true, true); 9]), Difference { points: 0.0, reach: 0.0 });
    }
}
