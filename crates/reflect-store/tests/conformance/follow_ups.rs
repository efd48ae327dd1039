//! Stand-ins and what replaces them: the memory stays the same one, and a person's words are never overwritten.

use reflect_core::{
    IngestStatus, JobKind, Lesson, MemoryStatus, Outcome, ReviewStatus, Timestamp, TraceId, WrittenBy, WrittenLesson,
};
use reflect_store::{
    ClaimLimits, ClaimedJob, FollowUp, FollowUpEnd, JobFailure, Lease, LessonInsert, MemoryEdit, Reviewed, StandIn,
    Store,
};

use crate::support::{Fixture, conformance};

conformance! {
    a_stand_in_finishes_its_trace_and_leaves_a_follow_up,
    a_follow_up_gives_the_memory_a_new_revision_and_nothing_else,
    whoever_stored_the_stand_in_can_go_on_at_once,
    an_edited_lesson_is_not_overwritten,
    a_hidden_memory_is_improved_and_stays_hidden,
    a_deleted_memory_stays_deleted,
    a_correction_cancels_the_follow_up,
    a_correction_with_a_lesson_takes_the_warning_along,
    a_review_that_is_taken_back_takes_the_follow_up_along,
    a_stand_in_whose_claim_is_gone_changes_nothing,
    a_follow_up_is_applied_once,
    a_follow_up_can_be_tried_later_and_given_up,
    a_follow_up_does_not_make_the_queue_look_old,
    a_follow_up_of_a_dead_process_falls_due_again,
    depths_are_counted_by_kind,
    no_more_follow_ups_are_claimed_than_there_are_slots,
    follow_ups_of_a_model_that_is_left_alone_are_not_claimed,
    models_share_the_slots,
}

const WARNING: &str = "rules wrote this lesson in place of `openai/a`: the model is down";

fn later(fixture: &Fixture<'_>, seconds: i64) -> Timestamp {
    fixture.now().plus_millis(seconds * 1_000)
}

/// A trace whose lesson is a stand-in; the follow-up is due at once.
async fn standing_in(fixture: &Fixture<'_>) -> TraceId {
    standing_in_for(fixture, "openai/a").await
}

async fn standing_in_for(fixture: &Fixture<'_>, model: &str) -> TraceId {
    let trace_id = fixture.queued_run(&[], Outcome::Fail).await;
    let job = fixture.claim(1).await.remove(0);
    assert_eq!(job.trace_id, trace_id, "a lesson comes before every follow-up");
    let mut lesson = fixture.new_lesson("by rules");
    lesson.written.written_by = lesson.written.written_by.standing_in_for(model);
    let follow_up = FollowUp::At(fixture.now(), "the model is down".into());
    let stand_in = StandIn { outcome: Outcome::Fail, lesson, follow_up, warning: WARNING.into() };
    let stored = fixture.store.complete_with_stand_in(job, stand_in, fixture.now()).await;
    assert!(stored.unwrap().is_some());
    trace_id
}

async fn store_stand_in(fixture: &Fixture<'_>, job: ClaimedJob, follow_up: FollowUp) -> Option<ClaimedJob> {
    let lesson = fixture.new_lesson("by rules");
    let stand_in = StandIn { outcome: Outcome::Fail, lesson, follow_up, warning: WARNING.into() };
    fixture.store.complete_with_stand_in(job, stand_in, fixture.now()).await.unwrap()
}

async fn follow_up(fixture: &Fixture<'_>, job: ClaimedJob) -> FollowUpEnd {
    let lesson = fixture.new_lesson("by the model");
    let written = WrittenLesson { written_by: WrittenBy::new("llm", "1"), ..lesson.written };
    let lesson = LessonInsert { written, ..lesson };
    fixture.store.complete_follow_up(job, Outcome::Fail, lesson, fixture.now()).await.unwrap()
}

async fn a_stand_in_finishes_its_trace_and_leaves_a_follow_up(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = standing_in(&fixture).await;
    let trace = fixture.trace(trace_id).await;
    assert_eq!((trace.review_status, trace.ingest_status), (ReviewStatus::Reviewed, IngestStatus::Completed));
    assert_eq!((trace.ingest_attempts, trace.last_ingest_error), (1, None));
    assert_eq!(trace.warnings, [WARNING]);
    assert_eq!(fixture.memory(trace.created_memory_id.unwrap()).await.lesson.summary, "by rules");
    let job = fixture.claim_one().await;
    assert_eq!((job.kind, job.trace_id, job.attempts), (JobKind::FollowUp, trace_id, 1));
    let claimed = fixture.trace(trace_id).await;
    assert_eq!(claimed.ingest_status, IngestStatus::Completed, "the work on the trace itself is done");
}

async fn a_follow_up_gives_the_memory_a_new_revision_and_nothing_else(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = standing_in(&fixture).await;
    let memory_id = fixture.trace(trace_id).await.created_memory_id.unwrap();
    fixture.taught_run(&[memory_id], Outcome::Pass).await;
    let before = fixture.memory(memory_id).await;
    let job = fixture.claim_one().await;
    assert_eq!(follow_up(&fixture, job).await, FollowUpEnd::Replaced);
    let after = fixture.memory(memory_id).await;
    assert_eq!((after.revision, after.lesson.summary.as_str()), (2, "by the model"));
    assert_eq!(after.written_by.reflector, "llm");
    assert_eq!((after.tally, after.success, after.created_at), (before.tally, Some(false), before.created_at));
    assert_eq!(fixture.credits(memory_id).await.len(), 1);
    let trace = fixture.trace(trace_id).await;
    assert_eq!((trace.created_memory_id, trace.warnings), (Some(memory_id), vec![]));
    assert_eq!(store.next_job_due().await.unwrap(), None);
}

async fn whoever_stored_the_stand_in_can_go_on_at_once(store: &Store) {
    let fixture = Fixture::new(store).await;
    fixture.queued_run(&[], Outcome::Fail).await;
    let job = fixture.claim_one().await;
    let lease = Lease { owner: job.lease.owner, until: later(&fixture, 100) };
    let going_on = store_stand_in(&fixture, job, FollowUp::Continue(lease)).await.unwrap();
    assert_eq!((going_on.kind, going_on.lease), (JobKind::FollowUp, lease));
    assert_eq!(fixture.claim(10).await, [], "it is still held");
    assert_eq!(follow_up(&fixture, going_on).await, FollowUpEnd::Replaced);
}

async fn an_edited_lesson_is_not_overwritten(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = standing_in(&fixture).await;
    let memory_id = fixture.trace(trace_id).await.created_memory_id.unwrap();
    let job = fixture.claim_one().await;
    let by_hand = |lesson: Lesson| Lesson { guidance: "by hand".into(), ..lesson };
    let editor: WrittenBy = fixture.new_lesson("").written.written_by;
    let edit = MemoryEdit { lesson: Some((Box::new(by_hand), editor)), ..MemoryEdit::default() };
    store.update_memory(fixture.id(), memory_id, edit, fixture.now()).await.unwrap().unwrap();
    let edited = fixture.memory(memory_id).await;
    assert_eq!(fixture.trace(trace_id).await.warnings, [""; 0], "rules did not write what it says now");
    assert_eq!(store.next_job_due().await.unwrap(), None, "no model is asked any more");
    assert_eq!(follow_up(&fixture, job).await, FollowUpEnd::ClaimGone);
    assert_eq!(fixture.memory(memory_id).await, edited);
}

async fn a_hidden_memory_is_improved_and_stays_hidden(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = standing_in(&fixture).await;
    let memory_id = fixture.trace(trace_id).await.created_memory_id.unwrap();
    let edit = MemoryEdit { status: Some(MemoryStatus::Disabled), ..MemoryEdit::default() };
    store.update_memory(fixture.id(), memory_id, edit, fixture.now()).await.unwrap().unwrap();
    let job = fixture.claim_one().await;
    assert_eq!(follow_up(&fixture, job).await, FollowUpEnd::Replaced);
    let memory = fixture.memory(memory_id).await;
    assert_eq!((memory.status, memory.lesson.summary.as_str()), (MemoryStatus::Disabled, "by the model"));
}

async fn a_deleted_memory_stays_deleted(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = standing_in(&fixture).await;
    let memory_id = fixture.trace(trace_id).await.created_memory_id.unwrap();
    let job = fixture.claim_one().await;
    assert!(store.delete_memory(fixture.id(), memory_id, fixture.now()).await.unwrap());
    assert!(!store.delete_memory(fixture.id(), memory_id, fixture.now()).await.unwrap());
    assert_eq!(fixture.trace(trace_id).await.warnings, [""; 0]);
    assert_eq!(follow_up(&fixture, job).await, FollowUpEnd::ClaimGone);
    assert_eq!(fixture.find_memory(memory_id).await, None);
}

async fn a_correction_cancels_the_follow_up(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = standing_in(&fixture).await;
    let memory_id = fixture.trace(trace_id).await.created_memory_id.unwrap();
    let stale = fixture.claim_one().await;
    let corrected = fixture.review(trace_id, fixture.new_correction(Outcome::Pass)).await;
    assert_eq!(corrected, Reviewed::Accepted, "a follow-up keeps nobody from correcting");
    assert_eq!(follow_up(&fixture, stale).await, FollowUpEnd::ClaimGone);
    let job = fixture.claim_one().await;
    assert_eq!(job.kind, JobKind::Lesson);
    assert!(fixture.complete(job).await);
    let memory = fixture.memory(memory_id).await;
    assert_eq!((memory.revision, memory.success), (2, Some(true)));
}

async fn a_correction_with_a_lesson_takes_the_warning_along(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = standing_in(&fixture).await;
    let lesson = Some(fixture.new_lesson("by whoever corrected"));
    assert_eq!(fixture.review_with(trace_id, fixture.new_correction(Outcome::Pass), lesson).await, Reviewed::Accepted);
    assert_eq!(fixture.trace(trace_id).await.warnings, [""; 0]);
    assert_eq!(store.next_job_due().await.unwrap(), None);
}

async fn a_review_that_is_taken_back_takes_the_follow_up_along(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = standing_in(&fixture).await;
    let job = fixture.claim_one().await;
    store.take_back_review(fixture.id(), trace_id, fixture.now()).await.unwrap();
    assert_eq!(follow_up(&fixture, job).await, FollowUpEnd::ClaimGone);
    let trace = fixture.trace(trace_id).await;
    assert_eq!((trace.created_memory_id, trace.warnings), (None, vec![]));
    assert_eq!(store.next_job_due().await.unwrap(), None);
}

async fn a_stand_in_whose_claim_is_gone_changes_nothing(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = fixture.queued_run(&[], Outcome::Pass).await;
    let job = fixture.claim_one().await;
    store.take_back_review(fixture.id(), trace_id, fixture.now()).await.unwrap();
    let at = FollowUp::At(fixture.now(), "too late".into());
    assert_eq!(store_stand_in(&fixture, job, at).await, None);
    assert_eq!(fixture.trace(trace_id).await.created_memory_id, None);
}

async fn a_follow_up_is_applied_once(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = standing_in(&fixture).await;
    let job = fixture.claim_one().await;
    assert_eq!(follow_up(&fixture, job.clone()).await, FollowUpEnd::Replaced);
    assert_eq!(follow_up(&fixture, job).await, FollowUpEnd::ClaimGone);
    let memory_id = fixture.trace(trace_id).await.created_memory_id.unwrap();
    assert_eq!(fixture.memory(memory_id).await.revision, 2);
}

async fn a_follow_up_can_be_tried_later_and_given_up(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = standing_in(&fixture).await;
    let job = fixture.claim_one().await;
    let retry = JobFailure::RetryAt(fixture.now());
    assert!(store.fail_job(job.clone(), "still down".into(), retry).await.unwrap());
    assert!(!store.abandon_job(job).await.unwrap(), "that claim was given up");
    let again = fixture.claim_one().await;
    assert_eq!((again.kind, again.attempts), (JobKind::FollowUp, 2));
    assert!(store.abandon_job(again).await.unwrap());
    assert_eq!(store.next_job_due().await.unwrap(), None);
    let trace = fixture.trace(trace_id).await;
    assert_eq!((trace.ingest_status, trace.review_status), (IngestStatus::Completed, ReviewStatus::Reviewed));
}

async fn a_follow_up_does_not_make_the_queue_look_old(store: &Store) {
    let fixture = Fixture::new(store).await;
    standing_in(&fixture).await;
    assert_eq!(store.oldest_due_job(later(&fixture, 1_000)).await.unwrap(), None);
    let waiting = fixture.queued_run(&[], Outcome::Pass).await;
    assert_eq!(fixture.claim(1).await[0].trace_id, waiting, "lessons that are not there at all come first");
}

async fn a_follow_up_of_a_dead_process_falls_due_again(store: &Store) {
    let fixture = Fixture::new(store).await;
    standing_in(&fixture).await;
    let dead = fixture.claim_one().await;
    let taken_up = fixture.claim_of_dead(&dead).await;
    assert_eq!((taken_up.job_id, taken_up.attempts), (dead.job_id, 2));
    assert_eq!(follow_up(&fixture, dead).await, FollowUpEnd::ClaimGone);
    assert_eq!(follow_up(&fixture, taken_up).await, FollowUpEnd::Replaced);
}

async fn depths_are_counted_by_kind(store: &Store) {
    let fixture = Fixture::new(store).await;
    assert_eq!(store.queue_depths().await.unwrap(), []);
    standing_in(&fixture).await;
    for _ in 0..2 {
        fixture.queued_run(&[], Outcome::Pass).await;
    }
    let job = fixture.claim(1).await.remove(0);
    let failure = JobFailure::GivenUp(fixture.now());
    assert!(store.fail_job(job, "no".into(), failure).await.unwrap());
    let depths = store.queue_depths().await.unwrap();
    let counted: Vec<_> = depths.iter().map(|depth| (depth.kind, depth.live, depth.failed)).collect();
    assert_eq!(counted, [(JobKind::FollowUp, 1, 0), (JobKind::Lesson, 1, 1)]);
    assert!(depths.iter().all(|depth| depth.next_due.is_some()));
}

/// The traces of what a claim with these limits takes.
async fn claimed(fixture: &Fixture<'_>, limits: ClaimLimits) -> Vec<TraceId> {
    let lease = Lease { owner: fixture.uuid(), until: later(fixture, 60) };
    let jobs = fixture.store.claim_jobs(lease, fixture.now(), limits).await.unwrap();
    jobs.iter().map(|job| job.trace_id).collect()
}

async fn no_more_follow_ups_are_claimed_than_there_are_slots(store: &Store) {
    let fixture = Fixture::new(store).await;
    let mut waiting = Vec::new();
    for _ in 0..3 {
        waiting.push(standing_in(&fixture).await);
    }
    let lesson = fixture.queued_run(&[], Outcome::Pass).await;
    let none = ClaimLimits { follow_ups: 0, ..10.into() };
    assert_eq!(claimed(&fixture, none.clone()).await, [lesson]);
    assert_eq!(store.next_claimable_job(none).await.unwrap().filter(|due| *due <= fixture.now()), None);
    assert_eq!(claimed(&fixture, ClaimLimits { follow_ups: 1, ..10.into() }).await, waiting[..1]);
    assert_eq!(claimed(&fixture, 1.into()).await, waiting[1..2]);
    assert!(store.next_job_due().await.unwrap().is_some_and(|due| due <= fixture.now()));
}

async fn follow_ups_of_a_model_that_is_left_alone_are_not_claimed(store: &Store) {
    let fixture = Fixture::new(store).await;
    let first = [standing_in_for(&fixture, "openai/a").await, standing_in_for(&fixture, "openai/a").await];
    let second = standing_in_for(&fixture, "openai/b").await;
    let limits = |at_most| ClaimLimits { of_model: [("openai/a".to_owned(), at_most)].into(), ..10.into() };
    assert_eq!(claimed(&fixture, limits(0)).await, [second]);
    let claimable = store.next_claimable_job(limits(0)).await.unwrap();
    assert!(claimable.is_some_and(|due| due > fixture.now()), "the lease of the other: {claimable:?}");
    assert_eq!(claimed(&fixture, limits(1)).await, first[..1], "one that tries whether it is back");
    assert_eq!(claimed(&fixture, limits(1)).await, first[1..]);
}

async fn models_share_the_slots(store: &Store) {
    let fixture = Fixture::new(store).await;
    let mut first = Vec::new();
    for _ in 0..4 {
        first.push(standing_in_for(&fixture, "openai/a").await);
    }
    let second = standing_in_for(&fixture, "openai/b").await;
    assert_eq!(claimed(&fixture, 2.into()).await, [first[0], second]);
    assert_eq!(claimed(&fixture, 4.into()).await, first[1..3], "what the other leaves is there for the next claim");
    assert_eq!(claimed(&fixture, 4.into()).await, first[3..]);
}
