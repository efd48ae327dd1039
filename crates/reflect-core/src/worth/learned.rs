//! A memory's figures under either rule.

use super::{Evidence, Worth, WorthConstants};
use crate::{moving_average::step, text_enum::text_enum};

text_enum! {
    /// Which rule learns.
    LearningRule {
        /// What a memory adds, against what was to be expected.
        Worth = "worth",
        /// A moving average with a constant step: how the runs went that saw the memory.
        Constant = "constant",
    }
}

/// What a memory's live evidence adds up to, by either rule. Both are kept, so that a project that takes the other rule folds nothing again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Learned {
    /// By constant steps, in [0, 1].
    pub average: f64,
    /// By what it adds.
    pub worth: Worth,
}

impl Default for Learned {
    fn default() -> Self {
        Self { average: 0.5, worth: Worth::default() }
    }
}

impl Learned {
    /// The figures of live evidence in the order of its positions.
    pub fn of<'a>(evidence: impl IntoIterator<Item = &'a Evidence>, constants: &WorthConstants) -> Self {
        evidence.into_iter().fold(Self::default(), |learned, evidence| learned.with(evidence, constants))
    }

    /// These figures after one more run at the end.
    #[must_use]
    pub fn with(self, evidence: &Evidence, constants: &WorthConstants) -> Self {
        Self {
            average: step(self.average, evidence.step(), evidence.score),
            worth: self.worth.with(evidence, constants),
        }
    }

    /// What the memory is ranked by.
    pub fn utility(&self, rule: LearningRule, constants: &WorthConstants) -> f64 {
        match rule {
            LearningRule::Worth => self.worth.utility(constants),
            LearningRule::Constant => self.average,
        }
    }

    /// What clients see, in [0, 1].
    pub fn q_value(&self, rule: LearningRule, constants: &WorthConstants) -> f64 {
        match rule {
            LearningRule::Worth => self.worth.q_value(constants),
            LearningRule::Constant => self.average,
        }
    }

    /// Whether queries leave the memory out while its evidence is fresh. Constant steps retire nothing.
    pub fn is_retired(&self, rule: LearningRule, constants: &WorthConstants) -> bool {
        rule == LearningRule::Worth && self.worth.is_retired(constants)
    }

    /// Whether both are the same to the bit.
    pub const fn is_exactly(&self, other: &Self) -> bool {
        self.average.to_bits() == other.average.to_bits() && self.worth.is_exactly(&other.worth)
    }
}
