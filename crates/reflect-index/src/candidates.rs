//! The rows that may be among the best, while a scan is under way.

use crate::{block::Side, layout::Layout};

/// A row whose score lies between two bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bounded {
    pub(crate) row: u32,
    pub(crate) highest: f32,
    /// Negative infinity for a row that is retired, that may turn out to be under the floor, or whose bound makes no difference.
    pub(crate) lowest: f32,
    /// The side that its similarity is by, if that is certain.
    pub(crate) nearer: Option<Side>,
}

/// Keeps every row that may be among the best `pool`. A row is dropped only when that many others are certain to beat it.
#[derive(Debug)]
pub(crate) struct Candidates {
    pool: usize,
    kept: Vec<Bounded>,
    /// `pool` rows are certain to score at least this.
    threshold: f32,
    layout: Layout,
    /// How many may be kept before those that cannot win any more are dropped.
    prune_at: usize,
}

impl Candidates {
    pub(crate) fn new(pool: usize, layout: Layout) -> Self {
        Self { pool, kept: Vec::new(), threshold: f32::NEG_INFINITY, layout, prune_at: layout.prune_at(pool) }
    }

    /// The same, where `pool` rows are certain to score at least `threshold`.
    pub(crate) fn above(threshold: f32, pool: usize, layout: Layout) -> Self {
        Self { threshold, ..Self::new(pool, layout) }
    }

    /// A row that cannot reach this is not among the best.
    pub(crate) fn threshold(&self) -> f32 {
        self.threshold
    }

    pub(crate) fn push(&mut self, candidate: Bounded) {
        self.kept.push(candidate);
        if self.kept.len() >= self.prune_at {
            self.prune();
        }
    }

    /// All that may be among the best, in no order.
    pub(crate) fn finish(mut self) -> Vec<Bounded> {
        self.prune();
        self.kept
    }

    pub(crate) fn join(mut self, other: Self) -> Self {
        self.threshold = self.threshold.max(other.threshold);
        self.kept.extend(other.kept);
        self
    }

    /// Drops those that cannot win any more.
    pub(crate) fn prune(&mut self) {
        if let Some(last) = self.pool.checked_sub(1)
            && last < self.kept.len()
        {
            let (_, nth, _) = self.kept.select_nth_unstable_by(last, |a, b| b.lowest.total_cmp(&a.lowest));
            self.threshold = self.threshold.max(nth.lowest);
        }
        let threshold = self.threshold;
        // A bound that is not a number says nothing, so its row stays.
        self.kept.retain(|candidate| candidate.highest >= threshold || candidate.highest.is_nan());
        self.prune_at = self.layout.prune_at(self.pool).max(self.kept.len().saturating_mul(2));
    }
}
