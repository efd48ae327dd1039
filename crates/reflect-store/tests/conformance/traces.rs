//! Traces: stored as they came, read, deleted with or without what they taught.

use reflect_core::{IngestStatus, MemoryId, Outcome, RawJson, ReviewMode, ReviewStatus, Trajectory};
use reflect_store::Store;

use crate::support::{DEFAULT_ALPHA, Fixture, conformance};

conformance! {
    a_trace_is_read_as_it_was_stored,
    a_trace_with_a_review_is_queued_and_moves_utilities_at_once,
    a_trace_with_its_lesson_is_done_at_once,
    an_id_is_stored_once,
    a_memory_named_twice_or_unknown_is_credited_once_or_never,
    a_trace_of_another_project_is_not_there,
    deleting_keeps_what_was_taught,
    deleting_with_cascade_undoes_what_was_taught,
    deleting_twice_answers_those_that_were_there,
}

async fn a_trace_is_read_as_it_was_stored(store: &Store) {
    let fixture = Fixture::new(store).await;
    let mut insert = fixture.new_trace(&[]);
    let json = r#"[{"role":"user","content":"é \ud83d\ude00","n":1.50e3}]"#;
    insert.trace.trajectory = Trajectory::from_stored(RawJson::parse(json.into()).unwrap());
    // What a database's own JSON would change or refuse: keys that come twice, numbers beyond 64 bits, half a letter, the letter 0.
    let json = r#"{"b": 2.0, "a": [null], "b": 123456789012345678901234567890, "c": "\ud800", "d": "\u0000"}"#;
    insert.trace.metadata = RawJson::parse(json.into()).unwrap();
    insert.trace.task = "refund\0order\u{1} 7\u{1}0".into();
    insert.trace.model = Some("a model".into());
    insert.trace.reference_context = Some("the policy\0".into());
    let submission = fixture.insert(insert.clone()).await;
    assert_eq!((submission.trace_id, submission.ingest_status), (insert.id, IngestStatus::Completed));

    let trace = fixture.trace(insert.id).await;
    assert_eq!(trace.trajectory, Some(insert.trace.trajectory));
    assert_eq!(trace.metadata, insert.trace.metadata);
    assert_eq!((trace.task, trace.final_response), (insert.trace.task, insert.trace.final_response));
    assert_eq!((trace.model, trace.reference_context), (insert.trace.model, insert.trace.reference_context));
    assert_eq!((trace.review_status, trace.ingest_status), (ReviewStatus::Pending, IngestStatus::Completed));
    assert_eq!((trace.ingest_attempts, trace.last_ingest_error), (0, None));
    assert_eq!((trace.created_memory_id, trace.review, trace.retrieval_id), (None, None, None));
    assert_eq!((trace.warnings, trace.created_at), (vec![], insert.now));
}

async fn a_trace_with_a_review_is_queued_and_moves_utilities_at_once(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory = fixture.seed_memory().await;
    let mut insert = fixture.new_reviewed_trace(&[memory], Outcome::Fail);
    insert.review.as_mut().unwrap().review.feedback_text = Some("wrong order".into());
    let submission = fixture.insert(insert.clone()).await;
    assert_eq!(submission.ingest_status, IngestStatus::Queued);

    let trace = fixture.trace(insert.id).await;
    let review = trace.review.unwrap();
    assert_eq!((trace.review_status, trace.created_memory_id), (ReviewStatus::Pending, None));
    assert_eq!((review.result, review.mode), (Outcome::Fail, ReviewMode::Inline));
    assert_eq!((review.asked_alpha, review.alpha), (None, DEFAULT_ALPHA));
    assert_eq!((review.feedback_text.as_deref(), review.created_at), (Some("wrong order"), insert.now));

    let tally = fixture.memory(memory).await.tally;
    assert_eq!((tally.utility(), tally.uses(), tally.passes(), tally.fails()), (0.35, 1, 0, 1));
    let credits = fixture.credits(memory).await;
    assert_eq!((credits[0].trace_id, credits[0].review_id), (insert.id, review.id));
    assert_eq!((credits[0].memory_revision, credits[0].created_at), (1, insert.now));
}

async fn a_trace_with_its_lesson_is_done_at_once(store: &Store) {
    let fixture = Fixture::new(store).await;
    let mut insert = fixture.new_reviewed_trace(&[], Outcome::Fail);
    let lesson = fixture.new_lesson("never pay twice");
    insert.lesson = Some(lesson.clone());
    insert.trace.metadata = RawJson::parse(r#"{"customer": "a"}"#.into()).unwrap();
    assert_eq!(fixture.insert(insert.clone()).await.ingest_status, IngestStatus::Completed);

    let trace = fixture.trace(insert.id).await;
    assert_eq!(trace.review_status, ReviewStatus::Reviewed);
    assert_eq!(trace.created_memory_id, Some(lesson.memory_id));
    let memory = fixture.memory(lesson.memory_id).await;
    assert_eq!((memory.trace_id, memory.task), (insert.id, insert.trace.task));
    assert_eq!((memory.lesson, memory.success, memory.revision), (lesson.written.lesson, Some(false), 1));
    assert_eq!((memory.metadata, memory.tally.utility()), (insert.trace.metadata, 0.5));
    assert_eq!(store.next_job_due().await.unwrap(), None);
}

async fn an_id_is_stored_once(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory = fixture.seed_memory().await;
    let insert = fixture.new_trace(&[]);
    fixture.insert(insert.clone()).await;
    let before = fixture.trace(insert.id).await;
    let mut again = fixture.new_reviewed_trace(&[memory], Outcome::Pass);
    again.id = insert.id;
    let refused = store.insert_trace(fixture.id(), again).await;
    assert!(fixture.is_duplicate(&refused), "{refused:?}");
    assert_eq!(fixture.trace(insert.id).await, before);
    assert_eq!(fixture.credits(memory).await, []);
}

async fn a_memory_named_twice_or_unknown_is_credited_once_or_never(store: &Store) {
    let fixture = Fixture::new(store).await;
    let other = Fixture::in_project(store, "other").await;
    other.run(&[]).await;
    let foreign = other.seed_memory().await;
    let memory = fixture.seed_memory().await;
    let deleted = fixture.seed_memory().await;
    store.delete_memory(fixture.id(), deleted, fixture.now()).await.unwrap();

    let mut insert = fixture.new_reviewed_trace(&[memory, foreign, deleted], Outcome::Pass);
    insert.trace.retrieved_memory_ids.push(memory.to_string().to_uppercase());
    insert.trace.retrieved_memory_ids.push("not an id".into());
    fixture.insert(insert.clone()).await;
    let trace = fixture.trace(insert.id).await;
    assert_eq!(trace.retrieved_memory_ids, insert.trace.retrieved_memory_ids);
    assert_eq!(fixture.memory(memory).await.tally.uses(), 1);
    assert_eq!(other.memory(foreign).await.tally.uses(), 0);
    assert_eq!(store.check_ledger().await.unwrap().credits, 1);
}

async fn a_trace_of_another_project_is_not_there(store: &Store) {
    let fixture = Fixture::new(store).await;
    let other = Fixture::in_project(store, "other").await;
    let trace_id = fixture.run(&[]).await;
    assert_eq!(store.get_trace(other.id(), trace_id).await.unwrap(), None);
    let deleted = store.delete_traces(other.id(), vec![trace_id], true, other.now());
    assert_eq!(deleted.await.unwrap(), []);
    fixture.trace(trace_id).await;
}

async fn deleting_keeps_what_was_taught(store: &Store) {
    let fixture = Fixture::new(store).await;
    let seed = fixture.seed_memory().await;
    let (trace_id, taught) = fixture.taught_run(&[seed], Outcome::Pass).await;
    let before = known(&fixture, seed, taught).await;
    let deleted = store.delete_traces(fixture.id(), vec![trace_id], false, fixture.now());
    assert_eq!(deleted.await.unwrap(), [trace_id]);
    assert_eq!(store.get_trace(fixture.id(), trace_id).await.unwrap(), None);
    assert_eq!(known(&fixture, seed, taught).await, before);
    assert_eq!(fixture.credits(seed).await.len(), 1);
}

async fn deleting_with_cascade_undoes_what_was_taught(store: &Store) {
    let fixture = Fixture::new(store).await;
    let seed = fixture.seed_memory().await;
    let (trace_id, taught) = fixture.taught_run(&[seed], Outcome::Pass).await;
    let queued = fixture.queued_run(&[seed], Outcome::Fail).await;
    let unreviewed = fixture.run(&[seed]).await;
    let all = vec![trace_id, queued, unreviewed];
    let deleted = store.delete_traces(fixture.id(), all.clone(), true, fixture.now());
    assert_eq!(deleted.await.unwrap(), all);
    assert_eq!(fixture.find_memory(taught).await, None);
    assert_eq!(fixture.memory(seed).await.tally, reflect_core::Tally::default());
    assert_eq!(store.next_job_due().await.unwrap(), None);
    assert_eq!(store.check_ledger().await.unwrap().mismatches, []);
}

async fn deleting_twice_answers_those_that_were_there(store: &Store) {
    let fixture = Fixture::new(store).await;
    let (first, second) = (fixture.run(&[]).await, fixture.run(&[]).await);
    let delete = |ids| store.delete_traces(fixture.id(), ids, false, fixture.now());
    assert_eq!(delete(vec![first, first, fixture.trace_id()]).await.unwrap(), [first]);
    assert_eq!(delete(vec![first, second]).await.unwrap(), [second]);
    assert_eq!(delete(vec![]).await.unwrap(), []);
}

async fn known(fixture: &Fixture<'_>, seed: MemoryId, taught: MemoryId) -> [reflect_core::Memory; 2] {
    [fixture.memory(seed).await, fixture.memory(taught).await]
}
