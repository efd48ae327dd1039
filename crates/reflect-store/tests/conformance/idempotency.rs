//! The same request again gets the first answer again.

use reflect_core::{IngestStatus, Outcome, Timestamp};
use reflect_store::{IdempotencyKey, Once, ReviewInsert, Reviewed, Store, Submission, TraceReview};

use crate::support::{Fixture, all_at_once, conformance};

conformance! {
    a_trace_sent_twice_is_stored_once,
    a_trace_sent_many_times_at_once_is_stored_once,
    the_answer_is_the_first_one_even_after_the_work_is_done,
    a_review_sent_twice_counts_once,
    another_request_under_the_same_key_is_refused,
    a_refused_request_does_not_use_up_its_key,
    a_failed_request_does_not_use_up_its_key,
    keys_of_other_projects_do_not_count,
    a_key_is_known_once_its_request_was_carried_out,
}

async fn a_trace_sent_twice_is_stored_once(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory = fixture.seed_memory().await;
    let mut insert = fixture.new_reviewed_trace(&[memory], Outcome::Pass);
    insert.idempotency = fixture.idempotency("word", 1);
    let submission = fixture.insert(insert.clone()).await;
    // The repeated request drew another id of its own, which is not used.
    let mut again = insert;
    again.id = fixture.trace_id();
    let unused = again.id;
    let answer = store.insert_trace(fixture.id(), again).await.unwrap().unwrap();
    assert_eq!(answer, Once::Again(submission));
    assert_eq!(store.get_trace(fixture.id(), unused).await.unwrap(), None);
    assert_eq!(fixture.memory(memory).await.tally.uses(), 1);
    assert_eq!(fixture.claim(10).await.len(), 1);
}

fn answered(once: Once<Submission>) -> Submission {
    match once {
        Once::First(submission) | Once::Again(submission) => submission,
        Once::KeyReused => panic!("the key was used for another request"),
    }
}

async fn a_trace_sent_many_times_at_once_is_stored_once(store: &Store) {
    let fixture = Fixture::new(store).await;
    let sent = (0..50).map(|_| {
        let mut insert = fixture.new_reviewed_trace(&[], Outcome::Pass);
        insert.idempotency = fixture.idempotency("word", 1);
        store.insert_trace(fixture.id(), insert)
    });
    let answers = all_at_once(sent).await;
    let answers: Vec<_> = answers.into_iter().map(|answer| answer.unwrap().unwrap()).collect();
    let firsts = answers.iter().filter(|answer| matches!(answer, Once::First(_)));
    assert_eq!(firsts.count(), 1);
    let mut submissions: Vec<_> = answers.into_iter().map(answered).collect();
    assert_eq!(submissions.len(), 50);
    submissions.dedup();
    assert_eq!(submissions.len(), 1);
    assert_eq!(fixture.claim(10).await.len(), 1);
}

async fn the_answer_is_the_first_one_even_after_the_work_is_done(store: &Store) {
    let fixture = Fixture::new(store).await;
    let mut insert = fixture.new_reviewed_trace(&[], Outcome::Pass);
    insert.idempotency = fixture.idempotency("word", 1);
    fixture.insert(insert.clone()).await;
    assert!(fixture.complete(fixture.claim_one().await).await);
    let again = store.insert_trace(fixture.id(), insert.clone()).await.unwrap().unwrap();
    assert_eq!(answered(again).ingest_status, IngestStatus::Queued);
    let deleted = store.delete_traces(fixture.id(), vec![insert.id], false, fixture.now());
    deleted.await.unwrap();
    let again = store.insert_trace(fixture.id(), insert.clone()).await.unwrap().unwrap();
    assert!(matches!(again, Once::Again(_)), "{again:?}");
    assert_eq!(store.get_trace(fixture.id(), insert.id).await.unwrap(), None);
}

async fn a_review_sent_twice_counts_once(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory = fixture.seed_memory().await;
    let trace_id = fixture.run(&[memory]).await;
    let send = |review, now| {
        let key = fixture.idempotency("word", 1);
        store.insert_review(fixture.id(), TraceReview { trace_id, review, lesson: None }, now, key)
    };
    let review = fixture.new_review(Outcome::Pass);
    assert_eq!(send(review, fixture.now()).await.unwrap(), Reviewed::Accepted);
    // The key alone tells that it is the same; even a correction is not carried out twice.
    let again = fixture.new_correction(Outcome::Fail);
    assert_eq!(send(again, fixture.now()).await.unwrap(), Reviewed::Repeated);
    let tally = fixture.memory(memory).await.tally;
    assert_eq!((tally.uses(), tally.passes()), (1, 1));
    assert_eq!(store.check_ledger().await.unwrap().mismatches, []);
}

async fn another_request_under_the_same_key_is_refused(store: &Store) {
    let fixture = Fixture::new(store).await;
    let mut insert = fixture.new_trace(&[]);
    insert.idempotency = fixture.idempotency("word", 1);
    let trace_id = fixture.insert(insert).await.trace_id;
    let mut other = fixture.new_trace(&[]);
    other.idempotency = fixture.idempotency("word", 2);
    let other_id = other.id;
    let answer = store.insert_trace(fixture.id(), other).await.unwrap();
    assert_eq!(answer, Some(Once::KeyReused));
    assert_eq!(store.get_trace(fixture.id(), other_id).await.unwrap(), None);
    let review = fixture.new_review(Outcome::Pass);
    let key = fixture.idempotency("word", 3);
    let answer = store.insert_review(fixture.id(), TraceReview { trace_id, review, lesson: None }, fixture.now(), key);
    assert_eq!(answer.await.unwrap(), Reviewed::KeyReused);
    assert_eq!(fixture.trace(trace_id).await.review, None);
}

async fn a_refused_request_does_not_use_up_its_key(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = fixture.trace_id();
    let send = |review: ReviewInsert, now: Timestamp, key: Option<IdempotencyKey>| {
        store.insert_review(fixture.id(), TraceReview { trace_id, review, lesson: None }, now, key)
    };
    let review = fixture.new_review(Outcome::Pass);
    let key = fixture.idempotency("word", 1);
    let answer = send(review.clone(), fixture.now(), key.clone()).await.unwrap();
    assert_eq!(answer, Reviewed::NoTrace);
    let mut insert = fixture.new_trace(&[]);
    insert.id = trace_id;
    fixture.insert(insert).await;
    let answer = send(review, fixture.now(), key).await.unwrap();
    assert_eq!(answer, Reviewed::Accepted);
}

async fn a_failed_request_does_not_use_up_its_key(store: &Store) {
    let fixture = Fixture::new(store).await;
    let mut insert = fixture.new_trace(&[]);
    insert.id = fixture.run(&[]).await;
    insert.idempotency = fixture.idempotency("word", 1);
    store.insert_trace(fixture.id(), insert.clone()).await.unwrap_err();
    insert.id = fixture.trace_id();
    fixture.insert(insert).await;
}

async fn keys_of_other_projects_do_not_count(store: &Store) {
    for (name, body) in [("one", 1), ("two", 1), ("three", 2)] {
        let fixture = Fixture::in_project(store, name).await;
        let mut insert = fixture.new_trace(&[]);
        insert.idempotency = fixture.idempotency("word", body);
        fixture.insert(insert).await;
    }
}

async fn a_key_is_known_once_its_request_was_carried_out(store: &Store) {
    let fixture = Fixture::new(store).await;
    let knows = |project_id| store.knows_idempotency_key(project_id, "word".into());
    assert!(!knows(fixture.id()).await.unwrap());
    let mut insert = fixture.new_reviewed_trace(&[], Outcome::Pass);
    insert.idempotency = fixture.idempotency("word", 1);
    fixture.insert(insert).await;
    assert!(knows(fixture.id()).await.unwrap());
    assert!(!knows("elsewhere".parse().unwrap()).await.unwrap());
}
