//! Figures of a project: exact after everything that can happen to runs, reviews and memories.

use std::time::Instant;

use reflect_core::{
    Memory, MemoryStatus, Outcome, Results, RunCounts, Timestamp, day_bounds,
    worth::{LearningRule, Viewpoint, WorthConstants},
};
use reflect_store::{JobFailure, MemoryEdit, ProjectQueue, Statistics, Store};

use crate::support::{Fixture, conformance};

conformance! {
    an_empty_project_has_nothing_to_count,
    runs_are_counted_by_day_result_and_memories,
    figures_follow_corrections_and_deletions,
    memories_are_counted_and_named,
    the_best_and_the_worst_need_evidence_however_few_memories_there_are,
    the_queue_is_the_projects_own,
}

async fn count(fixture: &Fixture<'_>) -> Statistics {
    fixture.store.statistics(fixture.id(), Viewpoint::default(), day_bounds(fixture.now(), 2)).await.unwrap()
}

fn counts(traces: u64, with: [u64; 2], without: [u64; 2]) -> RunCounts {
    let results = |[passed, failed]: [u64; 2]| Results { passed, failed };
    RunCounts { traces, with_memories: results(with), without_memories: results(without) }
}

async fn an_empty_project_has_nothing_to_count(store: &Store) {
    let fixture = Fixture::new(store).await;
    let found = count(&fixture).await;
    assert_eq!((found.runs, found.queue), (RunCounts::default(), ProjectQueue::default()));
    assert_eq!(found.days.iter().map(|day| day.runs).collect::<Vec<_>>(), [RunCounts::default(); 2]);
    assert_eq!((found.memories.active, found.best.len()), (0, 0));
}

async fn runs_are_counted_by_day_result_and_memories(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory = fixture.seed_memory().await;
    for outcome in [Outcome::Pass, Outcome::Pass, Outcome::Fail] {
        fixture.queued_run(&[memory], outcome).await;
    }
    fixture.queued_run(&[], Outcome::Fail).await;
    fixture.run(&[memory]).await;
    let all = counts(6, [2, 1], [1, 1]);
    let found = count(&fixture).await;
    assert_eq!((found.runs, found.days[0].runs, found.days[1].runs), (all, RunCounts::default(), all));

    // As seen two days later, and from the day before.
    let later = fixture.now().plus_millis(2 * 86_400_000);
    let found = store.statistics(fixture.id(), Viewpoint::default(), day_bounds(later, 2)).await.unwrap();
    assert_eq!((found.runs, found.days[0].runs), (all, RunCounts::default()));
    let earlier: Timestamp = fixture.now().plus_millis(-86_400_000);
    let found = store.statistics(fixture.id(), Viewpoint::default(), day_bounds(earlier, 1)).await.unwrap();
    assert_eq!((found.runs, found.days[0].runs), (all, RunCounts::default()));
    assert_eq!(count(&Fixture::in_project(store, "other").await).await.runs, RunCounts::default());
}

async fn figures_follow_corrections_and_deletions(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory = fixture.seed_memory().await;
    let (trace_id, _) = fixture.taught_run(&[memory], Outcome::Pass).await;
    assert_eq!(count(&fixture).await.runs, counts(2, [1, 0], [1, 0]));
    let mut review = fixture.new_review(Outcome::Fail);
    review.review.supersedes = true;
    fixture.review(trace_id, review).await;
    assert_eq!(count(&fixture).await.runs, counts(2, [0, 1], [1, 0]));
    store.take_back_review(fixture.id(), trace_id, fixture.now()).await.unwrap();
    assert_eq!(count(&fixture).await.runs, counts(2, [0, 0], [1, 0]));
    fixture.review(trace_id, fixture.new_review(Outcome::Pass)).await;
    assert_eq!(count(&fixture).await.runs, counts(2, [1, 0], [1, 0]));
    store.delete_traces(fixture.id(), vec![trace_id], false, fixture.now()).await.unwrap();
    assert_eq!(count(&fixture).await.runs, counts(1, [0, 0], [1, 0]));
}

async fn memories_are_counted_and_named(store: &Store) {
    let fixture = Fixture::new(store).await;
    let (good, hidden) = (fixture.seed_memory().await, fixture.seed_memory().await);
    let (gone, fresh) = (fixture.seed_memory().await, fixture.seed_memory().await);
    for _ in 0..3 {
        fixture.queued_run(&[good, hidden, gone], Outcome::Pass).await;
    }
    let hide = MemoryEdit { status: Some(MemoryStatus::Disabled), ..MemoryEdit::default() };
    store.update_memory(fixture.id(), hidden, hide, fixture.now()).await.unwrap();
    store.delete_memory(fixture.id(), gone, fixture.now()).await.unwrap();
    let Statistics { memories, best, .. } = count(&fixture).await;
    assert_eq!((memories.active, memories.disabled, memories.with_evidence), (2, 1, 1));
    assert_eq!((memories.utility_histogram[10], memories.utility_histogram[16]), (1, 1), "{memories:?}");
    assert_eq!(best, [fixture.memory(good).await]);
    assert_eq!(fixture.memory(fresh).await.tally.uses(), 0);
}

async fn the_best_and_the_worst_need_evidence_however_few_memories_there_are(store: &Store) {
    let fixture = Fixture::new(store).await;
    let (harmful, helpful, unlucky) =
        (fixture.seed_memory().await, fixture.seed_memory().await, fixture.seed_memory().await);
    for _ in 0..9 {
        fixture.queued_run(&[harmful], Outcome::Fail).await;
        fixture.queued_run(&[helpful], Outcome::Pass).await;
    }
    for _ in 0..3 {
        fixture.queued_run(&[unlucky], Outcome::Fail).await;
    }
    let today = fixture.now().day();
    let by_worth = Viewpoint { rule: LearningRule::Worth, constants: WorthConstants::default(), today };
    let found = store.statistics(fixture.id(), by_worth, day_bounds(fixture.now(), 1)).await.unwrap();
    let ids = |memories: &[Memory]| memories.iter().map(|memory| memory.id).collect::<Vec<_>>();
    assert_eq!((ids(&found.best), ids(&found.worst)), (vec![helpful], vec![harmful]));
}

async fn the_queue_is_the_projects_own(store: &Store) {
    let (fixture, other) = (Fixture::new(store).await, Fixture::in_project(store, "other").await);
    let given_up = fixture.queued_run(&[], Outcome::Pass).await;
    let job = fixture.claim_one().await;
    assert_eq!(job.trace_id, given_up);
    assert!(store.fail_job(job, "no".into(), JobFailure::GivenUp(fixture.now())).await.unwrap());
    fixture.queued_run(&[], Outcome::Pass).await;
    other.queued_run(&[], Outcome::Pass).await;
    let queue = count(&fixture).await.queue;
    assert_eq!((queue.waiting, queue.failed), (1, 1));
    assert!(queue.next_due.is_some_and(|due| due <= fixture.now()), "{queue:?}");
    assert_eq!(count(&other).await.queue.waiting, 1);
}

/// A measurement: `cargo nextest run --run-ignored only --no-capture -E 'test(measurement_of_the_figures)'`.
#[tokio::test]
#[ignore = "a measurement, which takes a while"]
async fn measurement_of_the_figures_of_a_large_project() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reflect.db");
    let store = Store::open(&path).unwrap();
    let fixture = Fixture::new(&store).await;
    rusqlite::Connection::open(&path).unwrap().execute_batch(LARGE).unwrap();
    let bounds = day_bounds("2026-11-15T12:00:00Z".parse().unwrap(), 30);
    let mut took = Vec::new();
    for _ in 0..10 {
        let start = Instant::now();
        let found = store.statistics(fixture.id(), Viewpoint::default(), bounds.clone()).await.unwrap();
        took.push(start.elapsed());
        assert_eq!((found.runs.traces, found.runs.passed() + found.runs.failed()), (100_000, 90_000));
        assert_eq!((found.memories.active, found.memories.highest.len()), (20_000, 20));
        let shown: u64 = found.days.iter().map(|day| day.runs.traces).sum();
        assert!(shown > 99_000, "{shown}");
    }
    took.sort();
    println!(
        "100,000 traces and 20,000 memories are counted in {:?} (median of 10; first of all {:?})",
        took[5], took[0]
    );
}

/// 100,000 traces over 30 days, nine in ten reviewed, a fifth of them with a memory of a kilobyte.
const LARGE: &str = "
    CREATE TEMP TABLE n AS WITH RECURSIVE n (x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM n WHERE x < 99999) SELECT x FROM n;
    CREATE TEMP TABLE ids AS
    SELECT x, unhex(printf('%012x70008%015x', 1794787200000 - 30 * 86400000 + x * 25919, x)) AS id FROM n;
    INSERT INTO traces (project_id, trace_id, task, final_response, retrieved_memory_ids, review_status, metadata, warnings, created_at)
    SELECT 'default', id, 'Refund order ' || x, printf('%.500c', 'x'), '[]', 'reviewed', '{}', '[]', 0 FROM ids;
    INSERT INTO reviews (project_id, trace_id, review_id, result, mode, source, alpha, created_at, shown)
    SELECT 'default', id, id, iif(x % 3, 'pass', 'fail'), 'inline', 'api', 0.3, 0, x % 2 FROM ids WHERE x % 10;
    INSERT INTO memories (project_id, memory_id, trace_id, task, lesson, status, revision, written_by, q_value, uses, passes, fails,
                          next_position, metadata, created_at, updated_at, changed)
    SELECT 'default', id, id, 'Refund order ' || x,
           json_object('summary', printf('%.1000c', 'x'), 'key_mistake', '', 'correct_action', '', 'guidance', '',
                       'applicable_tools', json('[]'), 'tools_used', json('[]')),
           'active', 1, json_object('reflector', 'builtin', 'version', '1'), (x % 1000) / 1000.0, x % 7, x % 7, 0, x % 7, '{}', 0, 0, x + 1
    FROM ids WHERE x % 5 = 0;";
