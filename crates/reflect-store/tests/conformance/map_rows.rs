//! What a map of memories is made of.

use reflect_core::{MemoryStatus, worth::LearningRule};
use reflect_store::{MapPage, MemoryEdit, Store};

use crate::support::{Fixture, conformance};

conformance! {
    active_memories_with_a_vector_are_on_the_map,
    changes_are_counted,
}

fn page(embedder: &str, limit: usize) -> MapPage {
    MapPage { embedder: embedder.into(), rule: LearningRule::Constant, before: None, limit }
}

async fn active_memories_with_a_vector_are_on_the_map(store: &Store) {
    let fixture = Fixture::new(store).await;
    let (older, hidden) = (fixture.seed_memory().await, fixture.seed_memory().await);
    let (gone, newer) = (fixture.seed_memory().await, fixture.seed_memory().await);
    let hide = MemoryEdit { status: Some(MemoryStatus::Disabled), ..MemoryEdit::default() };
    store.update_memory(fixture.id(), hidden, hide, fixture.now()).await.unwrap();
    store.delete_memory(fixture.id(), gone, fixture.now()).await.unwrap();
    let rows = store.list_map_rows(fixture.id(), page("test-2", 10)).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.memory_id).collect::<Vec<_>>(), [newer, older]);
    assert_eq!((rows[0].vector.as_slice(), rows[0].utility), ([0.6, -0.8].as_slice(), 0.5));
    assert_eq!(rows[0].task, fixture.memory(newer).await.task);
    let next = MapPage { before: Some(newer), ..page("test-2", 10) };
    assert_eq!(store.list_map_rows(fixture.id(), next).await.unwrap(), rows[1..]);
    assert_eq!(store.list_map_rows(fixture.id(), page("another", 10)).await.unwrap(), []);
    assert_eq!(store.list_map_rows("elsewhere".parse().unwrap(), page("test-2", 10)).await.unwrap(), []);
}

async fn changes_are_counted(store: &Store) {
    let fixture = Fixture::new(store).await;
    assert_eq!(store.count_changes(fixture.id()).await.unwrap(), (0, 0));
    fixture.seed_memory().await;
    let (first, active) = store.count_changes(fixture.id()).await.unwrap();
    assert!(first > 0 && active == 1);
    fixture.seed_memory().await;
    assert!(store.count_changes(fixture.id()).await.unwrap().0 > first);
}
