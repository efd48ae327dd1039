//! Changing the embedder of a project: nothing is missed, nothing is left behind, and every step may be repeated.

use reflect_core::{EmbedderId, Lesson, MemoryId, Outcome, Project, ProjectId, WrittenBy};
use reflect_store::{
    EditLesson, EmbeddedWords, MemoryEdit, MemoryVectors, NewVectors, PendingSwitch, Store, StoreError, SwitchEnd,
    SwitchProgress, TraceInsert,
};

use crate::support::{Fixture, TempStore, conformance, vector_of};

conformance! {
    a_switch_starts_once_and_is_listed,
    a_switch_in_a_project_that_is_not_there_is_none,
    memories_without_a_vector_are_listed_by_their_changes,
    added_vectors_are_told_to_indexes_once,
    vectors_of_a_switch_that_was_left_are_refused,
    the_flip_waits_for_every_memory,
    the_flip_sees_what_came_after_the_last_look,
    deleted_memories_neither_get_vectors_nor_hold_up_the_flip,
    what_the_old_embedder_made_is_removed_in_bounded_steps,
    what_is_left_of_an_earlier_stay_is_used_again,
    going_back_leaves_the_target_and_completes_the_old_vectors,
    a_third_target_takes_the_place_of_the_second,
    a_lesson_is_stored_with_the_vectors_that_somebody_compares,
    a_lesson_without_a_vector_that_anybody_compares_is_refused,
    new_words_get_their_vector_with_them,
    new_words_without_a_vector_get_one_later,
    a_vector_of_words_that_have_changed_since_is_not_taken_for_theirs,
    deleting_a_project_ends_its_switch,
    other_projects_are_left_alone,
}

async fn a_switch_starts_once_and_is_listed(store: &Store) {
    let fixture = Fixture::new(store).await;
    assert_eq!(store.list_embedder_switches().await.unwrap(), []);
    let switching = switch(&fixture, "new").await;
    let under_way = switching.embedder_switch.clone().unwrap();
    assert_eq!((under_way.target.as_str(), switching.embedder.as_str()), ("new", "test-2"));
    assert_eq!(switch(&fixture, "new").await, switching, "asking twice starts it once");
    assert_eq!(store.get_project(fixture.id()).await.unwrap(), Some(switching.clone()));
    assert_eq!(store.list_projects().await.unwrap(), [switching]);
    let pending = PendingSwitch { project_id: fixture.id(), switch: under_way };
    assert_eq!(store.list_embedder_switches().await.unwrap(), [pending]);
}

async fn a_switch_in_a_project_that_is_not_there_is_none(store: &Store) {
    let absent: ProjectId = "absent".parse().unwrap();
    let fixture = Fixture::new(store).await;
    let started = store.start_embedder_switch(absent, EmbedderId("new".into()), fixture.now());
    assert_eq!(started.await.unwrap(), None);
    assert_eq!(store.list_embedder_switches().await.unwrap(), []);
}

async fn memories_without_a_vector_are_listed_by_their_changes(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memories = seed(&fixture, 3).await;
    fixture.queued_run(&[memories[0]], Outcome::Pass).await;
    let (found, seen) = unembedded(&fixture, "new", 0, 10).await;
    assert_eq!(found, [memories[1], memories[2], memories[0]]);
    assert_eq!(unembedded(&fixture, "new", seen, 10).await, (vec![], seen));
    let (found, seen) = unembedded(&fixture, "new", 0, 2).await;
    assert_eq!(found, memories[1..]);
    assert_eq!(unembedded(&fixture, "new", seen, 2).await.0, [memories[0]]);
    assert_eq!(unembedded(&fixture, "test-2", 0, 10).await.0, []);
    let page = store.list_unembedded(fixture.id(), EmbedderId("new".into()), 0, 1).await.unwrap();
    let memory = &page.memories[0];
    assert_eq!((memory.task.as_str(), memory.has_task_vector, memory.revision), ("refund order 7", false, 1));
    assert_eq!(memory.lesson, fixture.memory(memory.memory_id).await.lesson);
}

async fn added_vectors_are_told_to_indexes_once(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memories = seed(&fixture, 2).await;
    switch(&fixture, "new").await;
    let (_, seen) = unembedded(&fixture, "new", 0, 10).await;
    assert_eq!(add(&fixture, &memories[..1]).await, Some(1));
    let changed = async |since| store.index_reader().list_changed(fixture.id(), "new".into(), since, 10).await.unwrap();
    let told = changed(seen).await;
    assert_eq!((told.len(), told[0].memory_id), (1, memories[0]));
    assert_eq!(told[0].entry.clone().unwrap().vector, [0.0, 1.0]);
    assert_eq!(add(&fixture, &memories[..1]).await, Some(0), "it has one already");
    assert_eq!(changed(told[0].changed).await, []);
    assert_eq!(progress(&fixture, "new").await, SwitchProgress { done: 1, total: 2 });
    assert_eq!(progress(&fixture, "test-2").await, SwitchProgress { done: 2, total: 2 });
}

async fn vectors_of_a_switch_that_was_left_are_refused(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memories = seed(&fixture, 1).await;
    switch(&fixture, "new").await;
    let stale = pending(&fixture).await;
    switch(&fixture, "newer").await;
    let vectors = vec![new_vectors(memories[0])];
    assert_eq!(store.insert_vectors(stale.clone(), vectors).await.unwrap(), None);
    assert_eq!(store.finish_embedder_switch(stale, i64::MAX).await.unwrap(), SwitchEnd::Gone);
    assert_eq!(progress(&fixture, "new").await.done, 0);
}

async fn the_flip_waits_for_every_memory(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memories = seed(&fixture, 2).await;
    switch(&fixture, "new").await;
    assert_eq!(finish(&fixture, 0).await, SwitchEnd::Incomplete);
    add(&fixture, &memories[..1]).await;
    assert_eq!(finish(&fixture, 0).await, SwitchEnd::Incomplete);
    assert_eq!(embedder(&fixture).await, "test-2");
    add(&fixture, &memories[1..]).await;
    let switch = pending(&fixture).await;
    assert_eq!(finish(&fixture, 0).await, SwitchEnd::Flipped);
    assert_eq!(embedder(&fixture).await, "new");
    assert_eq!(store.list_embedder_switches().await.unwrap(), []);
    assert_eq!(store.finish_embedder_switch(switch, 0).await.unwrap(), SwitchEnd::Gone, "there is one flip");
}

async fn the_flip_sees_what_came_after_the_last_look(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memories = seed(&fixture, 1).await;
    switch(&fixture, "new").await;
    add(&fixture, &memories).await;
    let (found, seen) = unembedded(&fixture, "new", 0, 10).await;
    assert_eq!(found, []);
    // It came with the old vector alone: its lesson was drawn before the switch began.
    let late = fixture.seed_memory().await;
    assert_eq!(finish(&fixture, seen).await, SwitchEnd::Incomplete);
    assert_eq!(unembedded(&fixture, "new", seen, 10).await.0, [late]);
    add(&fixture, &[late]).await;
    assert_eq!(finish(&fixture, seen).await, SwitchEnd::Flipped);
}

async fn deleted_memories_neither_get_vectors_nor_hold_up_the_flip(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memories = seed(&fixture, 3).await;
    switch(&fixture, "new").await;
    add(&fixture, &memories[..1]).await;
    for memory in &memories[..2] {
        assert!(store.delete_memory(fixture.id(), *memory, fixture.now()).await.unwrap());
    }
    assert_eq!(add(&fixture, &memories).await, Some(1));
    assert_eq!(progress(&fixture, "new").await, SwitchProgress { done: 1, total: 1 });
    assert_eq!(finish(&fixture, 0).await, SwitchEnd::Flipped);
}

async fn what_the_old_embedder_made_is_removed_in_bounded_steps(store: &Store) {
    let fixture = Fixture::new(store).await;
    assert_eq!(store.delete_leftover_vectors(10).await.unwrap(), None);
    let memories = seed(&fixture, 5).await;
    switch(&fixture, "new").await;
    add(&fixture, &memories).await;
    assert_eq!(store.delete_leftover_vectors(10).await.unwrap(), None, "both are of use until the flip");
    finish(&fixture, 0).await;
    assert_eq!(store.delete_leftover_vectors(4).await.unwrap(), Some(2), "four rows of two embedders");
    assert_eq!(progress(&fixture, "test-2").await.done, 3);
    assert_eq!(sweep(store).await, 3);
    assert_eq!(progress(&fixture, "test-2").await.done, 0);
    assert_eq!(progress(&fixture, "new").await.done, 5);
}

async fn what_is_left_of_an_earlier_stay_is_used_again(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memories = seed(&fixture, 3).await;
    switch(&fixture, "new").await;
    add(&fixture, &memories).await;
    finish(&fixture, 0).await;
    assert_eq!(store.delete_leftover_vectors(2).await.unwrap(), Some(1));
    switch(&fixture, "test-2").await;
    assert_eq!(sweep(store).await, 0, "what is on the way to being used again is not removed");
    assert_eq!(unembedded(&fixture, "test-2", 0, 10).await.0, [memories[0]]);
    add(&fixture, &memories[..1]).await;
    assert_eq!(finish(&fixture, 0).await, SwitchEnd::Flipped);
    assert_eq!((embedder(&fixture).await.as_str(), sweep(store).await), ("test-2", 3));
}

async fn going_back_leaves_the_target_and_completes_the_old_vectors(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memories = seed(&fixture, 2).await;
    switch(&fixture, "new").await;
    add(&fixture, &memories).await;
    let late = teach(&fixture, &["new"]).await.unwrap();
    switch(&fixture, "test-2").await;
    assert_eq!(sweep(store).await, 3);
    assert_eq!(unembedded(&fixture, "test-2", 0, 10).await.0, [late]);
    assert_eq!(finish(&fixture, 0).await, SwitchEnd::Incomplete);
    add(&fixture, &[late]).await;
    assert_eq!(finish(&fixture, 0).await, SwitchEnd::Completed);
    assert_eq!((embedder(&fixture).await.as_str(), sweep(store).await), ("test-2", 0));
    assert_eq!(progress(&fixture, "test-2").await, SwitchProgress { done: 3, total: 3 });
}

async fn a_third_target_takes_the_place_of_the_second(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memories = seed(&fixture, 2).await;
    switch(&fixture, "second").await;
    add(&fixture, &memories[..1]).await;
    switch(&fixture, "third").await;
    assert_eq!(sweep(store).await, 1);
    add(&fixture, &memories).await;
    assert_eq!(finish(&fixture, 0).await, SwitchEnd::Flipped);
    assert_eq!((embedder(&fixture).await.as_str(), sweep(store).await), ("third", 2));
}

async fn a_lesson_is_stored_with_the_vectors_that_somebody_compares(store: &Store) {
    let fixture = Fixture::new(store).await;
    teach(&fixture, &["test-2", "new"]).await.unwrap();
    assert_eq!(progress(&fixture, "new").await.done, 0, "nobody is on the way there");
    switch(&fixture, "new").await;
    teach(&fixture, &["test-2", "new", "other"]).await.unwrap();
    teach(&fixture, &["new"]).await.unwrap();
    let done = [progress(&fixture, "test-2").await.done, progress(&fixture, "new").await.done];
    assert_eq!(done, [2, 2]);
    assert_eq!(progress(&fixture, "other").await, SwitchProgress { done: 0, total: 3 });
}

async fn a_lesson_without_a_vector_that_anybody_compares_is_refused(store: &Store) {
    let fixture = Fixture::new(store).await;
    switch(&fixture, "new").await;
    finish(&fixture, 0).await;
    let refused = teach(&fixture, &["test-2"]).await.unwrap_err();
    assert!(matches!(refused, StoreError::OtherEmbedder(embedder) if embedder.as_str() == "new"));
    assert_eq!(progress(&fixture, "new").await.total, 0);
    teach(&fixture, &["new"]).await.unwrap();
}

async fn new_words_get_their_vector_with_them(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory = fixture.seed_memory().await;
    assert_eq!(lesson_vector(&fixture, memory).await, Some(vec![0.8, 0.6]));
    let vectors = vec![MemoryVectors { lesson: vec![0.0, -1.0], ..vector_of("test-2") }];
    edit(&fixture, memory, "ask first", Some(EmbeddedWords { words: "ask first".into(), vectors })).await;
    assert_eq!(lesson_vector(&fixture, memory).await, Some(vec![0.0, -1.0]));
    assert_eq!(store.list_embedder_switches().await.unwrap(), []);
    assert_eq!(progress(&fixture, "test-2").await, SwitchProgress { done: 1, total: 1 });
}

async fn new_words_without_a_vector_get_one_later(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memories = seed(&fixture, 2).await;
    edit(&fixture, memories[0], "ask first", None).await;
    assert_eq!(lesson_vector(&fixture, memories[0]).await, None, "one of other words is not compared");
    assert_eq!(progress(&fixture, "test-2").await, SwitchProgress { done: 1, total: 2 });
    let page = store.list_unembedded(fixture.id(), EmbedderId("test-2".into()), 0, 10).await.unwrap();
    let [memory] = page.memories.as_slice() else { panic!("{page:?}") };
    assert_eq!((memory.memory_id, memory.revision, memory.has_task_vector), (memories[0], 2, true));
    assert_eq!(memory.lesson.guidance, "ask first");
    assert_eq!(finish(&fixture, 0).await, SwitchEnd::Incomplete);
    let new = NewVectors { revision: 2, task: None, ..new_vectors(memories[0]) };
    assert_eq!(store.insert_vectors(pending(&fixture).await, vec![new]).await.unwrap(), Some(1));
    assert_eq!(lesson_vector(&fixture, memories[0]).await, Some(vec![1.0, 0.0]));
    assert_eq!(finish(&fixture, 0).await, SwitchEnd::Completed);
    assert_eq!((embedder(&fixture).await.as_str(), sweep(store).await), ("test-2", 0));
}

async fn a_vector_of_words_that_have_changed_since_is_not_taken_for_theirs(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory = fixture.seed_memory().await;
    let vectors = vec![vector_of("test-2")];
    edit(&fixture, memory, "ask first", Some(EmbeddedWords { words: "ask later".into(), vectors })).await;
    assert_eq!(lesson_vector(&fixture, memory).await, None);
    let stale = NewVectors { task: None, ..new_vectors(memory) };
    assert_eq!(store.insert_vectors(pending(&fixture).await, vec![stale]).await.unwrap(), Some(0));
    assert_eq!(finish(&fixture, 0).await, SwitchEnd::Incomplete);
}

/// Gives a memory new guidance.
async fn edit(fixture: &Fixture<'_>, memory: MemoryId, guidance: &str, embedded: Option<EmbeddedWords>) {
    let guidance = guidance.to_owned();
    let edit_lesson = Box::new(|_| Lesson { guidance, ..Lesson::default() });
    let lesson = Some((edit_lesson as EditLesson, WrittenBy::new("editor", "1")));
    let edit = MemoryEdit { lesson, embedded, ..MemoryEdit::default() };
    fixture.store.update_memory(fixture.id(), memory, edit, fixture.now()).await.unwrap().unwrap();
}

/// What an index would compare a lesson by.
async fn lesson_vector(fixture: &Fixture<'_>, memory: MemoryId) -> Option<Vec<f32>> {
    let rows = fixture.store.index_reader().list_changed(fixture.id(), "test-2".into(), 0, 100).await.unwrap();
    rows.into_iter().find(|row| row.memory_id == memory).unwrap().entry.unwrap().lesson_vector
}

async fn deleting_a_project_ends_its_switch(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memories = seed(&fixture, 1).await;
    switch(&fixture, "new").await;
    let stale = pending(&fixture).await;
    switch(&fixture, "newer").await;
    fixture.erase_project().await;
    assert_eq!(store.list_embedder_switches().await.unwrap(), []);
    assert_eq!(store.delete_leftover_vectors(10).await.unwrap(), None);
    store.get_or_insert_project(fixture.new_project()).await.unwrap();
    assert_eq!(store.insert_vectors(stale, vec![new_vectors(memories[0])]).await.unwrap(), None);
    assert_eq!(store.get_project(fixture.id()).await.unwrap().unwrap().embedder_switch, None);
}

async fn other_projects_are_left_alone(store: &Store) {
    let (fixture, other) = (Fixture::new(store).await, Fixture::in_project(store, "other").await);
    let (memories, others) = (seed(&fixture, 1).await, seed(&other, 1).await);
    assert_eq!(memories, others, "even memories of the same id");
    switch(&fixture, "new").await;
    add(&fixture, &memories).await;
    finish(&fixture, 0).await;
    sweep(store).await;
    assert_eq!(embedder(&other).await, "test-2");
    assert_eq!((progress(&other, "test-2").await.done, progress(&other, "new").await.done), (1, 0));
}

#[tokio::test]
async fn a_switch_outlives_the_process() {
    let temp = TempStore::open().await;
    let fixture = Fixture::new(&temp.store).await;
    let memories = seed(&fixture, 2).await;
    switch(&fixture, "new").await;
    add(&fixture, &memories[..1]).await;
    let temp = temp.reopen().await;
    let fixture = Fixture::without_project(&temp.store, "default");
    assert_eq!(unembedded(&fixture, "new", 0, 10).await.0, memories[1..]);
    add(&fixture, &memories[1..]).await;
    assert_eq!(finish(&fixture, 0).await, SwitchEnd::Flipped);
    assert_eq!(temp.store.delete_leftover_vectors(2).await.unwrap(), Some(1));
    let temp = temp.reopen().await;
    assert_eq!(sweep(&temp.store).await, 1);
}

async fn seed(fixture: &Fixture<'_>, count: usize) -> Vec<MemoryId> {
    let mut memories = Vec::new();
    for _ in 0..count {
        memories.push(fixture.seed_memory().await);
    }
    memories
}

/// Stores a lesson that has vectors of these embedders.
async fn teach(fixture: &Fixture<'_>, embedders: &[&str]) -> Result<MemoryId, StoreError> {
    let mut lesson = fixture.new_lesson("look up the order first");
    lesson.vectors = embedders.iter().map(|embedder| vector_of(embedder)).collect();
    let memory_id = lesson.memory_id;
    let insert = TraceInsert { lesson: Some(lesson), ..fixture.new_reviewed_trace(&[], Outcome::Pass) };
    fixture.store.insert_trace(fixture.id(), insert).await.map(|_| memory_id)
}

async fn switch(fixture: &Fixture<'_>, target: &str) -> Project {
    let started = fixture.store.start_embedder_switch(fixture.id(), EmbedderId(target.into()), fixture.now());
    started.await.unwrap().unwrap()
}

async fn pending(fixture: &Fixture<'_>) -> PendingSwitch {
    let switches = fixture.store.list_embedder_switches().await.unwrap();
    switches.into_iter().find(|pending| pending.project_id == fixture.id()).unwrap()
}

async fn add(fixture: &Fixture<'_>, memories: &[MemoryId]) -> Option<usize> {
    let vectors = memories.iter().map(|memory| new_vectors(*memory)).collect();
    fixture.store.insert_vectors(pending(fixture).await, vectors).await.unwrap()
}

/// Both vectors of a memory's first revision.
fn new_vectors(memory_id: MemoryId) -> NewVectors {
    NewVectors { memory_id, revision: 1, task: Some(vec![0.0, 1.0]), lesson: vec![1.0, 0.0] }
}

async fn finish(fixture: &Fixture<'_>, seen: i64) -> SwitchEnd {
    fixture.store.finish_embedder_switch(pending(fixture).await, seen).await.unwrap()
}

async fn unembedded(fixture: &Fixture<'_>, embedder: &str, since: i64, limit: usize) -> (Vec<MemoryId>, i64) {
    let page = fixture.store.list_unembedded(fixture.id(), EmbedderId(embedder.into()), since, limit).await.unwrap();
    (page.memories.into_iter().map(|memory| memory.memory_id).collect(), page.seen)
}

async fn progress(fixture: &Fixture<'_>, embedder: &str) -> SwitchProgress {
    fixture.store.get_switch_progress(fixture.id(), EmbedderId(embedder.into())).await.unwrap()
}

async fn embedder(fixture: &Fixture<'_>) -> String {
    fixture.store.get_project(fixture.id()).await.unwrap().unwrap().embedder.0
}

/// Removes all that was left behind and answers how much it was.
async fn sweep(store: &Store) -> usize {
    let mut deleted = 0;
    while let Some(some) = store.delete_leftover_vectors(2).await.unwrap() {
        deleted += some;
    }
    deleted
}
