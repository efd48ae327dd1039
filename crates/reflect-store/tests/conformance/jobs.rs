//! The queue: who gets which job, and what a claim that no longer stands can do (nothing).

use reflect_core::{IngestStatus, Outcome, ReviewStatus, TraceId};
use reflect_store::{ClaimedJob, JobFailure, JobInput, LatestDue, Lease, Reviewed, Store, TakeBackAnswer};

use crate::support::{Fixture, conformance};

conformance! {
    a_claimed_job_is_worked_to_a_memory,
    a_claimed_job_is_not_claimed_again_before_its_lease_ends,
    claims_take_what_is_waited_for_first_then_the_oldest,
    a_job_in_the_future_is_not_claimed,
    a_failed_attempt_is_tried_again_at_its_time,
    an_attempt_that_is_given_back_does_not_count,
    a_job_that_was_given_up_is_tried_again_only_on_request,
    a_claim_that_was_overtaken_changes_nothing,
    a_claim_that_was_overtaken_by_its_own_worker_changes_nothing,
    a_claim_whose_review_was_taken_back_and_given_anew_changes_nothing,
    a_claim_whose_review_was_corrected_changes_nothing,
    a_claim_whose_trace_is_gone_changes_nothing,
    a_claim_whose_project_was_deleted_and_made_again_changes_nothing,
    a_claim_ends_only_once,
    a_claim_from_before_a_retry_changes_nothing,
    released_jobs_are_due_at_once_and_uncounted,
    an_attempt_that_died_with_its_process_counts,
    releasing_spares_other_workers,
    the_oldest_due_job_is_the_oldest_of_either_priority,
    the_next_job_may_be_due_in_the_future,
    what_is_due_later_than_it_can_be_is_due_now,
}

async fn a_claimed_job_is_worked_to_a_memory(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = fixture.queued_run(&[], Outcome::Pass).await;
    assert_eq!(fixture.trace(trace_id).await.ingest_status, IngestStatus::Queued);

    let job = fixture.claim_one().await;
    assert_eq!((job.trace_id, job.attempts), (trace_id, 1));
    let input = input(store, &job).await.unwrap();
    assert_eq!(input.trace.ingest_status, IngestStatus::Processing);
    assert_eq!(input.trace.review.as_ref().unwrap().id, job.review_id);
    assert!(input.trace.trajectory.is_some());

    assert!(fixture.complete(job).await);
    let trace = fixture.trace(trace_id).await;
    assert_eq!(
        (trace.review_status, trace.ingest_status, trace.ingest_attempts),
        (ReviewStatus::Reviewed, IngestStatus::Completed, 1)
    );
    let memory = fixture.memory(trace.created_memory_id.unwrap()).await;
    assert_eq!((memory.trace_id, memory.success), (trace_id, Some(true)));
}

async fn a_claimed_job_is_not_claimed_again_before_its_lease_ends(store: &Store) {
    let fixture = Fixture::new(store).await;
    fixture.queued_run(&[], Outcome::Pass).await;
    let job = claim_until(&fixture, 5_000).await;
    assert_eq!(fixture.claim(10).await, []);

    let lease = Lease { owner: fixture.uuid(), until: fixture.now().plus_millis(10_000) };
    let again = store.claim_jobs(lease, fixture.now().plus_millis(5_000), 10).await.unwrap();
    assert_eq!((again[0].job_id, again[0].attempts), (job.job_id, 2));
}

async fn claims_take_what_is_waited_for_first_then_the_oldest(store: &Store) {
    let fixture = Fixture::new(store).await;
    let mut background = Vec::new();
    for _ in 0..3 {
        background.push(fixture.queued_run(&[], Outcome::Pass).await);
    }
    let waited_for = fixture.run(&[]).await;
    fixture.review(waited_for, fixture.new_review(Outcome::Fail)).await;

    let mut claimed: Vec<TraceId> = Vec::new();
    for job in fixture.claim(2).await {
        claimed.push(job.trace_id);
    }
    claimed.sort();
    assert_eq!(claimed, [background[0], waited_for]);
    assert_eq!(fixture.claim(1).await[0].trace_id, background[1]);
    assert_eq!(fixture.claim(0).await, []);
    assert_eq!(fixture.claim(9).await[0].trace_id, background[2]);
}

async fn a_job_in_the_future_is_not_claimed(store: &Store) {
    let fixture = Fixture::new(store).await;
    let mut insert = fixture.new_reviewed_trace(&[], Outcome::Pass);
    insert.now = insert.now.plus_millis(60_000);
    let due = insert.now;
    fixture.insert(insert).await;
    assert_eq!(fixture.claim(1).await, []);

    let lease = Lease { owner: fixture.uuid(), until: due.plus_millis(1) };
    assert_eq!(store.claim_jobs(lease, due, 1).await.unwrap().len(), 1);
}

async fn an_attempt_that_is_given_back_does_not_count(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = fixture.queued_run(&[], Outcome::Pass).await;
    let job = fixture.claim_one().await;
    assert!(fail(store, job.clone(), JobFailure::GivenBack(fixture.now())).await);
    assert!(!fail(store, job, JobFailure::GivenBack(fixture.now())).await, "it was given back already");
    assert_eq!(fixture.trace(trace_id).await.ingest_attempts, 0);
    let again = fixture.claim_one().await;
    assert_eq!(again.attempts, 1);
    assert!(fixture.complete(again).await);
}

async fn a_failed_attempt_is_tried_again_at_its_time(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = fixture.queued_run(&[], Outcome::Pass).await;
    let job = fixture.claim_one().await;
    let later = fixture.now().plus_millis(1_000);
    assert!(fail(store, job, JobFailure::RetryAt(later)).await);

    let trace = fixture.trace(trace_id).await;
    assert_eq!(trace.ingest_status, IngestStatus::Queued);
    assert_eq!((trace.ingest_attempts, trace.last_ingest_error.as_deref()), (1, Some("the model is asleep")));
    assert_eq!(fixture.claim(1).await, []);
    assert_eq!(store.next_job_due().await.unwrap(), Some(later));

    let lease = Lease { owner: fixture.uuid(), until: later.plus_millis(1_000) };
    let mut jobs = store.claim_jobs(lease, later, 1).await.unwrap();
    assert_eq!(jobs[0].attempts, 2);
    assert!(fixture.complete(jobs.remove(0)).await);
    let trace = fixture.trace(trace_id).await;
    assert_eq!((trace.ingest_attempts, trace.last_ingest_error), (2, None));
}

async fn a_job_that_was_given_up_is_tried_again_only_on_request(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = fixture.queued_run(&[], Outcome::Pass).await;
    let retry = || store.retry_job(fixture.id(), trace_id, fixture.now());
    assert!(!retry().await.unwrap(), "it has not failed");

    let job = fixture.claim_one().await;
    assert!(fail(store, job, JobFailure::GivenUp(fixture.now())).await);
    let trace = fixture.trace(trace_id).await;
    assert_eq!(trace.ingest_status, IngestStatus::Failed);
    assert_eq!(trace.review_status, ReviewStatus::Pending);
    assert_eq!(trace.last_ingest_error.as_deref(), Some("the model is asleep"));
    assert_eq!(fixture.claim(1).await, []);
    assert_eq!(store.next_job_due().await.unwrap(), None);

    assert!(retry().await.unwrap());
    assert!(!retry().await.unwrap(), "it is queued already");
    let job = fixture.claim_one().await;
    assert_eq!(job.attempts, 1);
    assert!(fixture.complete(job).await);
    assert!(!retry().await.unwrap(), "there is nothing left to do");
    assert!(!store.retry_job("elsewhere".parse().unwrap(), trace_id, fixture.now()).await.unwrap());
}

async fn a_claim_that_was_overtaken_changes_nothing(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = fixture.queued_run(&[], Outcome::Pass).await;
    let stale = claim_until(&fixture, 0).await;
    let current = fixture.claim_one().await;

    assert_stale(&fixture, &stale, trace_id).await;
    assert!(fixture.complete(current).await);
    assert_stale(&fixture, &stale, trace_id).await;
}

async fn a_claim_that_was_overtaken_by_its_own_worker_changes_nothing(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = fixture.queued_run(&[], Outcome::Pass).await;
    let stale = claim_until(&fixture, 0).await;
    let lease = Lease { owner: stale.lease.owner, until: fixture.now().plus_millis(60_000) };
    let mut current = store.claim_jobs(lease, fixture.now(), 1).await.unwrap();
    assert_stale(&fixture, &stale, trace_id).await;
    assert!(fixture.complete(current.remove(0)).await);
}

async fn a_claim_whose_review_was_taken_back_and_given_anew_changes_nothing(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = fixture.queued_run(&[], Outcome::Pass).await;
    let stale = fixture.claim_one().await;
    let taken_back = store.take_back_review(fixture.id(), trace_id, fixture.now());
    assert_eq!(taken_back.await.unwrap(), TakeBackAnswer::TakenBack);
    assert_stale(&fixture, &stale, trace_id).await;

    let review = fixture.new_review(Outcome::Fail);
    assert_eq!(fixture.review(trace_id, review).await, Reviewed::Accepted);
    assert_stale(&fixture, &stale, trace_id).await;
    let mut current = claim_as(&fixture, &stale).await;
    assert_stale(&fixture, &stale, trace_id).await;
    assert!(fixture.complete(current.remove(0)).await);
}

async fn a_claim_whose_review_was_corrected_changes_nothing(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = fixture.queued_run(&[], Outcome::Pass).await;
    let stale = fixture.claim_one().await;
    assert!(fail(store, stale.clone(), JobFailure::GivenUp(fixture.now())).await);
    let correction = fixture.new_correction(Outcome::Fail);
    assert_eq!(fixture.review(trace_id, correction).await, Reviewed::Accepted);
    assert_stale(&fixture, &stale, trace_id).await;
    let current = claim_as(&fixture, &stale).await;
    assert_eq!(current.len(), 1);
    assert_stale(&fixture, &stale, trace_id).await;
}

async fn a_claim_whose_trace_is_gone_changes_nothing(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = fixture.queued_run(&[], Outcome::Pass).await;
    let stale = fixture.claim_one().await;
    let deleted = store.delete_traces(fixture.id(), vec![trace_id], false, fixture.now());
    assert_eq!(deleted.await.unwrap(), [trace_id]);

    assert_eq!(input(store, &stale).await, None);
    assert!(!fixture.complete(stale.clone()).await);
    assert!(!fail(store, stale, JobFailure::RetryAt(fixture.now())).await);
    assert_eq!(store.get_trace(fixture.id(), trace_id).await.unwrap(), None);
    assert_eq!(store.check_ledger().await.unwrap().memories, 0);
}

async fn a_claim_whose_project_was_deleted_and_made_again_changes_nothing(store: &Store) {
    let fixture = Fixture::new(store).await;
    let insert = fixture.new_reviewed_trace(&[], Outcome::Pass);
    let trace_id = fixture.insert(insert.clone()).await.trace_id;
    let stale = fixture.claim_one().await;
    store.delete_project(fixture.id()).await.unwrap().unwrap();
    assert_eq!(input(store, &stale).await, None);
    assert!(!fixture.complete(stale.clone()).await);
    while !store.erase_some(fixture.id()).await.unwrap().done {}

    // The same trace comes again, and a database that hands out freed numbers gives its job the number of the first.
    store.get_or_insert_project(fixture.new_project()).await.unwrap();
    let mut again = insert;
    again.review.as_mut().unwrap().id = fixture.review_id();
    fixture.insert(again).await;
    assert_stale(&fixture, &stale, trace_id).await;
    assert_eq!(claim_as(&fixture, &stale).await.len(), 1);
    assert_stale(&fixture, &stale, trace_id).await;
}

async fn a_claim_ends_only_once(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = fixture.queued_run(&[], Outcome::Pass).await;
    let job = fixture.claim_one().await;
    assert!(fixture.complete(job.clone()).await);
    assert_stale(&fixture, &job, trace_id).await;

    let other = fixture.queued_run(&[], Outcome::Pass).await;
    let job = fixture.claim_one().await;
    assert!(fail(store, job.clone(), JobFailure::RetryAt(fixture.now())).await);
    assert_stale(&fixture, &job, other).await;
}

async fn a_claim_from_before_a_retry_changes_nothing(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = fixture.queued_run(&[], Outcome::Pass).await;
    // A worker hangs in its first attempt, and the same worker gives up on the second.
    let stale = claim_until(&fixture, 0).await;
    let mut second = claim_as(&fixture, &stale).await;
    assert!(fail(store, second.remove(0), JobFailure::GivenUp(fixture.now())).await);
    assert!(store.retry_job(fixture.id(), trace_id, fixture.now()).await.unwrap());

    let mut current = claim_as(&fixture, &stale).await;
    assert_eq!(current[0].attempts, stale.attempts);
    assert_stale(&fixture, &stale, trace_id).await;
    assert!(fixture.complete(current.remove(0)).await);
}

async fn released_jobs_are_due_at_once_and_uncounted(store: &Store) {
    let fixture = Fixture::new(store).await;
    assert_eq!(store.release_jobs(None, fixture.now()).await.unwrap(), 0);
    let trace_id = fixture.queued_run(&[], Outcome::Pass).await;
    fixture.queued_run(&[], Outcome::Pass).await;
    let jobs = fixture.claim(2).await;
    assert_eq!(jobs.len(), 2);

    let owner = Some(jobs[0].lease.owner);
    assert_eq!(store.release_jobs(owner, fixture.now()).await.unwrap(), 2);
    assert_eq!(fixture.trace(trace_id).await.ingest_status, IngestStatus::Queued);
    assert_eq!(fixture.trace(trace_id).await.ingest_attempts, 0);
    assert_stale(&fixture, &jobs[0], jobs[0].trace_id).await;
    assert_eq!(store.release_jobs(owner, fixture.now()).await.unwrap(), 0);

    let again = claim_as(&fixture, &jobs[0]).await;
    assert_stale(&fixture, &jobs[0], jobs[0].trace_id).await;
    assert_eq!(again.iter().map(|job| job.attempts).collect::<Vec<_>>(), [1, 1]);
}

async fn an_attempt_that_died_with_its_process_counts(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = fixture.queued_run(&[], Outcome::Pass).await;
    let stale = fixture.claim_one().await;
    let taken_up = fixture.claim_of_dead(&stale).await;
    assert_stale(&fixture, &stale, trace_id).await;
    assert_eq!(taken_up.attempts, 2);
}

async fn releasing_spares_other_workers(store: &Store) {
    let fixture = Fixture::new(store).await;
    fixture.queued_run(&[], Outcome::Pass).await;
    fixture.queued_run(&[], Outcome::Pass).await;
    let (mine, theirs) = (fixture.claim(1).await.remove(0), fixture.claim(1).await.remove(0));
    assert_eq!(store.release_jobs(Some(fixture.uuid()), fixture.now()).await.unwrap(), 0);
    assert_eq!(store.release_jobs(Some(mine.lease.owner), fixture.now()).await.unwrap(), 1);
    assert!(!fixture.complete(mine).await);
    assert!(fixture.complete(theirs).await);
}

async fn the_oldest_due_job_is_the_oldest_of_either_priority(store: &Store) {
    let fixture = Fixture::new(store).await;
    let oldest = || store.oldest_due_job(fixture.now());
    assert_eq!(oldest().await.unwrap(), None);

    let background = fixture.queued_run(&[], Outcome::Pass).await;
    let queued_at = fixture.trace(background).await.created_at;
    assert_eq!(oldest().await.unwrap(), Some(queued_at));
    assert_eq!(store.oldest_due_job(queued_at).await.unwrap(), Some(queued_at));
    assert_eq!(store.oldest_due_job(queued_at.plus_millis(-1)).await.unwrap(), None);

    let waited_for = fixture.run(&[]).await;
    fixture.review(waited_for, fixture.new_review(Outcome::Pass)).await;
    let reviewed_at = fixture.trace(waited_for).await.review.unwrap().created_at;
    assert_eq!(oldest().await.unwrap(), Some(queued_at));

    let jobs = fixture.claim(2).await;
    assert_eq!(oldest().await.unwrap(), None, "what is being worked on is not due");
    for job in jobs.into_iter().filter(|job| job.trace_id == waited_for) {
        assert!(fail(store, job, JobFailure::RetryAt(reviewed_at)).await);
    }
    assert_eq!(oldest().await.unwrap(), Some(reviewed_at));
}

async fn the_next_job_may_be_due_in_the_future(store: &Store) {
    let fixture = Fixture::new(store).await;
    assert_eq!(store.next_job_due().await.unwrap(), None);
    let mut insert = fixture.new_reviewed_trace(&[], Outcome::Pass);
    insert.now = insert.now.plus_millis(60_000);
    let due = insert.now;
    fixture.insert(insert).await;
    assert_eq!(store.next_job_due().await.unwrap(), Some(due));
    let earlier = fixture.queued_run(&[], Outcome::Pass).await;
    let earlier = fixture.trace(earlier).await.created_at;
    assert_eq!(store.next_job_due().await.unwrap(), Some(earlier));
}

/// Claims the one job that is due, until `millis` from now.
async fn claim_until(fixture: &Fixture<'_>, millis: i64) -> ClaimedJob {
    let now = fixture.now();
    let lease = Lease { owner: fixture.uuid(), until: now.plus_millis(millis) };
    let mut jobs = fixture.store.claim_jobs(lease, now, 2).await.unwrap();
    assert_eq!(jobs.len(), 1, "{jobs:?}");
    jobs.remove(0)
}

/// Claims what is due for the worker that has `job`.
async fn claim_as(fixture: &Fixture<'_>, job: &ClaimedJob) -> Vec<ClaimedJob> {
    let now = fixture.now();
    let lease = Lease { owner: job.lease.owner, until: now.plus_millis(60_000) };
    fixture.store.claim_jobs(lease, now, 10).await.unwrap()
}

async fn input(store: &Store, job: &ClaimedJob) -> Option<JobInput> {
    store.get_job_inputs(std::slice::from_ref(job)).await.unwrap().remove(0).unwrap()
}

async fn fail(store: &Store, job: ClaimedJob, failure: JobFailure) -> bool {
    store.fail_job(job, "the model is asleep".into(), failure).await.unwrap()
}

/// Neither completing nor failing the claim does anything to the trace or to what is stored.
async fn assert_stale(fixture: &Fixture<'_>, job: &ClaimedJob, trace_id: TraceId) {
    let before = (
        fixture.trace(trace_id).await,
        fixture.store.check_ledger().await.unwrap(),
        fixture.store.next_job_due().await.unwrap(),
    );
    assert!(!fixture.complete(job.clone()).await, "completed: {job:?}");
    for failure in [JobFailure::RetryAt(fixture.now()), JobFailure::GivenUp(fixture.now())] {
        assert!(!fail(fixture.store, job.clone(), failure).await, "failed: {job:?}");
    }
    let after = (
        fixture.trace(trace_id).await,
        fixture.store.check_ledger().await.unwrap(),
        fixture.store.next_job_due().await.unwrap(),
    );
    assert_eq!(after, before);
}

async fn what_is_due_later_than_it_can_be_is_due_now(store: &Store) {
    const DAY: i64 = 86_400_000;
    let fixture = Fixture::new(store).await;
    let claimed_a_day_ahead = fixture.queued_run(&[], Outcome::Pass).await;
    let job = claim_until(&fixture, DAY).await;
    let claimed_just_now = fixture.queued_run(&[], Outcome::Pass).await;
    claim_until(&fixture, 90_000).await;

    let latest = fixture.now().plus_millis(95_000);
    let latest = LatestDue { lessons: latest, follow_ups: latest };
    assert_eq!(store.bring_jobs_forward(latest, fixture.now()).await.unwrap(), 1);
    assert_eq!(store.bring_jobs_forward(latest, fixture.now()).await.unwrap(), 0);
    assert!(!fixture.complete(job).await, "whoever had claimed it has lost it");
    let again = fixture.claim(10).await;
    assert_eq!(again.iter().map(|job| job.trace_id).collect::<Vec<_>>(), [claimed_a_day_ahead]);
    assert_eq!(fixture.trace(claimed_just_now).await.ingest_status, IngestStatus::Processing);
}
