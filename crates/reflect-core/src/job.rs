//! Work that is done between requests.

use crate::text_enum::text_enum;

text_enum! {
    /// What a job is for.
    JobKind {
        /// Writes the lesson of a review.
        Lesson = "lesson",
        /// Replaces a lesson that was written by rules because the model was not there in time.
        FollowUp = "follow_up",
    }
}

/// How many of the `free` slots the next of `claimants` may take, the others still to come: an equal part, rounded up, and no more than
/// `at_most`. What a claimant leaves goes to those after it.
pub fn fair_share(free: usize, claimants: usize, at_most: usize) -> usize {
    free.div_ceil(claimants.max(1)).min(at_most)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn slots_are_shared_out_fairly_and_never_twice(free in 0..100_usize, wants in prop::collection::vec((0..40_usize, 0..40_usize), 1..8)) {
            let mut left = free;
            let mut taken = Vec::new();
            for (index, (waiting, at_most)) in wants.iter().enumerate() {
                let took = fair_share(left, wants.len() - index, *at_most).min(*waiting);
                left -= took;
                taken.push(took);
            }
            prop_assert_eq!(taken.iter().sum::<usize>() + left, free);
            let equal_part = free / wants.len();
            for (took, (waiting, at_most)) in taken.iter().zip(&wants) {
                prop_assert!(took <= at_most && *took >= equal_part.min(*waiting).min(*at_most), "{:?} of {:?}", taken, wants);
            }
        }

        #[test]
        fn claimants_that_want_all_differ_by_one(free in 0..100_usize, claimants in 1..8_usize) {
            let mut left = free;
            let mut shares = Vec::new();
            for index in 0..claimants {
                let share = fair_share(left, claimants - index, usize::MAX);
                left -= share;
                shares.push(share);
            }
            prop_assert_eq!(left, 0);
            prop_assert!(shares.iter().max().unwrap() - shares.iter().min().unwrap() <= 1, "{:?}", shares);
        }
    }
}
