//! What indexes are told of memories and of their runs.

use reflect_core::{IndexRow, Lesson, Memory, MemoryId, MemoryStatus, Outcome, TraceId, WrittenBy};
use reflect_store::{MemoryEdit, StampedMemory, Store};

use crate::support::{Fixture, conformance};

conformance! {
    an_index_is_told_what_changed_in_order,
    an_index_is_told_what_it_may_no_longer_show,
    a_run_is_known_whatever_becomes_of_its_lesson_and_its_trace,
    a_corrected_run_is_known_once,
    a_run_whose_memory_goes_while_it_is_corrected_is_known_once,
    an_index_sees_only_its_embedders_vectors,
}

async fn an_index_is_told_what_changed_in_order(store: &Store) {
    let fixture = Fixture::new(store).await;
    let other = Fixture::in_project(store, "other").await;
    assert_eq!(changes(&fixture, "test-2", 0, 10).await, []);
    let (first, second) = (fixture.seed_memory().await, fixture.seed_memory().await);
    other.seed_memory().await;
    fixture.queued_run(&[first], Outcome::Pass).await;

    let rows = changes(&fixture, "test-2", 0, 10).await;
    let ids: Vec<MemoryId> = rows.iter().map(|row| row.memory_id).collect();
    assert_eq!(ids, [second, first], "the first was credited last");
    assert!(rows[0].changed < rows[1].changed);
    let entry = rows[1].entry.clone().unwrap();
    let memory = fixture.memory(first).await;
    assert_eq!((&entry.learned, entry.metadata), (memory.tally.learned(), memory.metadata));
    assert_eq!(entry.vector, [0.6, -0.8]);

    assert_eq!(changes(&fixture, "test-2", 0, 1).await, rows[..1]);
    assert_eq!(changes(&fixture, "test-2", rows[0].changed, 10).await, rows[1..]);
    assert_eq!(changes(&fixture, "test-2", rows[1].changed, 10).await, []);
    edit_guidance(&fixture, second, "ask first").await.unwrap();
    let newer = changes(&fixture, "test-2", rows[1].changed, 10).await;
    assert_eq!((newer.len(), newer[0].memory_id), (1, second));
    let stamped = stamped(&fixture, &[second, first]).await;
    assert_eq!((&stamped[0].memory, stamped[0].changed), (&fixture.memory(second).await, newer[0].changed));
    assert_eq!(stamped[1].changed, rows[1].changed);
    let reader = store.index_reader();
    let by_id = reader.list_by_id(fixture.id(), "test-2".into(), MemoryId::from_uuid(uuid::Uuid::nil()), 10);
    assert_eq!(by_id.await.unwrap(), [rows[1].clone(), newer[0].clone()]);
    let after_first = reader.list_by_id(fixture.id(), "test-2".into(), first, 1);
    assert_eq!(after_first.await.unwrap(), newer);
    let embedder = reflect_core::EmbedderId("test-2".into());
    let projects = reader.list_projects().await.unwrap();
    assert_eq!(projects, [(fixture.id(), embedder.clone()), (other.id(), embedder)]);
    assert_eq!(store.check_ledger().await.unwrap().mismatches, []);
}

async fn an_index_is_told_what_it_may_no_longer_show(store: &Store) {
    let fixture = Fixture::new(store).await;
    let (disabled, deleted) = (fixture.seed_memory().await, fixture.seed_memory().await);
    let (taken_back, taught) = fixture.taught_run(&[], Outcome::Pass).await;
    let since = changes(&fixture, "test-2", 0, 10).await[2].changed;
    set_status(&fixture, disabled, MemoryStatus::Disabled).await;
    store.delete_memory(fixture.id(), deleted, fixture.now()).await.unwrap();
    store.take_back_review(fixture.id(), taken_back, fixture.now()).await.unwrap();
    let rows = changes(&fixture, "test-2", since, 10).await;
    let told: Vec<(MemoryId, bool)> = rows.iter().map(|row| (row.memory_id, is_shown(row))).collect();
    assert_eq!(told, [(disabled, false), (deleted, false), (taught, false)]);
    assert_eq!(stamped(&fixture, &[disabled, deleted, taught]).await, []);
    set_status(&fixture, disabled, MemoryStatus::Active).await;
    let rows = changes(&fixture, "test-2", rows[2].changed, 10).await;
    assert!(is_shown(&rows[0]));
}

async fn a_run_is_known_whatever_becomes_of_its_lesson_and_its_trace(store: &Store) {
    let fixture = Fixture::new(store).await;
    let (run, memory) = fixture.taught_run(&[], Outcome::Pass).await;
    let (deleted_run, deleted) = fixture.taught_run(&[], Outcome::Fail).await;
    let (_, taken_back) = fixture.taught_run(&[], Outcome::Pass).await;
    let known = async || {
        let rows = changes(&fixture, "test-2", 0, 10).await;
        let run = |row: &IndexRow| Some((row.memory_id, row.entry.as_ref()?.run?.score));
        let mut known: Vec<(MemoryId, f64)> = rows.iter().filter_map(run).collect();
        known.sort_by_key(|(memory_id, _)| *memory_id);
        known
    };
    let all = [(memory, 1.0), (deleted, 0.0), (taken_back, 1.0)];
    assert_eq!(known().await, all);
    set_status(&fixture, memory, MemoryStatus::Disabled).await;
    store.delete_memory(fixture.id(), deleted, fixture.now()).await.unwrap();
    assert_eq!(known().await, all);
    assert_eq!(changes(&fixture, "test-2", 0, 10).await.iter().filter(|row| is_shown(row)).count(), 1);

    let trace_of = fixture.find_memory(taken_back).await.unwrap().0.trace_id;
    store.take_back_review(fixture.id(), trace_of, fixture.now()).await.unwrap();
    assert_eq!(known().await, all[..2], "a review that was taken back says nothing");
    while !store.prune_traces(fixture.id(), TraceId::from_uuid(uuid::Uuid::max())).await.unwrap().done {}
    assert_eq!(store.get_trace(fixture.id(), run).await.unwrap(), None);
    assert_eq!(store.get_trace(fixture.id(), deleted_run).await.unwrap(), None);
    assert_eq!(known().await, all[..1], "of what was deleted with its run nothing is left");
    assert_eq!(store.check_ledger().await.unwrap().mismatches, []);
}

async fn a_corrected_run_is_known_once(store: &Store) {
    let fixture = Fixture::new(store).await;
    let (run, deleted) = fixture.taught_run(&[], Outcome::Pass).await;
    store.delete_memory(fixture.id(), deleted, fixture.now()).await.unwrap();
    fixture.review(run, fixture.new_correction(Outcome::Fail)).await;
    let job = fixture.claim_one().await;
    assert!(fixture.complete(job).await);
    let rows = changes(&fixture, "test-2", 0, 10).await;
    let runs: Vec<f64> = rows.iter().filter_map(|row| Some(row.entry.as_ref()?.run?.score)).collect();
    assert_eq!(runs, [0.0]);
}

fn is_shown(row: &IndexRow) -> bool {
    row.entry.as_ref().is_some_and(|entry| !entry.is_hidden)
}

async fn a_run_whose_memory_goes_while_it_is_corrected_is_known_once(store: &Store) {
    let fixture = Fixture::new(store).await;
    let (run, deleted) = fixture.taught_run(&[], Outcome::Pass).await;
    fixture.review(run, fixture.new_correction(Outcome::Fail)).await;
    store.delete_memory(fixture.id(), deleted, fixture.now()).await.unwrap();
    let job = fixture.claim_one().await;
    assert!(fixture.complete(job).await);
    let rows = changes(&fixture, "test-2", 0, 10).await;
    let runs: Vec<f64> = rows.iter().filter_map(|row| Some(row.entry.as_ref()?.run?.score)).collect();
    assert_eq!(runs, [0.0]);
}

async fn an_index_sees_only_its_embedders_vectors(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory = fixture.seed_memory().await;
    let rows = changes(&fixture, "another", 0, 10).await;
    assert_eq!((rows[0].memory_id, &rows[0].entry), (memory, &None));
    assert!(changes(&fixture, "test-2", 0, 10).await[0].entry.is_some());
    assert_eq!(store.check_ledger().await.unwrap().memories, 1);
}

pub(crate) async fn changes(fixture: &Fixture<'_>, embedder: &str, since: i64, limit: usize) -> Vec<IndexRow> {
    let reader = fixture.store.index_reader();
    let rows = reader.list_changed(fixture.id(), embedder.into(), since, limit);
    rows.await.unwrap()
}

pub(crate) async fn stamped(fixture: &Fixture<'_>, memory_ids: &[MemoryId]) -> Vec<StampedMemory> {
    fixture.store.get_stamped_memories(fixture.id(), memory_ids.to_vec(), usize::MAX).await.unwrap()
}

pub(crate) async fn set_status(fixture: &Fixture<'_>, memory: MemoryId, status: MemoryStatus) {
    let edit = MemoryEdit { status: Some(status), ..MemoryEdit::default() };
    let updated = fixture.store.update_memory(fixture.id(), memory, edit, fixture.now());
    assert_eq!(updated.await.unwrap().unwrap().status, status);
}

pub(crate) async fn edit_guidance(fixture: &Fixture<'_>, memory: MemoryId, guidance: &str) -> Option<Memory> {
    let guidance = guidance.to_owned();
    let editor = WrittenBy::new("editor", "1");
    let edit = MemoryEdit {
        lesson: Some((Box::new(|lesson| Lesson { guidance, ..lesson }), editor)),
        ..MemoryEdit::default()
    };
    let updated = fixture.store.update_memory(fixture.id(), memory, edit, fixture.now());
    updated.await.unwrap()
}
