//! Which of the ranked memories an answer shows.

/// How a slate is put together from memories in the order of their scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlatePlan {
    /// How many memories were ranked.
    pub ranked: usize,
    /// How many are shown at most.
    pub limit: usize,
    /// The position of the one that goes first whatever its rank, and even if it is retired.
    pub first: Option<usize>,
}

/// The positions of the memories to show, in their order: the best that are not retired.
pub fn slate(plan: SlatePlan, is_retired: impl Fn(usize) -> bool) -> Vec<usize> {
    let others = (0..plan.ranked).filter(|position| plan.first != Some(*position) && !is_retired(*position));
    plan.first.into_iter().chain(others).take(plan.limit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retired_memories_are_passed_over_unless_they_are_on_trial() {
        let retired = |position: usize| position % 2 == 1;
        let plan = SlatePlan { ranked: 6, limit: 2, first: None };
        assert_eq!(slate(plan, retired), [0, 2]);
        assert_eq!(slate(SlatePlan { first: Some(3), ..plan }, retired), [3, 0]);
        assert_eq!(slate(SlatePlan { limit: 9, ..plan }, retired), [0, 2, 4]);
        assert!(slate(SlatePlan { limit: 0, first: Some(1), ..plan }, retired).is_empty());
    }
}
