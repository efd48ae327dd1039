//! Projects: made once, changed, listed, deleted with everything in them.

use reflect_core::{Outcome, ProjectSettings};
use reflect_store::{DeletedProject, MemoryFilter, Store, StoreError, TraceFilter, TracePage};

use crate::support::{Fixture, PATIENCE, conformance, list_memories};

conformance! {
    a_project_is_made_once_and_then_found,
    a_project_with_its_key_is_made_once,
    names_with_slashes_spaces_and_umlauts_are_kept_apart,
    projects_are_listed_by_name,
    settings_change_and_stay,
    deleting_removes_everything_and_says_what,
    a_project_made_again_starts_empty,
    a_deleted_project_is_out_of_sight_at_once_and_erased_bit_by_bit,
    nothing_is_stored_in_a_project_that_is_not_there,
    erasing_holds_other_writers_up_for_a_few_rows_at_most,
    a_project_that_was_not_deleted_is_not_erased,
}

async fn a_project_that_was_not_deleted_is_not_erased(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = fixture.queued_run(&[], Outcome::Pass).await;
    assert!(store.erase_some(fixture.id()).await.unwrap().done);
    assert!(fixture.trace(trace_id).await.review.is_some());
}

async fn a_project_is_made_once_and_then_found(store: &Store) {
    let fixture = Fixture::without_project(store, "default");
    assert_eq!(store.get_project(fixture.id()).await.unwrap(), None);
    let project = fixture.new_project();
    assert_eq!(store.get_or_insert_project(project.clone()).await.unwrap(), project);
    let other = fixture.new_project();
    assert_ne!(other.incarnation, project.incarnation);
    assert_eq!(store.get_or_insert_project(other).await.unwrap(), project);
    assert_eq!(store.get_project(fixture.id()).await.unwrap(), Some(project));
}

async fn a_project_with_its_key_is_made_once(store: &Store) {
    let fixture = Fixture::without_project(store, "default");
    let (project, key) = (fixture.new_project(), fixture.new_key("one"));
    let insert = |key| store.insert_project_with_key(project.clone(), key);
    assert!(insert(key.clone()).await.unwrap());
    assert!(!insert(fixture.new_key("two")).await.unwrap());
    assert_eq!(store.list_keys(fixture.id()).await.unwrap(), [key.key]);

    // The key's public id is taken, so neither the project nor the key may be there.
    let other = Fixture::without_project(store, "other");
    let refused = store.insert_project_with_key(other.new_project(), other.new_key("one"));
    refused.await.unwrap_err();
    assert_eq!(store.get_project(other.id()).await.unwrap(), None);
}

async fn names_with_slashes_spaces_and_umlauts_are_kept_apart(store: &Store) {
    let names = ["a", "A", "a ", "a/b", "ä", "%61", "a%"];
    let mut traces = Vec::new();
    for name in names {
        let fixture = Fixture::in_project(store, name).await;
        traces.push(fixture.run(&[]).await);
    }
    assert!(traces.windows(2).all(|pair| pair[0] == pair[1]), "ids may repeat elsewhere");
    store.delete_project("a".parse().unwrap()).await.unwrap().unwrap();
    for name in &names[1..] {
        let found = store.get_trace(name.parse().unwrap(), traces[0]).await.unwrap();
        assert!(found.is_some(), "{name}");
    }
}

async fn projects_are_listed_by_name(store: &Store) {
    assert_eq!(store.list_projects().await.unwrap(), []);
    for name in ["b", "c", "a"] {
        Fixture::in_project(store, name).await;
    }
    let listed = store.list_projects().await.unwrap();
    let names: Vec<&str> = listed.iter().map(|project| project.id.as_str()).collect();
    assert_eq!(names, ["a", "b", "c"]);
}

async fn settings_change_and_stay(store: &Store) {
    let fixture = Fixture::new(store).await;
    let other = Fixture::in_project(store, "other").await;
    let change = |settings| ProjectSettings { alpha: Some(0.1), ..settings };
    let changed = store.update_project_settings(fixture.id(), change).await.unwrap();
    assert_eq!(changed.as_ref().unwrap().settings.alpha, Some(0.1));
    assert_eq!(store.get_project(fixture.id()).await.unwrap(), changed);

    let again =
        store.update_project_settings(fixture.id(), |settings| ProjectSettings { lambda: settings.alpha, ..settings });
    let again = again.await.unwrap().unwrap().settings;
    assert_eq!((again.alpha, again.lambda), (Some(0.1), Some(0.1)));
    let untouched = store.get_project(other.id()).await.unwrap().unwrap().settings;
    assert_eq!(untouched, ProjectSettings::default());
    let absent = store.update_project_settings("absent".parse().unwrap(), change);
    assert_eq!(absent.await.unwrap(), None);
}

async fn deleting_removes_everything_and_says_what(store: &Store) {
    let fixture = Fixture::new(store).await;
    store.insert_key(fixture.new_key("one"), String::new(), None).await.unwrap();
    let memory = fixture.seed_memory().await;
    let deleted_memory = fixture.seed_memory().await;
    store.delete_memory(fixture.id(), deleted_memory, fixture.now()).await.unwrap();
    fixture.queued_run(&[memory], Outcome::Fail).await;
    let taken_back = fixture.queued_run(&[memory], Outcome::Fail).await;
    store.take_back_review(fixture.id(), taken_back, fixture.now()).await.unwrap();

    let deleted = fixture.erase_project().await;
    let expected = DeletedProject { traces: 4, memories: 1, reviews: 3, api_keys: 1, jobs: 1 };
    assert_eq!(deleted, expected);
    assert_eq!(store.delete_project(fixture.id()).await.unwrap(), None);
    assert_eq!(store.get_key_by_public_id("one".into()).await.unwrap(), None);
    assert_eq!(store.next_job_due().await.unwrap(), None);
}

async fn a_project_made_again_starts_empty(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory = fixture.seed_memory().await;
    let trace_id = fixture.queued_run(&[memory], Outcome::Pass).await;
    let retrieval = fixture.new_retrieval("refund order 7", &[memory]);
    store.insert_retrieval(fixture.id(), retrieval.clone()).await.unwrap();
    store.insert_skill(fixture.id(), fixture.new_skill(1), None).await.unwrap();
    let mut insert = fixture.new_trace(&[]);
    insert.idempotency = fixture.idempotency("word", 1);
    fixture.insert(insert.clone()).await;
    let first_life = store.get_project(fixture.id()).await.unwrap().unwrap();
    fixture.erase_project().await;

    let second_life = store.get_or_insert_project(fixture.new_project()).await.unwrap();
    assert_ne!(second_life.incarnation, first_life.incarnation);
    let page = TracePage { before: None, limit: 10 };
    let traces = store.list_trace_ids(fixture.id(), TraceFilter::default(), page, PATIENCE);
    assert_eq!(traces.await.unwrap(), []);
    let all = MemoryFilter { limit: 10, ..MemoryFilter::default() };
    assert_eq!(list_memories(store, fixture.id(), all).await, []);
    assert_eq!(store.get_trace(fixture.id(), trace_id).await.unwrap(), None);
    assert_eq!(store.get_retrieval(fixture.id(), retrieval.id).await.unwrap(), None);
    assert_eq!(store.get_skill(fixture.id()).await.unwrap(), None);
    let reader = store.index_reader();
    let changed = reader.list_changed(fixture.id(), "test-2".into(), 0, 10);
    assert_eq!(changed.await.unwrap(), []);
    // The idempotency key is forgotten too: the request counts as new.
    fixture.insert(insert).await;
    // A memory of the same id starts afresh, without the ledger of the first.
    let mut lesson = fixture.new_lesson("again");
    lesson.memory_id = memory;
    let mut taught = fixture.new_reviewed_trace(&[], Outcome::Pass);
    taught.lesson = Some(lesson);
    fixture.insert(taught).await;
    assert_eq!(fixture.credits(memory).await, []);
}

async fn nothing_is_stored_in_a_project_that_is_not_there(store: &Store) {
    let fixture = Fixture::without_project(store, "absent");
    let mut insert = fixture.new_reviewed_trace(&[], Outcome::Pass);
    insert.idempotency = fixture.idempotency("word", 1);
    assert_eq!(store.insert_trace(fixture.id(), insert.clone()).await.unwrap(), None);
    let retrieval = fixture.new_retrieval("task", &[]);
    store.insert_retrieval(fixture.id(), retrieval.clone()).await.unwrap();
    assert!(store.insert_skill(fixture.id(), fixture.new_skill(1), None).await.unwrap().is_none());

    store.get_or_insert_project(fixture.new_project()).await.unwrap();
    assert_eq!(store.get_trace(fixture.id(), insert.id).await.unwrap(), None);
    assert_eq!(store.get_retrieval(fixture.id(), retrieval.id).await.unwrap(), None);
    assert_eq!(store.get_skill(fixture.id()).await.unwrap(), None);
    assert_eq!(store.next_job_due().await.unwrap(), None);
    fixture.insert(insert).await;
}

async fn a_deleted_project_is_out_of_sight_at_once_and_erased_bit_by_bit(store: &Store) {
    let (fixture, other) = (Fixture::new(store).await, Fixture::in_project(store, "other").await);
    store.insert_key(fixture.new_key("one"), String::new(), None).await.unwrap();
    let memory = fixture.seed_memory().await;
    let trace_id = fixture.queued_run(&[memory], Outcome::Pass).await;
    let (_, bystander) = (fixture.queued_run(&[], Outcome::Pass).await, other.queued_run(&[], Outcome::Pass).await);
    let retrieval = fixture.new_retrieval("refund order 7", &[memory]);
    store.insert_retrieval(fixture.id(), retrieval.clone()).await.unwrap();
    store.delete_project(fixture.id()).await.unwrap().unwrap();

    assert!(store.is_being_erased(&fixture.id()) && !store.is_being_erased(&other.id()));
    assert_eq!(store.list_being_erased(), [fixture.id()]);
    assert_eq!(store.get_project(fixture.id()).await.unwrap(), None);
    assert_eq!(store.get_key_by_public_id("one".into()).await.unwrap(), None);
    assert_eq!(store.delete_project(fixture.id()).await.unwrap(), None, "there is none any more");
    assert!(store.is_being_erased(&fixture.id()));
    let refused = store.get_or_insert_project(fixture.new_project()).await;
    assert!(matches!(refused, Err(StoreError::BeingErased(_))), "{refused:?}");
    let refused = store.insert_project_with_key(fixture.new_project(), fixture.new_key("two")).await;
    assert!(matches!(refused, Err(StoreError::BeingErased(_))), "{refused:?}");
    assert_eq!(store.check_ledger().await.unwrap().mismatches, []);

    while !store.erase_some(fixture.id()).await.unwrap().done {}
    assert!(!store.is_being_erased(&fixture.id()));
    assert_eq!(store.get_trace(fixture.id(), trace_id).await.unwrap(), None);
    assert_eq!(store.get_retrieval(fixture.id(), retrieval.id).await.unwrap(), None);
    store.get_or_insert_project(fixture.new_project()).await.unwrap();
    assert!(store.get_trace(other.id(), bystander).await.unwrap().is_some());
}

/// A write of another project waits for the step that is being done, and for the ten milliseconds at most that its turn lasts. A step of
/// a few rows takes less, even if each has a megabyte; all rows of 20,000 traces at once took 1.4 seconds.
async fn erasing_holds_other_writers_up_for_a_few_rows_at_most(store: &Store) {
    let fixture = Fixture::new(store).await;
    for _ in 0..40 {
        fixture.queued_run(&[], Outcome::Pass).await;
    }
    store.delete_project(fixture.id()).await.unwrap().unwrap();
    let (mut removed, mut is_done) = (0, false);
    while !is_done {
        let progress = store.erase_some(fixture.id()).await.unwrap();
        assert!(progress.largest_step <= 4, "{progress:?}");
        removed += progress.changed;
        is_done = progress.done;
    }
    assert!(removed >= 160, "40 traces, each with a trajectory, a review and a job; not {removed} rows");
}
