//! The one writer: neighbours in a batch, callers that go away, and closing.

use std::{future::Future, pin::pin, task::Poll};

use reflect_core::{MemoryId, Outcome, TraceId};
use reflect_store::{LessonInsert, Store, StoreError, TraceInsert};

use crate::support::{Fixture, TempStore, all_at_once, conformance};

conformance! {
    the_store_answers_a_ping,
    a_write_that_fails_takes_none_of_its_neighbours,
    a_write_that_panics_takes_none_of_its_neighbours,
    a_write_whose_caller_went_away_is_carried_out,
    many_readers_and_writers_all_get_their_answers,
}

async fn the_store_answers_a_ping(store: &Store) {
    store.ping().await.unwrap();
    store.ping().await.unwrap();
}

async fn a_write_that_fails_takes_none_of_its_neighbours(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory = fixture.seed_memory().await;
    let taken = fixture.run(&[]).await;
    let inserts: Vec<TraceInsert> = (0..300)
        .map(|number| {
            let mut insert = fixture.new_reviewed_trace(&[memory], Outcome::Pass);
            match number % 3 {
                // The first statement fails.
                0 => insert.id = taken,
                // One of the last fails, when the trace, its review and its credit are written already.
                1 => insert.lesson = Some(lesson_of(&fixture, memory)),
                _ => {}
            }
            insert
        })
        .collect();
    let send = |insert: &TraceInsert| store.insert_trace(fixture.id(), insert.clone());
    let answers = all_at_once(inserts.iter().map(send)).await;

    for (insert, answer) in inserts.iter().zip(answers) {
        if insert.id == taken || insert.lesson.is_some() {
            assert!(fixture.is_duplicate(&answer), "{answer:?}");
        } else {
            answer.unwrap().unwrap();
            assert_eq!(fixture.trace(insert.id).await.review.unwrap().result, Outcome::Pass);
        }
        if insert.lesson.is_some() {
            let found = store.get_trace(fixture.id(), insert.id).await.unwrap();
            assert_eq!(found, None, "nothing of a failed write stays");
        }
    }
    assert_eq!(fixture.trace(taken).await.review, None);
    assert_eq!(fixture.memory(memory).await.tally.uses(), 100);
    assert_eq!(store.check_ledger().await.unwrap().mismatches, []);
}

/// A lesson under an id that a memory has already.
fn lesson_of(fixture: &Fixture<'_>, memory: MemoryId) -> LessonInsert {
    LessonInsert { memory_id: memory, ..fixture.new_lesson("not stored") }
}

async fn a_write_that_panics_takes_none_of_its_neighbours(store: &Store) {
    let fixture = Fixture::new(store).await;
    let (before, after) = (fixture.new_trace(&[]), fixture.new_trace(&[]));
    let ids = [before.id, after.id];
    let panics = store.update_project_settings(fixture.id(), |_| panic!("this panic is part of the test"));
    let (before, panicked, after) =
        tokio::join!(store.insert_trace(fixture.id(), before), panics, store.insert_trace(fixture.id(), after));
    assert!(matches!(panicked, Err(StoreError::Damaged { .. })), "{panicked:?}");
    before.unwrap().unwrap();
    after.unwrap().unwrap();
    for id in ids {
        fixture.trace(id).await;
    }
}

async fn a_write_whose_caller_went_away_is_carried_out(store: &Store) {
    let fixture = Fixture::new(store).await;
    let insert = fixture.new_reviewed_trace(&[], Outcome::Pass);
    let id = insert.id;
    drop_after_one_poll(store.insert_trace(fixture.id(), insert)).await;
    // Writes keep their order, so once this one is answered the first is stored too.
    fixture.run(&[]).await;
    assert!(fixture.trace(id).await.review.is_some());
}

async fn many_readers_and_writers_all_get_their_answers(store: &Store) {
    let fixture = Fixture::new(store).await;
    // More than the writer's queue holds, so that some callers have to wait to hand theirs over.
    let inserts: Vec<TraceInsert> = (0..1_500).map(|_| fixture.new_trace(&[])).collect();
    let ids: Vec<TraceId> = inserts.iter().map(|insert| insert.id).collect();
    let answers = all_at_once(inserts.into_iter().map(|insert| store.insert_trace(fixture.id(), insert))).await;
    for answer in answers {
        answer.unwrap().unwrap();
    }
    let found = all_at_once(ids.iter().map(|id| store.get_trace(fixture.id(), *id))).await;
    assert!(found.into_iter().all(|trace| trace.unwrap().is_some()));
}

#[tokio::test]
async fn reopening_finds_everything_even_what_nobody_waited_for() {
    let temp = TempStore::open().await;
    let fixture = Fixture::new(&temp.store).await;
    let memory = fixture.seed_memory().await;
    let trace_id = fixture.queued_run(&[memory], Outcome::Fail).await;
    let retrieval = fixture.new_retrieval("refund order 7", &[memory]);
    temp.store.insert_retrieval(fixture.id(), retrieval.clone()).await.unwrap();
    let before = (fixture.trace(trace_id).await, fixture.memory(memory).await);
    let dropped = fixture.new_trace(&[]);
    let dropped_id = dropped.id;
    drop_after_one_poll(temp.store.insert_trace(fixture.id(), dropped)).await;
    drop(fixture);

    let temp = temp.reopen().await;
    let fixture = Fixture::new(&temp.store).await;
    assert_eq!((fixture.trace(trace_id).await, fixture.memory(memory).await), before);
    fixture.trace(dropped_id).await;
    let found = temp.store.get_retrieval(fixture.id(), retrieval.id).await.unwrap();
    assert_eq!(found, Some(retrieval));
    assert!(temp.store.next_job_due().await.unwrap().is_some());
}

#[tokio::test]
async fn changes_go_on_counting_after_reopening() {
    let temp = TempStore::open().await;
    let fixture = Fixture::new(&temp.store).await;
    let memory = fixture.seed_memory().await;
    let before = newest_change(&fixture).await;
    drop(fixture);

    let temp = temp.reopen().await;
    let fixture = Fixture::new(&temp.store).await;
    assert_eq!(newest_change(&fixture).await, before);
    let insert = TraceInsert {
        id: TraceId::from_uuid(uuid::Uuid::nil()),
        ..fixture.new_reviewed_trace(&[memory], Outcome::Pass)
    };
    fixture.insert(insert).await;
    assert!(newest_change(&fixture).await > before);
}

async fn newest_change(fixture: &Fixture<'_>) -> i64 {
    let reader = fixture.store.index_reader();
    let list = reader.list_changed(fixture.id(), "test-2".into(), 0, 10);
    list.await.unwrap().last().unwrap().changed
}

/// Hands a write over, and then no longer wants to know.
async fn drop_after_one_poll(write: impl Future) {
    let mut write = pin!(write);
    std::future::poll_fn(|context| {
        let _ = write.as_mut().poll(context);
        Poll::Ready(())
    })
    .await;
}

#[tokio::test]
async fn a_store_that_was_opened_again_elsewhere_writes_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reflect.db");
    let old = Store::open(&path).unwrap();
    let fixture = Fixture::new(&old).await;
    let memory_id = fixture.seed_memory().await;
    let new = Store::open(&path).unwrap();
    let refused = old.insert_trace(fixture.id(), fixture.new_reviewed_trace(&[memory_id], Outcome::Pass)).await;
    assert!(matches!(refused, Err(StoreError::TakenOver)), "{refused:?}");
    assert_eq!(fixture.memory(memory_id).await.tally.uses(), 0, "reads go on");

    new.insert_trace(fixture.id(), fixture.new_reviewed_trace(&[memory_id], Outcome::Pass)).await.unwrap().unwrap();
    assert_eq!(fixture.memory(memory_id).await.tally.uses(), 1);
    let newest = new.index_reader().list_changed(fixture.id(), String::new(), 1, 10).await.unwrap();
    assert_eq!(newest.len(), 1, "its change has a number of its own");
}
