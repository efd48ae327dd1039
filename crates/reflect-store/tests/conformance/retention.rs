//! Forgetting old traces, and measuring what is kept.

use reflect_core::{Outcome, TraceId};
use reflect_store::{Kept, Store};
use uuid::Uuid;

use crate::support::{Fixture, TempStore, conformance};

conformance! {
    old_traces_go_in_small_steps_and_what_they_taught_stays,
    a_trace_whose_lesson_is_to_be_written_stays_until_it_is,
    surplus_traces_are_those_behind_the_newest,
}

async fn old_traces_go_in_small_steps_and_what_they_taught_stays(store: &Store) {
    let (fixture, other) = (Fixture::new(store).await, Fixture::in_project(store, "other").await);
    let (taught, memory_id) = fixture.taught_run(&[], Outcome::Pass).await;
    fixture.taught_run(&[memory_id], Outcome::Fail).await;
    for _ in 0..30 {
        fixture.run(&[]).await;
    }
    let kept = fixture.run(&[]).await;
    let elsewhere = other.run(&[]).await;
    let before = fixture.find_memory(memory_id).await;
    let mut removed = 0;
    loop {
        let progress = store.prune_traces(fixture.id(), kept).await.unwrap();
        assert!(progress.largest_step <= 4, "others wait for {} traces", progress.largest_step);
        removed += progress.changed;
        if progress.done {
            break;
        }
    }
    assert_eq!(removed, 32);
    assert_eq!(store.get_trace(fixture.id(), taught).await.unwrap(), None);
    assert!(store.get_trace(fixture.id(), kept).await.unwrap().is_some());
    assert!(store.get_trace(other.id(), elsewhere).await.unwrap().is_some());
    assert_eq!(fixture.find_memory(memory_id).await, before, "with its ledger");
    assert_eq!(store.check_ledger().await.unwrap().mismatches, []);
    assert_eq!(store.count_traces_from(fixture.id(), TraceId::from_uuid(Uuid::nil())).await.unwrap(), 1);
    assert_eq!(store.count_traces_from(fixture.id(), kept.next()).await.unwrap(), 0);
}

async fn a_trace_whose_lesson_is_to_be_written_stays_until_it_is(store: &Store) {
    let fixture = Fixture::new(store).await;
    let waiting = fixture.queued_run(&[], Outcome::Fail).await;
    let all = TraceId::from_uuid(Uuid::max());
    assert_eq!(store.prune_traces(fixture.id(), all).await.unwrap().changed, 0);
    let job = fixture.claim_one().await;
    assert!(fixture.complete(job).await);
    assert_eq!(store.prune_traces(fixture.id(), all).await.unwrap().changed, 1);
    assert_eq!(store.get_trace(fixture.id(), waiting).await.unwrap(), None);
}

async fn surplus_traces_are_those_behind_the_newest(store: &Store) {
    let fixture = Fixture::new(store).await;
    let mut ids = Vec::new();
    for _ in 0..5 {
        ids.push(fixture.run(&[]).await);
    }
    assert_eq!(store.find_surplus_trace(fixture.id(), 3).await.unwrap(), Some(ids[1]));
    assert_eq!(store.find_surplus_trace(fixture.id(), 5).await.unwrap(), None);
}

#[tokio::test]
async fn what_is_kept_is_measured_by_project() {
    let temp = TempStore::open().await;
    let fixture = Fixture::new(&temp.store).await;
    let (_, memory_id) = fixture.taught_run(&[], Outcome::Pass).await;
    fixture.taught_run(&[memory_id], Outcome::Pass).await;
    temp.store.insert_retrieval(fixture.id(), fixture.new_retrieval("task", &[memory_id])).await.unwrap();
    temp.store.settle().await.unwrap();
    Fixture::in_project(&temp.store, "empty").await;
    let sizes = temp.store.measure().await.unwrap();
    assert!(sizes.file > sizes.free && sizes.file % 4_096 == 0, "{sizes:?}");
    let project = &sizes.projects[&fixture.id()];
    let rows = [project.traces, project.memories, project.vectors, project.credits, project.retrievals];
    assert_eq!(rows.map(|kept| kept.rows), [2, 2, 2, 1, 1]);
    assert!(rows.iter().all(|kept| kept.bytes > 100 && kept.bytes < 4_096), "{project:?}");
    assert_eq!(sizes.projects[&"empty".parse().unwrap()].traces, Kept::default());
}
