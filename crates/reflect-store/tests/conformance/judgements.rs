//! The judge: which traces it is asked about, what its word is worth, and how it has done.

use reflect_core::{
    Confusion, IngestStatus, JudgeReport, JudgeVerdict, Judgement, Outcome, ReviewSource, ReviewStatus, Timestamp,
    TraceId,
};
use reflect_store::{JudgementClaim, JudgementInsert, ReviewInsert, Reviewed, Store, Unanswered};

use crate::support::{DEFAULT_ALPHA, FAR_AHEAD, Fixture, conformance};

conformance! {
    only_old_traces_without_a_review_are_claimed,
    a_claimed_trace_is_not_claimed_again_before_its_lease_ends,
    a_verdict_becomes_a_provisional_review,
    an_unknown_verdict_leaves_the_trace_pending,
    a_trace_that_is_not_to_be_asked_about_again_is_not,
    a_failure_is_asked_about_again_at_its_time,
    a_review_by_someone_else_in_the_meantime_stands,
    any_other_review_replaces_a_judges_exactly,
    a_judges_review_gives_way_while_its_lesson_is_being_written,
    a_judges_review_does_not_replace_anothers,
    a_review_that_was_taken_back_is_not_judged_again,
    the_report_holds_the_judge_against_others,
    a_deleted_trace_leaves_no_judgement,
    a_question_waits_while_there_is_a_review_and_is_due_again_when_it_is_taken_back,
    those_that_are_due_again_come_before_those_never_asked_about,
    a_clock_that_was_set_back_keeps_no_question_waiting,
}

/// Long after everything that a test stored.
fn much_later(fixture: &Fixture<'_>) -> Timestamp {
    fixture.now().plus_millis(3_600_000)
}

async fn claim(fixture: &Fixture<'_>) -> Vec<TraceId> {
    let now = much_later(fixture);
    let claimed = fixture
        .store
        .claim_judgements(
            fixture.id(),
            JudgementClaim {
                stored_by: now,
                lease_until: now.plus_millis(60_000),
                now,
                latest_due: FAR_AHEAD,
                limit: 10,
            },
        )
        .await
        .unwrap();
    claimed.into_iter().map(|(trace_id, ..)| trace_id).collect()
}

fn judges_review(fixture: &Fixture<'_>, result: Outcome) -> ReviewInsert {
    let mut insert = fixture.new_review(result);
    insert.review.source = ReviewSource::Judge;
    insert.review.alpha = Some(0.1);
    insert.awaited = false;
    insert
}

fn verdict(fixture: &Fixture<'_>, trace_id: TraceId, verdict: JudgeVerdict) -> JudgementInsert {
    JudgementInsert {
        judgement: Judgement {
            trace_id,
            verdict,
            reason: "the run shows it".into(),
            model: "openai/judge".into(),
            judged_at: fixture.now(),
        },
        review: verdict.outcome().map(|result| judges_review(fixture, result)),
        ask_again_at: None,
    }
}

async fn judge(fixture: &Fixture<'_>, trace_id: TraceId, said: JudgeVerdict) -> Option<Reviewed> {
    let insert = verdict(fixture, trace_id, said);
    fixture.store.insert_judgement(fixture.id(), insert, fixture.now()).await.unwrap()
}

async fn only_old_traces_without_a_review_are_claimed(store: &Store) {
    let fixture = Fixture::new(store).await;
    let old = fixture.run(&[]).await;
    fixture.queued_run(&[], Outcome::Pass).await;
    fixture.taught_run(&[], Outcome::Pass).await;
    let other = Fixture::in_project(store, "other").await;
    other.run(&[]).await;
    let stored_by = fixture.now();
    fixture.run(&[]).await;
    let until = fixture.now().plus_millis(60_000);
    let claimed = store
        .claim_judgements(
            fixture.id(),
            JudgementClaim { stored_by, lease_until: until, now: fixture.now(), latest_due: FAR_AHEAD, limit: 10 },
        )
        .await
        .unwrap();
    assert_eq!(claimed, [(old, 1, 0)]);
}

async fn a_claimed_trace_is_not_claimed_again_before_its_lease_ends(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = fixture.run(&[]).await;
    let now = much_later(&fixture);
    let lease = now.plus_millis(60_000);
    assert_eq!(
        store
            .claim_judgements(
                fixture.id(),
                JudgementClaim { stored_by: now, lease_until: lease, now, latest_due: FAR_AHEAD, limit: 10 }
            )
            .await
            .unwrap(),
        [(trace_id, 1, 0)]
    );
    assert_eq!(
        store
            .claim_judgements(
                fixture.id(),
                JudgementClaim { stored_by: now, lease_until: lease, now, latest_due: FAR_AHEAD, limit: 10 }
            )
            .await
            .unwrap(),
        []
    );
    let again = store
        .claim_judgements(
            fixture.id(),
            JudgementClaim {
                stored_by: now,
                lease_until: lease.plus_millis(60_000),
                now: lease,
                latest_due: FAR_AHEAD,
                limit: 10,
            },
        )
        .await
        .unwrap();
    assert_eq!(again, [(trace_id, 2, 0)], "whoever held it has died");
}

async fn a_verdict_becomes_a_provisional_review(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory_id = fixture.seed_memory().await;
    let trace_id = fixture.run(&[memory_id]).await;
    assert_eq!(claim(&fixture).await, [trace_id]);
    assert_eq!(judge(&fixture, trace_id, JudgeVerdict::Pass).await, Some(Reviewed::Accepted));
    let trace = fixture.trace(trace_id).await;
    let review = trace.review.unwrap();
    assert_eq!((review.result, review.source, review.alpha), (Outcome::Pass, ReviewSource::Judge, 0.1));
    assert_eq!(trace.ingest_status, IngestStatus::Queued);
    assert!((fixture.memory(memory_id).await.tally.utility() - 0.55).abs() < 1e-12);
    assert!(fixture.complete(fixture.claim_one().await).await);
    assert_eq!(fixture.trace(trace_id).await.review_status, ReviewStatus::Reviewed);
    assert_eq!(claim(&fixture).await, []);
}

async fn an_unknown_verdict_leaves_the_trace_pending(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = fixture.run(&[]).await;
    claim(&fixture).await;
    let now = much_later(&fixture).plus_millis(86_400_000);
    let insert = JudgementInsert { ask_again_at: Some(now), ..verdict(&fixture, trace_id, JudgeVerdict::Unknown) };
    store.insert_judgement(fixture.id(), insert, fixture.now()).await.unwrap();
    let trace = fixture.trace(trace_id).await;
    assert_eq!((trace.review_status, trace.review), (ReviewStatus::Pending, None));
    assert_eq!(claim(&fixture).await, []);
    let again = store
        .claim_judgements(
            fixture.id(),
            JudgementClaim { stored_by: now, lease_until: now.plus_millis(1), now, latest_due: FAR_AHEAD, limit: 10 },
        )
        .await
        .unwrap();
    assert_eq!(again, [(trace_id, 2, 1)], "it is known how often the answer was unknown");
}

async fn a_trace_that_is_not_to_be_asked_about_again_is_not(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = fixture.run(&[]).await;
    claim(&fixture).await;
    judge(&fixture, trace_id, JudgeVerdict::Unknown).await;
    assert_eq!(claim(&fixture).await, []);
}

async fn a_failure_is_asked_about_again_at_its_time(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = fixture.run(&[]).await;
    claim(&fixture).await;
    let now = much_later(&fixture);
    let unanswered =
        Unanswered { trace_id, error: "the model is down".into(), ask_again_at: Some(now.plus_millis(1_000)) };
    store.insert_unanswered(fixture.id(), unanswered.clone()).await.unwrap();
    assert_eq!(
        store
            .claim_judgements(
                fixture.id(),
                JudgementClaim { stored_by: now, lease_until: now, now, latest_due: FAR_AHEAD, limit: 10 }
            )
            .await
            .unwrap(),
        []
    );
    let due = now.plus_millis(1_000);
    assert_eq!(
        store
            .claim_judgements(
                fixture.id(),
                JudgementClaim { stored_by: due, lease_until: due, now: due, latest_due: FAR_AHEAD, limit: 10 }
            )
            .await
            .unwrap(),
        [(trace_id, 2, 0)]
    );
    store.insert_unanswered(fixture.id(), Unanswered { ask_again_at: None, ..unanswered }).await.unwrap();
    assert_eq!(claim(&fixture).await, []);
    assert_eq!(store.judge_report(fixture.id()).await.unwrap().given_up, 1);
}

async fn a_review_by_someone_else_in_the_meantime_stands(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = fixture.run(&[]).await;
    claim(&fixture).await;
    fixture.review(trace_id, fixture.new_review(Outcome::Fail)).await;
    assert_eq!(judge(&fixture, trace_id, JudgeVerdict::Pass).await, Some(Reviewed::InProgress));
    let review = fixture.trace(trace_id).await.review.unwrap();
    assert_eq!((review.result, review.source), (Outcome::Fail, ReviewSource::Api));
    let confusion = store.judge_report(fixture.id()).await.unwrap().confusion;
    assert_eq!(confusion, Confusion { pass_fail: 1, ..Confusion::default() });
}

async fn any_other_review_replaces_a_judges_exactly(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory_id = fixture.seed_memory().await;
    let judged = fixture.run(&[memory_id]).await;
    claim(&fixture).await;
    judge(&fixture, judged, JudgeVerdict::Pass).await;
    assert!(fixture.complete(fixture.claim_one().await).await);
    let created = fixture.trace(judged).await.created_memory_id;
    // A later credit, so that the position in the order matters.
    fixture.taught_run(&[memory_id], Outcome::Pass).await;

    assert_eq!(fixture.review(judged, fixture.new_review(Outcome::Fail)).await, Reviewed::Accepted);
    assert!(fixture.complete(fixture.claim_one().await).await);
    let expected = [Outcome::Fail, Outcome::Pass]
        .iter()
        .fold(0.5, |utility, result| reflect_core::step(utility, DEFAULT_ALPHA, result.reward()));
    assert_eq!(fixture.memory(memory_id).await.tally.utility().to_bits(), expected.to_bits());
    let trace = fixture.trace(judged).await;
    assert_eq!(trace.created_memory_id, created);
    assert_eq!(trace.review.unwrap().alpha, DEFAULT_ALPHA, "a judge's caution is not handed on");
}

async fn a_judges_review_gives_way_while_its_lesson_is_being_written(store: &Store) {
    let fixture = Fixture::new(store).await;
    let shown = fixture.seed_memory().await;
    let trace_id = fixture.run(&[shown]).await;
    claim(&fixture).await;
    judge(&fixture, trace_id, JudgeVerdict::Pass).await;
    let judges_job = fixture.claim_one().await;
    assert_eq!(fixture.trace(trace_id).await.ingest_status, IngestStatus::Processing);

    assert_eq!(fixture.review(trace_id, fixture.new_review(Outcome::Fail)).await, Reviewed::Accepted);
    assert!(!fixture.complete(judges_job).await, "the judge's lesson comes too late");
    assert!(fixture.complete(fixture.claim_one().await).await);
    let trace = fixture.trace(trace_id).await;
    assert_eq!(trace.review.map(|review| (review.result, review.source)), Some((Outcome::Fail, ReviewSource::Api)));
    assert_eq!(fixture.memory(shown).await.tally.utility(), 0.5 - DEFAULT_ALPHA * 0.5);
}

async fn a_judges_review_does_not_replace_anothers(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = fixture.taught_run(&[], Outcome::Fail).await.0;
    assert_eq!(fixture.review(trace_id, judges_review(&fixture, Outcome::Pass)).await, Reviewed::AlreadyReviewed);
}

async fn a_review_that_was_taken_back_is_not_judged_again(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = fixture.run(&[]).await;
    claim(&fixture).await;
    judge(&fixture, trace_id, JudgeVerdict::Pass).await;
    store.take_back_review(fixture.id(), trace_id, fixture.now()).await.unwrap();
    assert_eq!(claim(&fixture).await, []);
}

async fn the_report_holds_the_judge_against_others(store: &Store) {
    let fixture = Fixture::new(store).await;
    assert_eq!(store.judge_report(fixture.id()).await.unwrap(), JudgeReport::default());
    let cases = [
        (JudgeVerdict::Pass, Some(Outcome::Pass)),
        (JudgeVerdict::Pass, Some(Outcome::Fail)),
        (JudgeVerdict::Fail, Some(Outcome::Fail)),
        (JudgeVerdict::Unknown, Some(Outcome::Fail)),
        (JudgeVerdict::Unknown, None),
        (JudgeVerdict::Fail, None),
    ];
    for (said, other) in cases {
        let trace_id = fixture.run(&[]).await;
        claim(&fixture).await;
        judge(&fixture, trace_id, said).await;
        for job in fixture.claim(10).await {
            fixture.complete(job).await;
        }
        if let Some(result) = other {
            // Saying the same as the judge is a review of one's own.
            assert_eq!(fixture.review(trace_id, fixture.new_review(result)).await, Reviewed::Accepted);
            assert!(fixture.complete(fixture.claim_one().await).await);
        }
    }
    fixture.run(&[]).await;
    let report = store.judge_report(fixture.id()).await.unwrap();
    assert_eq!((report.judged, report.unknown, report.given_up, report.pending), (4, 2, 0, 2));
    let confusion = Confusion { pass_pass: 1, pass_fail: 1, fail_fail: 1, unknown_fail: 1, ..Confusion::default() };
    assert_eq!(report.confusion, confusion);
}

async fn a_deleted_trace_leaves_no_judgement(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = fixture.run(&[]).await;
    claim(&fixture).await;
    judge(&fixture, trace_id, JudgeVerdict::Unknown).await;
    store.delete_traces(fixture.id(), vec![trace_id], false, fixture.now()).await.unwrap();
    assert_eq!(store.judge_report(fixture.id()).await.unwrap(), JudgeReport::default());
    assert_eq!(judge(&fixture, trace_id, JudgeVerdict::Pass).await, None);
}

/// Notes that the question about this trace got no answer, and may be asked again at once.
async fn unanswered(fixture: &Fixture<'_>, trace_id: TraceId) {
    let unanswered = Unanswered { trace_id, error: "no".into(), ask_again_at: Some(fixture.now()) };
    fixture.store.insert_unanswered(fixture.id(), unanswered).await.unwrap();
}

async fn a_question_waits_while_there_is_a_review_and_is_due_again_when_it_is_taken_back(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = fixture.run(&[]).await;
    assert_eq!(claim(&fixture).await, [trace_id]);
    // The review comes while the judge is being asked, and its answer after the review.
    fixture.review(trace_id, fixture.new_review(Outcome::Pass)).await;
    unanswered(&fixture, trace_id).await;
    assert_eq!(claim(&fixture).await, []);
    store.take_back_review(fixture.id(), trace_id, fixture.now()).await.unwrap();
    assert_eq!(claim(&fixture).await, [trace_id]);
    unanswered(&fixture, trace_id).await;
    fixture.review(trace_id, fixture.new_review(Outcome::Pass)).await;
    assert_eq!(claim(&fixture).await, []);
    store.take_back_review(fixture.id(), trace_id, fixture.now()).await.unwrap();
    assert_eq!(claim(&fixture).await, [trace_id]);
}

async fn those_that_are_due_again_come_before_those_never_asked_about(store: &Store) {
    let fixture = Fixture::new(store).await;
    let traces = [fixture.run(&[]).await, fixture.run(&[]).await, fixture.run(&[]).await];
    let claim_one = async || {
        let now = much_later(&fixture);
        let claimed = store
            .claim_judgements(
                fixture.id(),
                JudgementClaim {
                    stored_by: now,
                    lease_until: now.plus_millis(60_000),
                    now,
                    latest_due: FAR_AHEAD,
                    limit: 1,
                },
            )
            .await
            .unwrap();
        claimed[0].0
    };
    assert_eq!(claim_one().await, traces[0]);
    assert_eq!(claim_one().await, traces[1]);
    unanswered(&fixture, traces[1]).await;
    assert_eq!(claim_one().await, traces[1]);
    assert_eq!(claim_one().await, traces[2]);
    assert_eq!(claim(&fixture).await, []);
}

async fn a_clock_that_was_set_back_keeps_no_question_waiting(store: &Store) {
    let fixture = Fixture::new(store).await;
    let asked = fixture.run(&[]).await;
    assert_eq!(claim(&fixture).await, [asked]);
    let tomorrow = Some(fixture.now().plus_millis(86_400_000));
    let unanswered = Unanswered { trace_id: asked, error: "no".into(), ask_again_at: tomorrow };
    store.insert_unanswered(fixture.id(), unanswered).await.unwrap();
    let never_asked = fixture.run(&[]).await;

    let now = fixture.now().plus_millis(-3_600_000);
    let claim = async |latest_due: Timestamp| {
        let claim = JudgementClaim { stored_by: now, lease_until: now.plus_millis(60_000), latest_due, now, limit: 10 };
        let claimed = store.claim_judgements(fixture.id(), claim).await.unwrap();
        claimed.into_iter().map(|(trace_id, ..)| trace_id).collect::<Vec<_>>()
    };
    assert_eq!(claim(FAR_AHEAD).await, [never_asked], "it was stored an hour ahead; the other is due tomorrow");
    assert_eq!(claim(now.plus_millis(120_000)).await, [asked]);
    assert_eq!(claim(now.plus_millis(120_000)).await, []);
}
