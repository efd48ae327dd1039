//! Room on the disk: what was deleted gives it back, and the write-ahead log stays small. SQLite only.

use std::path::Path;

use reflect_core::{MemoryId, Outcome, RawJson, RetrievalId, Trajectory};
use reflect_store::{RetrievalCut, Store};
use serde_json::json;
use uuid::Uuid;

use crate::support::Fixture;

fn size(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |file| file.len())
}

#[tokio::test]
async fn a_pruned_log_gives_its_room_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reflect.db");
    let store = Store::open(&path).unwrap();
    let fixture = Fixture::new(&store).await;
    let shown: Vec<MemoryId> = (0..1_000).map(|_| fixture.memory_id()).collect();
    for _ in 0..400 {
        store.insert_retrieval(fixture.id(), fixture.new_retrieval("task", &shown)).await.unwrap();
    }
    store.empty_log().await.unwrap();
    let full = size(&path);
    assert!(full > 12 << 20, "{full}");
    let all = RetrievalCut { before: RetrievalId::from_uuid(Uuid::max()), from: RetrievalId::from_uuid(Uuid::max()) };
    while !store.prune_retrievals(fixture.id(), all).await.unwrap().done {}
    while !store.give_back_pages().await.unwrap().done {}
    store.empty_log().await.unwrap();
    let left = size(&path);
    assert!(left < full / 2, "{left} of {full}");
    assert_eq!(size(&folder.path().join("reflect.db-wal")), 0);
    assert_eq!(store.check_ledger().await.unwrap().mismatches, []);
}

#[tokio::test]
async fn erasing_goes_on_after_a_restart_and_leaves_nothing_in_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reflect.db");
    let store = Store::open(&path).unwrap();
    let (fixture, other) = (Fixture::new(&store).await, Fixture::in_project(&store, "other").await);
    let secret = "the password is swordfish";
    for text in [secret.to_owned(), format!("{secret} {}", "and much more ".repeat(2_000))] {
        for fixture in [&fixture, &other] {
            let mut insert = fixture.new_reviewed_trace(&[], Outcome::Pass);
            insert.trace.task = if fixture.id() == other.id() { "harmless".into() } else { text.clone() };
            insert.trace.trajectory =
                Trajectory::from_stored(RawJson::from_value(&[json!({"content": insert.trace.task})]));
            fixture.insert(insert).await;
        }
    }
    store.empty_log().await.unwrap();
    assert!(is_in(&path, secret));
    store.delete_project(fixture.id()).await.unwrap().unwrap();
    let id = fixture.id();
    drop(store);

    let store = Store::open(&path).unwrap();
    assert_eq!(store.list_being_erased(), std::slice::from_ref(&id));
    while !store.erase_some(id.clone()).await.unwrap().done {}
    store.empty_log().await.unwrap();
    for file in std::fs::read_dir(folder.path()).unwrap() {
        assert!(!is_in(&file.unwrap().path(), secret));
    }
    assert!(is_in(&path, "harmless"));
}

fn is_in(path: &Path, text: &str) -> bool {
    std::fs::read(path).unwrap().windows(text.len()).any(|bytes| bytes == text.as_bytes())
}
