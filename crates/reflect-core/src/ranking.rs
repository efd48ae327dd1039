//! Which memories an answer holds, and in which order.
//!
//! Similarity says whether a lesson is about this task, utility whether it helped before. Both are blended into one
//! score; then maximal marginal relevance (Carbonell and Goldstein, 1998) keeps an answer from saying one thing ten
//! times.

use std::{cmp::Ordering, collections::BinaryHeap};

use crate::MemoryId;

/// `(1 − λ) · similarity + λ · utility`: λ = 0 is pure similarity, λ = 1 pure utility.
pub fn blend(similarity: f64, utility: f64, lambda: f64) -> f64 {
    (1.0 - lambda) * similarity + lambda * utility
}

/// How many of the best by score diversity chooses from.
pub const fn pool_size(limit: usize) -> usize {
    let four_times = limit.saturating_mul(4);
    if four_times > 100 { four_times } else { 100 }
}

/// One memory that may be shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// Which memory.
    pub memory_id: MemoryId,
    /// Its blended score.
    pub score: f64,
}

impl Candidate {
    /// Best first: by score from high to low, equal scores by id. A total order, so answers are repeatable.
    pub fn best_first(left: &Self, right: &Self) -> Ordering {
        right.score.total_cmp(&left.score).then(left.memory_id.cmp(&right.memory_id))
    }
}

/// Picks up to `limit` of `pool` one by one, each time the one that maximises
///
/// ```text
/// m · score − (1 − m) · max cosine to those already picked      (0 when none is)
/// ```
///
/// with ties going to the smaller id, and returns them in the order in which they were picked.
/// `cosine` takes two positions in `pool`. All are held against the first pick, and against later ones only while they look like the best of the
/// rest: another look can only make a candidate worse. With `m` = 1 diversity has no say and it is not called at all.
pub fn diversify(pool: &[Candidate], limit: usize, m: f64, cosine: impl Fn(usize, usize) -> f64) -> Vec<Picked> {
    let candidates = (0..).zip(pool).map(|(position, candidate)| Remaining::new(position, candidate, m));
    let mut remaining: BinaryHeap<Remaining> = candidates.collect();
    let mut picked: Vec<Remaining> = Vec::with_capacity(limit.min(pool.len()));
    while picked.len() < limit
        && let Some(best) = remaining.pop()
    {
        if m < 1.0 && best.held_against < picked.len() {
            remaining.push(best.hold_against(&picked, m, &cosine));
            continue;
        }
        picked.push(best);
        if m < 1.0 && picked.len() == 1 {
            remaining = remaining.into_iter().map(|other| other.hold_against(&picked, m, &cosine)).collect();
        }
    }
    picked.into_iter().map(|chosen| Picked { position: chosen.position, penalty: chosen.penalty(m) }).collect()
}

/// One candidate that diversity let through.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Picked {
    /// Its position in the pool.
    pub position: usize,
    /// What it lost for being near to those picked before it: `(1 − m) · max cosine`. Negative for one that points away.
    pub penalty: f64,
}

struct Remaining {
    position: usize,
    candidate: Candidate,
    /// The largest cosine to those picked that it was held against; below every cosine while there is none.
    nearest: f64,
    /// How many of those picked it was held against, from the first on.
    held_against: usize,
    /// What picking it would be worth, by what is known of it.
    value: f64,
}

impl Remaining {
    fn new(position: usize, candidate: &Candidate, m: f64) -> Self {
        let (candidate, value) = (*candidate, m * candidate.score);
        Self { position, candidate, nearest: f64::NEG_INFINITY, held_against: 0, value }
    }

    /// The same, held against all that are picked.
    fn hold_against(mut self, picked: &[Self], m: f64, cosine: impl Fn(usize, usize) -> f64) -> Self {
        for other in picked.get(self.held_against..).unwrap_or_default() {
            self.nearest = self.nearest.max(cosine(other.position, self.position));
        }
        self.held_against = picked.len();
        self.value = m * self.candidate.score - self.penalty(m);
        self
    }

    fn penalty(&self, m: f64) -> f64 {
        let nearest = if self.nearest == f64::NEG_INFINITY { 0.0 } else { self.nearest };
        (1.0 - m) * nearest
    }
}

/// By value; of equal ones the smaller id is the greater.
impl Ord for Remaining {
    fn cmp(&self, other: &Self) -> Ordering {
        self.value.total_cmp(&other.value).then_with(|| other.candidate.memory_id.cmp(&self.candidate.memory_id))
    }
}

impl PartialOrd for Remaining {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Remaining {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Remaining {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn lambda_zero_is_similarity_and_one_is_utility() {
        assert_eq!(blend(0.9, 0.2, 0.0), 0.9);
        assert_eq!(blend(0.9, 0.2, 1.0), 0.2);
        assert!((blend(0.9, 0.2, 0.5) - 0.55).abs() < 1e-12);
    }

    #[test]
    fn the_pool_is_four_times_the_limit_and_at_least_a_hundred() {
        assert_eq!(pool_size(10), 100);
        assert_eq!(pool_size(1_000), 4_000);
        assert_eq!(pool_size(usize::MAX), usize::MAX);
    }

    #[test]
    fn a_twin_gives_way_to_something_new() {
        let pool = [candidate(1, 0.9), candidate(2, 0.89), candidate(3, 0.6)];
        let twins = |left: usize, right: usize| if left + right == 1 { 1.0 } else { 0.0 };
        assert_eq!(positions(&diversify(&pool, 2, 0.7, twins)), [0, 2]);
        assert_eq!(positions(&diversify(&pool, 2, 1.0, twins)), [0, 1]);
        let third = diversify(&pool, 3, 0.7, twins)[2];
        assert_eq!((third.position, third.penalty), (1, 1.0 - 0.7));
    }

    fn positions(picked: &[Picked]) -> Vec<usize> {
        picked.iter().map(|picked| picked.position).collect()
    }

    fn candidate(id: u128, score: f64) -> Candidate {
        Candidate { memory_id: MemoryId::from_uuid(Uuid::from_u128(id)), score }
    }

    /// The definition, word for word: every value from scratch at every pick.
    fn diversify_slowly(pool: &[Candidate], limit: usize, m: f64, cosine: impl Fn(usize, usize) -> f64) -> Vec<usize> {
        let mut picked: Vec<usize> = Vec::new();
        while picked.len() < limit.min(pool.len()) {
            let value = |position: usize| {
                let nearest = picked.iter().map(|&other| cosine(other, position)).reduce(f64::max).unwrap_or(0.0);
                m * pool[position].score - (1.0 - m) * nearest
            };
            let mut rest: Vec<usize> = (0..pool.len()).filter(|position| !picked.contains(position)).collect();
            rest.sort_by(|&left, &right| {
                value(right).total_cmp(&value(left)).then(pool[left].memory_id.cmp(&pool[right].memory_id))
            });
            picked.push(rest[0]);
        }
        picked
    }

    proptest! {
        #[test]
        fn diversity_equals_its_slow_definition(
            // Few distinct scores and cosines, so that ties are common.
            scores in prop::collection::vec((0..6_u8).prop_map(|n| f64::from(n) / 5.0), 0..24),
            cosines in prop::collection::vec((0..5_u8).prop_map(|n| f64::from(n) / 2.0 - 1.0), 24 * 24),
            limit in 0..30_usize,
            m in prop_oneof![Just(0.0), Just(0.7), Just(1.0), 0.0..=1.0_f64],
        ) {
            let ids = (0..).map(|id| (id * 7) % 31);
            let pool: Vec<Candidate> = scores.iter().zip(ids).map(|(score, id)| candidate(id, *score)).collect();
            let cosine = |left: usize, right: usize| cosines[left.min(right) * 24 + left.max(right)];
            prop_assert_eq!(positions(&diversify(&pool, limit, m, cosine)), diversify_slowly(&pool, limit, m, cosine));
        }

        #[test]
        fn a_blend_lies_between_its_parts(similarity in -1.0..=1.0_f64, utility in 0.0..=1.0_f64, lambda in 0.0..=1.0_f64) {
            let score = blend(similarity, utility, lambda);
            prop_assert!(score >= similarity.min(utility) - 1e-12 && score <= similarity.max(utility) + 1e-12);
        }
    }
}
