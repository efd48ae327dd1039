//! The constants of the rule.

/// Which arithmetic made a logged figure. Raised with every change after which old and new figures must not be compared.
pub const RULE_VERSION: u32 = 3;

/// The step size that the scale of `q_value` is made for; a review's own `alpha` counts against it.
pub(super) const FIRST_STEP: f64 = 0.3;

/// The worth of a memory that nobody has tried.
pub(super) const PRIOR_WORTH: f64 = 0.02;

/// What the rule believes before it has seen anything, and how fast it learns.
///
/// The defaults were chosen over simulated worlds; halving or doubling one of them moves the mean gain by a point or two.
/// `cargo xtask bench learning` measures them again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorthConstants {
    /// How many runs the prior counts for.
    pub prior_runs: f64,
    /// The worth of a memory that nobody has tried, as a share of passes: 0.02 is two points.
    pub prior_worth: f64,
    /// Evidence never counts for more runs than this, so old runs fade as new ones arrive.
    pub most_runs: f64,
    /// After this many days without a run, half of the evidence is left. `None` keeps all of it.
    pub half_life_days: Option<f64>,
    /// A memory is retired once it is believed to hurt, even if it is so many standard deviations better than it looks.
    pub retire_deviations: f64,
    /// It is believed to hurt below this worth.
    pub retire_below: f64,
    /// How many runs the project's own pass rate counts for in a baseline.
    pub usual_runs: f64,
    /// What one local unit of distance costs, in worth.
    pub distance_cost: f64,
    /// No local unit is smaller than this share of how far tasks of the project typically are. Near-copies of a task gather as it comes again, and by how
    /// far those are from each other everything else would be far away.
    pub smallest_unit: f64,
    /// No local unit is larger than this, in cosine. While there are few runs of each kind, the nearest ones are of other kinds, and by a unit that reaches
    /// there lessons for other kinds would not be far away.
    pub largest_unit: f64,
}

impl Default for WorthConstants {
    fn default() -> Self {
        Self {
            prior_runs: 40.0,
            prior_worth: PRIOR_WORTH,
            most_runs: 200.0,
            half_life_days: Some(365.0),
            retire_deviations: 1.0,
            retire_below: 0.0,
            usual_runs: 8.0,
            distance_cost: 0.05,
            smallest_unit: 0.3,
            largest_unit: 0.41,
        }
    }
}

impl WorthConstants {
    /// The usual ones, but for how fast evidence ages: half of it is left after so many days without a run; 0 keeps all of it.
    pub fn with_half_life(days: Option<f64>) -> Self {
        let usual = Self::default();
        Self { half_life_days: days.map_or(usual.half_life_days, |days| (days > 0.0).then_some(days)), ..usual }
    }

    /// How far a utility moves for one unit of worth: the first review of a run that was as likely to pass as to fail moves a utility as far as a
    /// constant step of 0.3 does.
    pub fn gain(&self) -> f64 {
        FIRST_STEP * (self.prior_runs + 1.0)
    }

    /// A worth on the scale of utilities: 0.5 for a memory that nobody tried, and no ends.
    pub fn utility(&self, worth: f64) -> f64 {
        0.5 + self.gain() * (worth - self.prior_worth)
    }
}
