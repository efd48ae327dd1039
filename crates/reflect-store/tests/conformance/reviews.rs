//! Reviews: accepted once, repeated without effect, refused, taken back.

use reflect_core::{IngestStatus, Outcome, ReviewMode, ReviewSource, ReviewStatus};
use reflect_store::{Reviewed, Store, TakeBackAnswer};

use crate::support::{Fixture, conformance, tally_of};

conformance! {
    a_review_moves_utilities_and_queues_its_lesson,
    a_review_with_its_lesson_is_done_at_once,
    a_reviews_own_step_size_applies,
    the_same_review_again_changes_nothing,
    a_different_review_is_refused,
    a_review_while_the_first_is_being_worked_on_is_refused,
    a_review_of_nothing_is_refused,
    taking_back_leaves_everything_as_it_was,
    taking_back_what_is_queued_cancels_the_lesson,
    taking_back_nothing_changes_nothing,
    a_run_can_be_reviewed_anew_after_taking_back,
}

async fn a_review_moves_utilities_and_queues_its_lesson(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memories = [fixture.seed_memory().await, fixture.seed_memory().await];
    let trace_id = fixture.run(&memories).await;
    let review = fixture.new_review(Outcome::Pass);
    assert_eq!(fixture.review(trace_id, review.clone()).await, Reviewed::Accepted);
    let trace = fixture.trace(trace_id).await;
    assert_eq!((trace.ingest_status, trace.review_status), (IngestStatus::Queued, ReviewStatus::Pending));
    let stored = trace.review.unwrap();
    assert_eq!((stored.id, stored.mode, stored.source), (review.id, ReviewMode::Deferred, ReviewSource::Api));
    for memory in memories {
        assert_eq!(fixture.memory(memory).await.tally.utility(), 0.65);
    }
}

async fn a_review_with_its_lesson_is_done_at_once(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = fixture.run(&[]).await;
    let lesson = fixture.new_lesson("look it up first");
    let mut review = fixture.new_review(Outcome::Fail);
    review.review.reflection = Some(lesson.written.clone());
    let answer = fixture.review_with(trace_id, review, Some(lesson.clone())).await;
    assert_eq!(answer, Reviewed::Accepted);
    let trace = fixture.trace(trace_id).await;
    assert_eq!((trace.ingest_status, trace.review_status), (IngestStatus::Completed, ReviewStatus::Reviewed));
    assert_eq!(trace.created_memory_id, Some(lesson.memory_id));
    assert_eq!(trace.review.unwrap().reflection.as_ref(), Some(&lesson.written));
    assert_eq!(fixture.memory(lesson.memory_id).await.lesson, lesson.written.lesson);
}

async fn a_reviews_own_step_size_applies(store: &Store) {
    let fixture = Fixture::new(store).await;
    for (alpha, expected) in [(0.0, 0.5), (1.0, 0.0), (0.1, 0.45)] {
        let memory = fixture.seed_memory().await;
        let trace_id = fixture.run(&[memory]).await;
        let mut review = fixture.new_review(Outcome::Fail);
        review.review.alpha = Some(alpha);
        fixture.review(trace_id, review).await;
        let stored = fixture.trace(trace_id).await.review.unwrap();
        assert_eq!((stored.asked_alpha, stored.alpha), (Some(alpha), alpha));
        let tally = fixture.memory(memory).await.tally;
        assert_eq!((tally.utility(), tally.uses()), (expected, 1));
    }
}

async fn the_same_review_again_changes_nothing(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory = fixture.seed_memory().await;
    let trace_id = fixture.run(&[memory]).await;
    let send = async |supersedes| {
        let mut review = fixture.new_review(Outcome::Pass);
        review.review.feedback_text = Some("fine".into());
        review.review.supersedes = supersedes;
        fixture.review(trace_id, review).await
    };
    assert_eq!(send(false).await, Reviewed::Accepted);
    let before = (fixture.trace(trace_id).await, fixture.find_memory(memory).await);
    // While the lesson is queued, once it is written, and even if it may replace another.
    assert_eq!(send(false).await, Reviewed::Repeated);
    assert_eq!((fixture.trace(trace_id).await, fixture.find_memory(memory).await), before);
    assert!(fixture.complete(fixture.claim_one().await).await);
    let before = (fixture.trace(trace_id).await, fixture.find_memory(memory).await);
    assert_eq!(send(false).await, Reviewed::Repeated);
    assert_eq!(send(true).await, Reviewed::Repeated);
    assert_eq!((fixture.trace(trace_id).await, fixture.find_memory(memory).await), before);
    assert_eq!(store.next_job_due().await.unwrap(), None);
}

async fn a_different_review_is_refused(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory = fixture.seed_memory().await;
    let (trace_id, _) = fixture.taught_run(&[memory], Outcome::Pass).await;
    let before = (fixture.trace(trace_id).await, fixture.find_memory(memory).await);
    let mut other_result = fixture.new_review(Outcome::Fail);
    other_result.review.supersedes = false;
    let mut other_alpha = fixture.new_review(Outcome::Pass);
    other_alpha.review.alpha = Some(0.3);
    let mut other_feedback = fixture.new_review(Outcome::Pass);
    other_feedback.review.feedback_text = Some("hm".into());
    for review in [other_result, other_alpha, other_feedback] {
        assert_eq!(fixture.review(trace_id, review).await, Reviewed::AlreadyReviewed);
    }
    assert_eq!((fixture.trace(trace_id).await, fixture.find_memory(memory).await), before);
    assert_eq!(store.next_job_due().await.unwrap(), None);
}

async fn a_review_while_the_first_is_being_worked_on_is_refused(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = fixture.queued_run(&[], Outcome::Pass).await;
    let correction = || fixture.new_correction(Outcome::Fail);
    assert_eq!(fixture.review(trace_id, correction()).await, Reviewed::InProgress);
    let job = fixture.claim_one().await;
    assert_eq!(fixture.review(trace_id, correction()).await, Reviewed::InProgress);
    assert!(fixture.complete(job).await);
    assert_eq!(fixture.review(trace_id, correction()).await, Reviewed::Accepted);
    assert_eq!(store.check_ledger().await.unwrap().mismatches, []);
}

async fn a_review_of_nothing_is_refused(store: &Store) {
    let fixture = Fixture::new(store).await;
    let other = Fixture::in_project(store, "other").await;
    let trace_id = fixture.run(&[]).await;
    let review = fixture.new_review(Outcome::Pass);
    assert_eq!(fixture.review(fixture.trace_id(), review.clone()).await, Reviewed::NoTrace);
    assert_eq!(other.review(trace_id, review).await, Reviewed::NoTrace);
    assert_eq!(fixture.trace(trace_id).await.review, None);
    assert_eq!(store.next_job_due().await.unwrap(), None);
}

async fn taking_back_leaves_everything_as_it_was(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory = fixture.seed_memory().await;
    let trace_id = fixture.run(&[memory]).await;
    let before = (fixture.trace(trace_id).await, fixture.find_memory(memory).await);
    fixture.review(trace_id, fixture.new_review(Outcome::Pass)).await;
    assert!(fixture.complete(fixture.claim_one().await).await);
    let taught = fixture.trace(trace_id).await.created_memory_id.unwrap();

    assert_eq!(take_back(&fixture, trace_id).await, TakeBackAnswer::TakenBack);
    assert_eq!((fixture.trace(trace_id).await, fixture.find_memory(memory).await), before);
    assert_eq!(fixture.find_memory(taught).await, None);
    assert_eq!(take_back(&fixture, trace_id).await, TakeBackAnswer::NoReview);
}

async fn taking_back_what_is_queued_cancels_the_lesson(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = fixture.queued_run(&[], Outcome::Pass).await;
    assert_eq!(take_back(&fixture, trace_id).await, TakeBackAnswer::TakenBack);
    assert_eq!(fixture.claim(1).await, []);
    assert_eq!(store.next_job_due().await.unwrap(), None);
    assert_eq!(fixture.trace(trace_id).await.ingest_status, IngestStatus::Completed);
}

async fn taking_back_nothing_changes_nothing(store: &Store) {
    let fixture = Fixture::new(store).await;
    let other = Fixture::in_project(store, "other").await;
    let trace_id = fixture.run(&[]).await;
    assert_eq!(take_back(&fixture, trace_id).await, TakeBackAnswer::NoReview);
    assert_eq!(take_back(&fixture, fixture.trace_id()).await, TakeBackAnswer::NoTrace);
    fixture.review(trace_id, fixture.new_review(Outcome::Pass)).await;
    assert_eq!(take_back(&other, trace_id).await, TakeBackAnswer::NoTrace);
    assert!(fixture.trace(trace_id).await.review.is_some());
    assert_eq!(store.list_projects().await.unwrap().len(), 2);
}

async fn a_run_can_be_reviewed_anew_after_taking_back(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory = fixture.seed_memory().await;
    let (trace_id, taught) = fixture.taught_run(&[memory], Outcome::Fail).await;
    fixture.queued_run(&[memory], Outcome::Fail).await;
    take_back(&fixture, trace_id).await;
    let lesson = fixture.new_lesson("anew");
    let anew = fixture.new_review(Outcome::Pass);
    let answer = fixture.review_with(trace_id, anew.clone(), Some(lesson.clone())).await;
    assert_eq!(answer, Reviewed::Accepted);
    assert_ne!(fixture.trace(trace_id).await.created_memory_id, Some(taught));
    // It comes last now: its old position went with the review that was taken back.
    let expected = tally_of(&[(Outcome::Fail, 0.3), (Outcome::Pass, 0.3)]);
    assert_eq!(fixture.memory(memory).await.tally, expected);
    assert_eq!(fixture.credits(memory).await[0].review_id, anew.id);
    assert_eq!(store.check_ledger().await.unwrap().mismatches, []);
}

async fn take_back(fixture: &Fixture<'_>, trace_id: reflect_core::TraceId) -> TakeBackAnswer {
    let taken_back = fixture.store.take_back_review(fixture.id(), trace_id, fixture.now());
    taken_back.await.unwrap()
}
