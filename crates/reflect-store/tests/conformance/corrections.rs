//! Corrections: they take the place of what they correct, and the memory keeps its id.

use reflect_core::{Outcome, ReviewSource, ReviewStatus, Tally, TraceId};
use reflect_store::{JobFailure, Reviewed, Store};

use crate::support::{DEFAULT_ALPHA, Fixture, conformance, tally_of};

conformance! {
    a_correction_takes_the_place_of_the_first_review,
    a_correction_revises_the_memory_it_made,
    a_correction_with_its_lesson_is_done_at_once,
    a_correction_keeps_the_step_size_that_applied,
    a_correction_may_ask_for_another_step_size,
    a_correction_credits_no_memory_that_came_later,
    a_correction_of_nothing_is_a_first_review,
    a_failed_lesson_can_be_corrected,
    any_other_review_replaces_a_judges,
    a_judge_replaces_nobody,
}

async fn a_correction_takes_the_place_of_the_first_review(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory = fixture.seed_memory().await;
    let (trace_id, _) = fixture.taught_run(&[memory], Outcome::Fail).await;
    fixture.queued_run(&[memory], Outcome::Fail).await;
    let correction = fixture.new_correction(Outcome::Pass);
    assert_eq!(fixture.review(trace_id, correction.clone()).await, Reviewed::Accepted);

    let tally = fixture.memory(memory).await.tally;
    let expected = tally_of(&[(Outcome::Pass, DEFAULT_ALPHA), (Outcome::Fail, DEFAULT_ALPHA)]);
    assert_eq!(tally.utility().to_bits(), expected.utility().to_bits());
    assert_eq!(tally, expected);
    let credits = fixture.credits(memory).await;
    let positions: Vec<(i64, Outcome)> = credits.iter().map(|credit| (credit.position, credit.result)).collect();
    assert_eq!(positions, [(1, Outcome::Fail), (0, Outcome::Pass)], "newest first");
    assert_eq!((credits[1].review_id, credits[1].memory_revision), (correction.id, 1));
    assert_eq!(store.check_ledger().await.unwrap().mismatches, []);
}

async fn a_correction_revises_the_memory_it_made(store: &Store) {
    let fixture = Fixture::new(store).await;
    let (trace_id, memory) = fixture.taught_run(&[], Outcome::Pass).await;
    fixture.queued_run(&[memory], Outcome::Pass).await;
    let queued = fixture.claim_one().await;
    let before = fixture.find_memory(memory).await.unwrap();
    fixture.review(trace_id, fixture.new_correction(Outcome::Fail)).await;
    assert_eq!(fixture.trace(trace_id).await.created_memory_id, Some(memory));

    let job = fixture.claim_one().await;
    let lesson = fixture.new_lesson("after the correction");
    let completed = store.complete_job(job, Outcome::Fail, lesson.clone(), fixture.now());
    assert!(completed.await.unwrap());
    let (revised, credits) = fixture.find_memory(memory).await.unwrap();
    assert_eq!((revised.revision, revised.success), (2, Some(false)));
    assert_eq!(revised.lesson, lesson.written.lesson);
    assert_eq!((revised.tally, credits), (before.0.tally, before.1));
    assert_eq!(revised.created_at, before.0.created_at);
    assert!(revised.updated_at > before.0.updated_at);
    assert_eq!(fixture.find_memory(lesson.memory_id).await, None);
    assert!(fixture.complete(queued).await);
}

async fn a_correction_with_its_lesson_is_done_at_once(store: &Store) {
    let fixture = Fixture::new(store).await;
    let (trace_id, memory) = fixture.taught_run(&[], Outcome::Pass).await;
    let lesson = fixture.new_lesson("by the reviewer");
    let correction = fixture.new_correction(Outcome::Fail);
    let answer = fixture.review_with(trace_id, correction, Some(lesson.clone())).await;
    assert_eq!(answer, Reviewed::Accepted);
    let revised = fixture.memory(memory).await;
    assert_eq!((revised.revision, revised.success), (2, Some(false)));
    assert_eq!(revised.lesson, lesson.written.lesson);
    assert_eq!(fixture.trace(trace_id).await.review_status, ReviewStatus::Reviewed);
    assert_eq!(store.next_job_due().await.unwrap(), None);
}

async fn a_correction_keeps_the_step_size_that_applied(store: &Store) {
    let fixture = Fixture::new(store).await;
    let (trace_id, _) = fixture.taught_run(&[], Outcome::Pass).await;
    // The project's default was changed in the meantime.
    let mut correction = fixture.new_correction(Outcome::Fail);
    correction.default_alpha = 0.9;
    fixture.review(trace_id, correction).await;
    let review = fixture.trace(trace_id).await.review.unwrap();
    assert_eq!((review.asked_alpha, review.alpha), (None, DEFAULT_ALPHA));
    assert_eq!(store.check_ledger().await.unwrap().mismatches, []);
}

async fn a_correction_may_ask_for_another_step_size(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory = fixture.seed_memory().await;
    let (trace_id, _) = fixture.taught_run(&[memory], Outcome::Pass).await;
    let mut correction = fixture.new_correction(Outcome::Pass);
    correction.review.alpha = Some(1.0);
    assert_eq!(fixture.review(trace_id, correction).await, Reviewed::Accepted);
    assert_eq!(fixture.memory(memory).await.tally.utility(), 1.0);
    assert_eq!(store.check_ledger().await.unwrap().mismatches, []);
}

async fn a_correction_credits_no_memory_that_came_later(store: &Store) {
    let fixture = Fixture::new(store).await;
    let later = fixture.new_lesson("not there yet");
    let (trace_id, _) = fixture.taught_run(&[later.memory_id], Outcome::Pass).await;
    let mut insert = fixture.new_reviewed_trace(&[], Outcome::Pass);
    insert.lesson = Some(later.clone());
    fixture.insert(insert).await;
    fixture.review(trace_id, fixture.new_correction(Outcome::Fail)).await;
    assert_eq!(fixture.memory(later.memory_id).await.tally, Tally::default());
    assert_eq!(store.check_ledger().await.unwrap().credits, 0);
}

async fn a_correction_of_nothing_is_a_first_review(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory = fixture.seed_memory().await;
    let trace_id = fixture.run(&[memory]).await;
    let correction = fixture.new_correction(Outcome::Pass);
    assert_eq!(fixture.review(trace_id, correction).await, Reviewed::Accepted);
    assert_eq!(fixture.memory(memory).await.tally.uses(), 1);
    assert_eq!(fixture.claim_one().await.trace_id, trace_id);
    assert_eq!(store.check_ledger().await.unwrap().mismatches, []);
}

async fn a_failed_lesson_can_be_corrected(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory = fixture.seed_memory().await;
    let trace_id = fixture.queued_run(&[memory], Outcome::Pass).await;
    let job = fixture.claim_one().await;
    let given_up = JobFailure::GivenUp(fixture.now());
    assert!(store.fail_job(job, "no".into(), given_up).await.unwrap());
    let answer = fixture.review(trace_id, fixture.new_correction(Outcome::Fail)).await;
    assert_eq!(answer, Reviewed::Accepted);
    let trace = fixture.trace(trace_id).await;
    assert_eq!((trace.ingest_attempts, trace.last_ingest_error), (0, None));
    assert_eq!(fixture.memory(memory).await.tally.fails(), 1);
    assert!(fixture.complete(fixture.claim_one().await).await);
}

async fn any_other_review_replaces_a_judges(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory = fixture.seed_memory().await;
    for source in [ReviewSource::Api, ReviewSource::Console] {
        let trace_id = judged_run(&fixture, memory).await;
        let mut review = fixture.new_review(Outcome::Fail);
        review.review.source = source;
        assert_eq!(fixture.review(trace_id, review.clone()).await, Reviewed::Accepted);
        let stored = fixture.trace(trace_id).await.review.unwrap();
        assert_eq!((stored.id, stored.source), (review.id, source));
    }
    let tally = fixture.memory(memory).await.tally;
    assert_eq!((tally.uses(), tally.passes(), tally.fails()), (2, 0, 2));

    // To agree with a judge also settles it: what it says is no longer provisional.
    let trace_id = judged_run(&fixture, memory).await;
    let agreed = fixture.new_review(Outcome::Pass);
    assert_eq!(fixture.review(trace_id, agreed).await, Reviewed::Accepted);
    let stored = fixture.trace(trace_id).await.review.unwrap();
    assert_eq!(stored.source, ReviewSource::Api);
    assert_eq!(store.check_ledger().await.unwrap().mismatches, []);
}

async fn a_judge_replaces_nobody(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory = fixture.seed_memory().await;
    let judged = judged_run(&fixture, memory).await;
    let (reviewed, _) = fixture.taught_run(&[memory], Outcome::Pass).await;
    let before = fixture.find_memory(memory).await;
    for trace_id in [judged, reviewed] {
        let mut review = fixture.new_review(Outcome::Fail);
        review.review.source = ReviewSource::Judge;
        assert_eq!(fixture.review(trace_id, review).await, Reviewed::AlreadyReviewed);
    }
    assert_eq!(fixture.find_memory(memory).await, before);
    assert_eq!(store.next_job_due().await.unwrap(), None);
}

async fn judged_run(fixture: &Fixture<'_>, memory: reflect_core::MemoryId) -> TraceId {
    let mut insert = fixture.new_reviewed_trace(&[memory], Outcome::Pass);
    insert.review.as_mut().unwrap().review.source = ReviewSource::Judge;
    insert.lesson = Some(fixture.new_lesson("says the judge"));
    fixture.insert(insert).await.trace_id
}
