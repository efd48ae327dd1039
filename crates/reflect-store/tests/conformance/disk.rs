//! A disk that fills up and is cleared again. SQLite only: it mounts a small disk of its own, which takes root.

use std::{
    fs::OpenOptions,
    io::Write,
    path::{Path, PathBuf},
    process::Command,
};

use reflect_core::{MemoryId, Outcome, RawJson, TraceId, Trajectory};
use reflect_store::{Store, StoreError, TraceInsert};

use crate::support::{Fixture, all_at_once};

#[tokio::test]
async fn a_full_disk_refuses_writes_loses_nothing_and_heals() {
    let Some(disk) = SmallDisk::mount() else {
        eprintln!("skipped: mounting a tmpfs is not permitted here");
        return;
    };
    let store = Store::open(&disk.path().join("reflect.db")).unwrap();
    let fixture = Fixture::new(&store).await;
    let memory = fixture.seed_memory().await;
    let filler = disk.path().join("filler");
    std::fs::write(&filler, vec![1; 512 * 1024]).unwrap();

    let mut stored = fill(&fixture, memory).await;
    assert!(!stored.is_empty(), "the disk had room for some");
    // A small write may still fit where a large one did not, into space that the log has already; that is no loss, as long
    // as the answer is true.
    stuff(&filler);
    for _ in 0..50 {
        stored.extend(try_insert(&fixture, fixture.new_reviewed_trace(&[memory], Outcome::Pass)).await);
    }
    let together = all_at_once((0..40).map(|_| try_insert(&fixture, large_run(&fixture, memory)))).await;
    assert!(together.contains(&None), "the disk is full, and all of this was stored");
    stored.extend(together.into_iter().flatten());
    assert_all_there(&fixture, memory, &stored).await;
    store.ping().await.unwrap();

    std::fs::remove_file(&filler).unwrap();
    for _ in 0..3 {
        stored.push(fixture.queued_run(&[memory], Outcome::Pass).await);
    }
    assert_all_there(&fixture, memory, &stored).await;

    drop(fixture);
    drop(store);
    // There may be no room to take the database over, and then it is read all the same.
    let store = Store::open(&disk.path().join("reflect.db")).unwrap();
    assert_all_there(&Fixture::without_project(&store, "default"), memory, &stored).await;
}

/// Stores large runs until one does not fit, and answers those that did.
async fn fill(fixture: &Fixture<'_>, memory: MemoryId) -> Vec<TraceId> {
    let mut stored = Vec::new();
    while let Some(trace_id) = try_insert(fixture, large_run(fixture, memory)).await {
        stored.push(trace_id);
        assert!(stored.len() < 200, "more was stored than the disk holds");
    }
    stored
}

/// Takes the last bytes that the disk has.
fn stuff(filler: &Path) {
    let mut filler = OpenOptions::new().append(true).open(filler).unwrap();
    while filler.write_all(&[1; 1024]).is_ok() {}
}

fn large_run(fixture: &Fixture<'_>, memory: MemoryId) -> TraceInsert {
    let text = format!(r#"[{{"role":"user","content":"{}"}}]"#, "x".repeat(20_000));
    let mut insert = fixture.new_reviewed_trace(&[memory], Outcome::Pass);
    insert.trace.trajectory = Trajectory::from_stored(RawJson::parse(text).unwrap());
    insert
}

/// The trace's id, or `None` if the disk is full. Anything else must not happen.
async fn try_insert(fixture: &Fixture<'_>, insert: TraceInsert) -> Option<TraceId> {
    let id = insert.id;
    match fixture.store.insert_trace(fixture.id(), insert).await {
        Ok(Some(_)) => Some(id),
        Err(StoreError::DiskFull) => None,
        other => panic!("neither stored nor told that the disk is full: {other:?}"),
    }
}

async fn assert_all_there(fixture: &Fixture<'_>, memory: MemoryId, stored: &[TraceId]) {
    for trace_id in stored {
        assert!(fixture.trace(*trace_id).await.review.is_some());
    }
    assert_eq!(
        fixture.memory(memory).await.tally.uses() as usize,
        stored.len(),
        "what was refused left a credit behind, or what was stored lost one"
    );
    assert_eq!(fixture.store.check_ledger().await.unwrap().mismatches, []);
}

/// Two megabytes of memory, mounted as a disk until dropped.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn mount() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=2m", "tmpfs"]).arg(folder.path()).output();
        mounted.is_ok_and(|output| output.status.success()).then(|| Self(folder))
    }

    fn path(&self) -> PathBuf {
        self.0.path().to_owned()
    }
}

impl Drop for SmallDisk {
    #[expect(clippy::print_stderr, reason = "someone should clear away what could not be unmounted")]
    fn drop(&mut self) {
        // Lazily, since on a panic the store may still be open.
        let unmounted = Command::new("umount").arg("--lazy").arg(self.path()).status();
        if !unmounted.is_ok_and(|status| status.success()) {
            eprintln!("could not unmount {}", self.path().display());
        }
    }
}
