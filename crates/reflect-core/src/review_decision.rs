//! Whether a review counts, and with which step size, given the review that its run has already.

use crate::{IngestStatus, NewReview, Review, ReviewSource};

/// What becomes of a review.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ReviewDecision {
    /// It is the run's first: it counts with this step size.
    First {
        /// The step size.
        alpha: f64,
    },
    /// It replaces the present review and counts with this step size.
    Replace {
        /// The step size.
        alpha: f64,
    },
    /// The run has exactly this review already.
    Repeated,
    /// The run has another review.
    AlreadyReviewed,
    /// The run has a review whose lesson is still being written.
    InProgress,
}

impl ReviewDecision {
    /// Decides about `new`, given the `present` review of the run and how far its lesson has come. A judge's review is provisional: any
    /// other one replaces it, even while its lesson is being written, and a judge's own replaces none unasked.
    pub fn of(present: Option<&Review>, ingest: IngestStatus, new: &NewReview, default_alpha: f64) -> Self {
        let Some(present) = present else {
            return Self::First { alpha: new.alpha.unwrap_or(default_alpha) };
        };
        if new.repeats(present) {
            return Self::Repeated;
        }
        let gives_way = present.source == ReviewSource::Judge && new.source != ReviewSource::Judge;
        if !gives_way && matches!(ingest, IngestStatus::Queued | IngestStatus::Processing) {
            return Self::InProgress;
        }
        if !gives_way && !new.supersedes {
            return Self::AlreadyReviewed;
        }
        // A correction that asks for no step size keeps the one that applied: it is meant to end where the first review would have,
        // had it carried this result. The caution that a judge asked for is not handed on.
        let cautious = present.source == ReviewSource::Judge && present.asked_alpha.is_some();
        let inherited = if cautious { default_alpha } else { present.alpha };
        Self::Replace { alpha: new.alpha.unwrap_or(inherited) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Outcome, ReviewId, ReviewMode, Timestamp, TraceId};

    fn outcome() -> impl Strategy<Value = Outcome> {
        prop_oneof![Just(Outcome::Pass), Just(Outcome::Fail)]
    }

    fn source() -> impl Strategy<Value = ReviewSource> {
        prop_oneof![Just(ReviewSource::Api), Just(ReviewSource::Console), Just(ReviewSource::Judge)]
    }

    fn alpha() -> impl Strategy<Value = Option<f64>> {
        prop::option::of(prop_oneof![Just(0.1), Just(0.9)])
    }

    fn ingest() -> impl Strategy<Value = IngestStatus> {
        use IngestStatus::{Completed, Failed, Processing, Queued};
        prop_oneof![Just(Queued), Just(Processing), Just(Completed), Just(Failed)]
    }

    fn score() -> impl Strategy<Value = Option<f64>> {
        prop::option::of(prop_oneof![Just(0.25), Just(1.0)])
    }

    fn new_review() -> impl Strategy<Value = NewReview> {
        let drawn = (outcome(), score(), source(), alpha(), any::<bool>());
        drawn.prop_map(|(result, score, source, alpha, supersedes)| NewReview {
            result,
            score,
            feedback_text: None,
            alpha,
            reflection: None,
            source,
            supersedes,
        })
    }

    /// The review that `new` becomes when it is accepted with the step size `alpha`.
    fn accepted(new: &NewReview, alpha: f64) -> Review {
        Review {
            id: ReviewId::from_uuid(uuid::Uuid::nil()),
            trace_id: TraceId::from_uuid(uuid::Uuid::nil()),
            result: new.result,
            score: new.score,
            feedback_text: new.feedback_text.clone(),
            mode: ReviewMode::Deferred,
            source: new.source,
            asked_alpha: new.alpha,
            alpha,
            reflection: new.reflection.clone(),
            created_at: Timestamp::from_micros(0),
        }
    }

    fn is_judge(source: ReviewSource) -> bool {
        source == ReviewSource::Judge
    }

    proptest! {
        #[test]
        fn a_first_review_counts_with_the_step_size_it_asks_for(new in new_review(), ingest in ingest()) {
            let decided = ReviewDecision::of(None, ingest, &new, 0.3);
            prop_assert_eq!(decided, ReviewDecision::First { alpha: new.alpha.unwrap_or(0.3) });
        }

        #[test]
        fn the_same_review_again_changes_nothing(new in new_review(), ingest in ingest()) {
            let present = accepted(&new, new.alpha.unwrap_or(0.3));
            prop_assert_eq!(ReviewDecision::of(Some(&present), ingest, &new, 0.3), ReviewDecision::Repeated);
        }

        #[test]
        fn a_judge_gives_way_to_everyone_and_others_only_to_those_who_say_so(
            old in new_review(), new in new_review(), ingest in ingest(),
        ) {
            let present = accepted(&old, old.alpha.unwrap_or(0.3));
            let decided = ReviewDecision::of(Some(&present), ingest, &new, 0.3);
            let busy = matches!(ingest, IngestStatus::Queued | IngestStatus::Processing);
            let provisional = is_judge(old.source) && !is_judge(new.source);
            if new.repeats(&present) {
                prop_assert_eq!(decided, ReviewDecision::Repeated);
            } else if provisional {
                let replaces = matches!(decided, ReviewDecision::Replace { .. });
                prop_assert!(replaces, "{:?}", decided);
            } else if busy {
                prop_assert_eq!(decided, ReviewDecision::InProgress);
            } else {
                prop_assert_eq!(matches!(decided, ReviewDecision::Replace { .. }), new.supersedes);
            }
        }

        #[test]
        fn a_correction_keeps_the_step_size_unless_it_was_a_judges_own(old in new_review(), new in new_review()) {
            let present = accepted(&old, old.alpha.unwrap_or(0.7));
            if let ReviewDecision::Replace { alpha } = ReviewDecision::of(Some(&present), IngestStatus::Completed, &new, 0.3) {
                let judges_own = is_judge(old.source) && old.alpha.is_some();
                let inherited = if judges_own { 0.3 } else { present.alpha };
                prop_assert_eq!(alpha, new.alpha.unwrap_or(inherited));
            }
        }
    }
}
