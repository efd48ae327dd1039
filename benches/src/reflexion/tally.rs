//! Counting, and how sure a count is.

/// Runs of one cell.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tally {
    tasks: u32,
    right: u32,
    calls: u32,
}

/// A difference of two cells in percentage points, with half of its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Difference {
    points: f64,
    half_width: f64,
}

/// Of a normal distribution, 95 % lie within so many standard deviations.
const DEVIATIONS: f64 = 1.96;

impl Tally {
    pub(super) fn add(&mut self, right: bool, calls: u32) {
        self.tasks += 1;
        self.right += u32::from(right);
        self.calls += calls;
    }

    pub(super) fn calls_a_task(&self) -> f64 {
        f64::from(self.calls) / f64::from(self.tasks.max(1))
    }

    fn share(&self) -> f64 {
        f64::from(self.right) / f64::from(self.tasks.max(1))
    }

    fn variance(&self) -> f64 {
        let share = self.share();
        share * (1.0 - share) / f64::from(self.tasks.max(1))
    }

    pub(super) fn minus(&self, other: &Self) -> Difference {
        Difference {
            points: 100.0 * (self.share() - other.share()),
            half_width: 100.0 * DEVIATIONS * (self.variance() + other.variance()).sqrt(),
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.1} ± {:.1}", 100.0 * self.share(), 100.0 * DEVIATIONS * self.variance().sqrt())
    }
}

impl Difference {
    pub(super) fn is_above_zero(&self) -> bool {
        self.points > self.half_width
    }

    pub(super) fn is_below_zero(&self) -> bool {
        self.points < -self.half_width
    }
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:+.1} ± {:.1}", self.points, self.half_width)
    }
}
