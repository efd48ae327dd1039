//! Several at work at once: two processes over one PostgreSQL, or two callers of one SQLite store.

use std::collections::BTreeSet;

use reflect_core::{MemoryId, Outcome, TraceId};
use reflect_store::{Lease, Reviewed, Store, TraceInsert, TraceReview};

use crate::support::{Fixture, TempStore, all_at_once};

/// A store, and the same store opened once more where that can be.
macro_rules! two_stores {
    ($temp:ident, $other:ident) => {
        let $temp = TempStore::open().await;
        let beside = if $temp.store.is_shared() { Some($temp.open_beside().await) } else { None };
        let $other = beside.as_ref().unwrap_or(&$temp.store);
    };
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_reviews_at_once_one_counts() {
    two_stores!(temp, other);
    let fixture = Fixture::new(&temp.store).await;
    let memory = fixture.seed_memory().await;
    for _ in 0..20 {
        let trace_id = fixture.run(&[memory]).await;
        let review = async |store: &Store, result| {
            let review = TraceReview { trace_id, review: fixture.new_review(result), lesson: None };
            store.insert_review(fixture.id(), review, fixture.now(), None).await
        };
        let (one, two) = tokio::join!(review(&temp.store, Outcome::Pass), review(other, Outcome::Fail));
        let mut became = [one.unwrap(), two.unwrap()];
        became.sort_by_key(|reviewed| *reviewed != Reviewed::Accepted);
        assert!(matches!(became, [Reviewed::Accepted, Reviewed::AlreadyReviewed | Reviewed::InProgress]), "{became:?}");
    }
    assert_eq!(fixture.memory(memory).await.tally.uses(), 20);
    assert_eq!(temp.store.check_ledger().await.unwrap().mismatches, []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_job_is_claimed_twice() {
    two_stores!(temp, other);
    let fixture = Fixture::new(&temp.store).await;
    let second = Fixture::in_project(other, "second").await;
    let mut queued = BTreeSet::new();
    for _ in 0..60 {
        queued.insert((fixture.id(), fixture.queued_run(&[], Outcome::Pass).await));
        queued.insert((second.id(), second.queued_run(&[], Outcome::Pass).await));
    }
    let claim = async |store: &Store| {
        let mut mine = Vec::new();
        loop {
            let lease = Lease { owner: fixture.uuid(), until: fixture.now().plus_millis(600_000) };
            let jobs = store.claim_jobs(lease, fixture.now(), 3).await.unwrap();
            assert!(jobs.len() <= 3, "{jobs:?}");
            if jobs.is_empty() {
                return mine;
            }
            mine.extend(jobs);
        }
    };
    let (mine, theirs) = tokio::join!(claim(&temp.store), claim(other));
    assert!(!mine.is_empty() && !theirs.is_empty(), "{} and {}", mine.len(), theirs.len());
    let claimed: BTreeSet<_> = mine.iter().chain(&theirs).map(|job| (job.project_id.clone(), job.trace_id)).collect();
    assert_eq!((mine.len() + theirs.len(), claimed), (queued.len(), queued));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn corrections_during_ingestion_leave_every_utility_the_fold_of_its_ledger() {
    two_stores!(temp, other);
    let fixture = Fixture::new(&temp.store).await;
    let memories = [fixture.seed_memory().await, fixture.seed_memory().await];
    let mut reviewed = Vec::new();
    for _ in 0..30 {
        reviewed.push(fixture.queued_run(&memories, Outcome::Pass).await);
    }
    // Ingested here, corrected there, and both at once.
    let inserts = (0..60).map(|_| fixture.new_reviewed_trace(&memories, Outcome::Fail)).collect::<Vec<TraceInsert>>();
    let ingest = all_at_once(inserts.into_iter().map(|insert| temp.store.insert_trace(fixture.id(), insert)));
    let correct = |trace_id: &TraceId| {
        let mut correction = fixture.new_correction(Outcome::Fail);
        correction.awaited = false;
        let review = TraceReview { trace_id: *trace_id, review: correction, lesson: Some(fixture.new_lesson("right")) };
        other.insert_review(fixture.id(), review, fixture.now(), None)
    };
    let (ingested, corrected) = tokio::join!(ingest, all_at_once(reviewed.iter().map(correct)));
    for answer in ingested {
        answer.unwrap().unwrap();
    }
    for answer in corrected {
        assert!(matches!(answer.unwrap(), Reviewed::Accepted | Reviewed::InProgress));
    }
    for memory in memories {
        assert_eq!(fixture.memory(memory).await.tally.uses(), 90);
    }
    assert_eq!(temp.store.check_ledger().await.unwrap().mismatches, []);
}

/// Whoever asks for what is new since the last number that it saw must not miss a lower number that is committed later.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_index_that_asks_all_the_time_misses_no_change() {
    two_stores!(temp, other);
    let fixture = Fixture::new(&temp.store).await;
    let (mut seen, mut since) = (BTreeSet::<MemoryId>::new(), 0);
    let teach = async |store: &Store| {
        let mut taught = Vec::new();
        for _ in 0..40 {
            let lesson = fixture.new_lesson("look up the order first");
            taught.push(lesson.memory_id);
            let insert = TraceInsert { lesson: Some(lesson), ..fixture.new_reviewed_trace(&[], Outcome::Pass) };
            store.insert_trace(fixture.id(), insert).await.unwrap().unwrap();
        }
        taught
    };
    let mut write = std::pin::pin!(async { tokio::join!(teach(&temp.store), teach(other), teach(&temp.store)) });
    let reader = other.index_reader();
    let mut taught = None;
    while taught.is_none() {
        tokio::select! {
            done = &mut write => taught = Some(done),
            rows = reader.list_changed(fixture.id(), "test-2".into(), since, 1_000) => {
                for row in rows.unwrap() {
                    assert!(row.changed > since);
                    since = row.changed;
                    seen.insert(row.memory_id);
                }
            }
        }
    }
    seen.extend(
        reader.list_changed(fixture.id(), "test-2".into(), since, 1_000).await.unwrap().iter().map(|row| row.memory_id),
    );
    let (one, two, three) = taught.unwrap();
    assert_eq!(seen, one.into_iter().chain(two).chain(three).collect());
}
