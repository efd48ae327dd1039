//! The queries of a holdout, counted for the report.

use std::collections::BTreeMap;

use super::{
    assignment::Draw,
    report::{AssignedRun, LiftReport},
};
use crate::{Outcome, ReviewId, ReviewSource, Timestamp, TraceId};

/// A query that was drawn for one of the arms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DrawnQuery {
    /// Which arm.
    pub draw: Draw,
    /// When it was asked.
    pub asked_at: Timestamp,
    /// The first run that followed it, if one was recorded.
    pub run: Option<DrawnRun>,
}

/// A run that followed such a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DrawnRun {
    /// The run.
    pub trace_id: TraceId,
    /// Whether it named the query. If not, it was joined to it by its memories or its task.
    pub is_named: bool,
    /// Its review, if it has one.
    pub review: Option<RunReview>,
}

/// What a review said of such a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunReview {
    /// The review. Ids sort by age.
    pub id: ReviewId,
    /// What it said.
    pub result: Outcome,
    /// Where it came from.
    pub source: ReviewSource,
}

/// What is not to count. Whatever is left out is taken for a run without a review, so that leaving out more of one arm is noticed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Reviews by the judge.
    pub judged: bool,
    /// Runs that did not name their query.
    pub unnamed: bool,
}

/// What became of the tasks that were drawn for one arm.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DrawCounts {
    /// Those of which no run was recorded.
    pub unrecorded: u64,
    /// Those whose run has no review.
    pub unreviewed: u64,
    /// Those whose run the judge reviewed.
    pub judged: u64,
    /// Those whose run did not name its query.
    pub unnamed: u64,
}

/// The newest queries that were drawn with one and the same share.
#[derive(Debug, Clone, Default)]
pub struct HoldoutPeriod {
    share: Option<f64>,
    since: Option<Timestamp>,
    /// For each draw the query that counts: the one with the first run.
    draws: BTreeMap<i64, DrawnQuery>,
}

/// The report on a period, and what it was counted from.
#[derive(Debug, Clone, PartialEq)]
pub struct HoldoutReport {
    /// The report.
    pub lift: LiftReport,
    /// The share that was held out; `None` if nothing was ever drawn.
    pub share: Option<f64>,
    /// When the period began.
    pub since: Option<Timestamp>,
    /// What became of the tasks with memories.
    pub with: DrawCounts,
    /// What became of those without.
    pub without: DrawCounts,
}

impl HoldoutPeriod {
    /// Takes in the next query, the newest first. Answers whether it belongs to the period; if not, no older one does.
    pub fn add(&mut self, query: DrawnQuery) -> bool {
        if *self.share.get_or_insert(query.draw.share) != query.draw.share {
            return false;
        }
        self.since = Some(query.asked_at);
        let counted = self.draws.entry(query.draw.number).or_insert(query);
        let first = |query: &DrawnQuery| query.run.map(|run| run.trace_id);
        let is_earlier = match (first(&query), first(counted)) {
            (Some(other), Some(first)) => other < first,
            (other, first) => other.is_some() && first.is_none(),
        };
        if is_earlier {
            *counted = query;
        }
        true
    }

    /// What the period says about memories.
    pub fn report(&self, left_out: LeftOut) -> HoldoutReport {
        let (mut with, mut without) = (DrawCounts::default(), DrawCounts::default());
        for query in self.draws.values() {
            if query.draw.held_out { &mut without } else { &mut with }.add(query.run);
        }
        let mut runs: Vec<(Option<ReviewId>, AssignedRun)> =
            self.draws.values().map(|query| assigned(query, left_out)).collect();
        runs.sort_by_key(|(review_id, _)| *review_id);
        let runs: Vec<AssignedRun> = runs.into_iter().map(|(_, run)| run).collect();
        HoldoutReport { lift: LiftReport::of(&runs), share: self.share, since: self.since, with, without }
    }
}

impl DrawCounts {
    fn add(&mut self, run: Option<DrawnRun>) {
        let Some(run) = run else {
            self.unrecorded += 1;
            return;
        };
        self.unnamed += u64::from(!run.is_named);
        match run.review {
            None => self.unreviewed += 1,
            Some(review) => self.judged += u64::from(review.source == ReviewSource::Judge),
        }
    }
}

/// A draw as the report takes it, with the review that counts.
fn assigned(query: &DrawnQuery, left_out: LeftOut) -> (Option<ReviewId>, AssignedRun) {
    let run = query.run.filter(|run| run.is_named || !left_out.unnamed);
    let review = run.and_then(|run| run.review);
    let review = review.filter(|review| review.source != ReviewSource::Judge || !left_out.judged);
    let passed = review.map(|review| review.result == Outcome::Pass);
    let Draw { held_out, share, .. } = query.draw;
    (review.map(|review| review.id), AssignedRun { held_out, share, passed })
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::lift::{PassRate, Verdict};

    fn run(number: u32, result: Option<Outcome>) -> DrawnRun {
        let uuid = Uuid::from_u128(number.into());
        let review =
            result.map(|result| RunReview { id: ReviewId::from_uuid(uuid), result, source: ReviewSource::Api });
        DrawnRun { trace_id: TraceId::from_uuid(uuid), is_named: true, review }
    }

    fn query(number: i64, held_out: bool, run: Option<DrawnRun>) -> DrawnQuery {
        let draw = Draw { number, held_out, share: 0.2 };
        DrawnQuery { draw, asked_at: Timestamp::from_micros(1_000 - number), run }
    }

    fn report(queries: &[DrawnQuery], left_out: LeftOut) -> HoldoutReport {
        let mut period = HoldoutPeriod::default();
        queries.iter().take_while(|query| period.add(**query)).count();
        period.report(left_out)
    }

    #[test]
    fn only_the_first_run_of_a_draw_counts() {
        let queries = [
            query(1, false, None),
            query(1, false, Some(run(9, Some(Outcome::Fail)))),
            query(1, false, Some(run(3, Some(Outcome::Pass)))),
            query(1, false, Some(run(5, Some(Outcome::Fail)))),
            query(2, true, Some(run(4, Some(Outcome::Fail)))),
        ];
        for queries in [queries.to_vec(), queries.iter().rev().copied().collect()] {
            let lift = report(&queries, LeftOut::default()).lift;
            assert_eq!((lift.with.assigned, lift.with.reviewed), (1, PassRate { passes: 1, runs: 1 }));
            assert_eq!((lift.without.assigned, lift.without.reviewed), (1, PassRate { passes: 0, runs: 1 }));
        }
    }

    #[test]
    fn a_change_of_the_share_begins_a_new_period() {
        let older = DrawnQuery { draw: Draw { number: 9, held_out: true, share: 0.1 }, ..query(9, true, None) };
        let found = report(&[query(1, false, None), query(2, true, None), older], LeftOut::default());
        assert_eq!((found.share, found.since), (Some(0.2), Some(Timestamp::from_micros(998))));
        assert_eq!((found.with.unrecorded, found.without.unrecorded), (1, 1));
        let nothing = report(&[], LeftOut::default());
        assert_eq!((nothing.share, nothing.lift.verdict), (None, Verdict::NotKnownYet));
    }

    #[test]
    fn what_is_left_out_counts_as_not_reviewed() {
        let judged = |number, result| {
            let run = run(number, Some(result));
            DrawnRun { review: run.review.map(|review| RunReview { source: ReviewSource::Judge, ..review }), ..run }
        };
        let unnamed = DrawnRun { is_named: false, ..run(3, Some(Outcome::Pass)) };
        let queries = [
            query(1, false, Some(run(1, Some(Outcome::Pass)))),
            query(2, false, Some(judged(2, Outcome::Fail))),
            query(3, false, Some(unnamed)),
            query(4, false, Some(run(4, None))),
            query(5, false, None),
        ];
        let all = report(&queries, LeftOut::default());
        assert_eq!(all.with, DrawCounts { unrecorded: 1, unreviewed: 1, judged: 1, unnamed: 1 });
        assert_eq!((all.lift.with.assigned, all.lift.with.reviewed), (5, PassRate { passes: 2, runs: 3 }));
        let some = report(&queries, LeftOut { judged: true, unnamed: true });
        assert_eq!(some.with, all.with);
        assert_eq!((some.lift.with.assigned, some.lift.with.reviewed), (5, PassRate { passes: 1, runs: 1 }));
    }
}
