//! The retrieval log, and joining a run to what it was shown.

use reflect_core::{
    Circumstances, KeyId, MemoryId, Outcome, QuerySettings, Retrieval, RetrievalId, RunScore, Slate, Timestamp, Trace,
    worth::{Evidence, Expectation, Worth, WorthConstants},
};
use reflect_store::{RetrievalCut, Reviewed, Store, TraceInsert};
use uuid::Uuid;

use crate::support::{DEFAULT_ALPHA, Fixture, all_at_once, conformance};

conformance! {
    a_logged_query_is_found_as_it_was,
    queries_that_come_at_once_are_all_logged,
    a_query_of_another_project_is_not_there,
    a_run_is_joined_to_the_newest_query_that_showed_its_memories,
    a_run_that_names_its_query_is_joined_to_that,
    a_run_is_not_joined_to_another_keys_query,
    a_run_without_known_memories_is_joined_to_nothing,
    a_run_that_forgot_what_it_was_shown_is_warned,
    old_queries_and_idempotency_keys_are_forgotten,
    credits_keep_how_their_memories_were_shown,
    credits_keep_what_was_expected_of_their_runs,
    a_query_that_shows_much_is_logged_in_little,
    pruning_holds_other_writers_up_for_a_few_rows_at_most,
    a_row_from_the_future_stops_no_pruning,
    a_log_past_its_bound_loses_its_oldest_rows,
    a_correction_keeps_how_its_memory_was_shown,
}

async fn a_logged_query_is_found_as_it_was(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory = fixture.seed_memory().await;
    let mut retrieval = fixture.new_retrieval("refund", &[memory, fixture.memory_id()]);
    retrieval.settings = QuerySettings {
        similarity_threshold: Some(-0.25),
        metadata_filter: serde_json::json!({"b": 1.0}).as_object().cloned(),
        ..retrieval.settings
    };
    store.insert_retrieval(fixture.id(), retrieval.clone()).await.unwrap();
    fixture.run(&[]).await;
    let found = store.get_retrieval(fixture.id(), retrieval.id).await.unwrap();
    assert_eq!(found, Some(retrieval));
}

/// More than wait to be logged, and not a round number; some with figures that others do not have, and words that lists are written with.
async fn queries_that_come_at_once_are_all_logged(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory = fixture.seed_memory().await;
    let queries: Vec<Retrieval> = (0..1_501)
        .map(|number| match number % 4 {
            0 => fixture.new_retrieval(&format!("refund order {number}"), &[memory]),
            1 => fixture.new_retrieval(&format!("{{NULL,\"{number}\"}}"), &[]),
            2 => fixture.new_retrieval("\0\u{1}\\", &[memory]),
            _ => ranked_by_worth(fixture.new_retrieval("", &[memory])),
        })
        .collect();
    let logged = all_at_once(queries.iter().map(|query| store.insert_retrieval(fixture.id(), query.clone()))).await;
    assert!(logged.iter().all(Result::is_ok));
    store.settle().await.unwrap();
    for query in queries {
        assert_eq!(store.get_retrieval(fixture.id(), query.id).await.unwrap(), Some(query));
    }
    fixture.erase_project().await;
    store.insert_retrieval(fixture.id(), fixture.new_retrieval("refund", &[memory])).await.unwrap();
    store.settle().await.unwrap();
    let all = RetrievalCut { before: RetrievalId::from_uuid(Uuid::max()), from: RetrievalId::from_uuid(Uuid::max()) };
    Fixture::new(store).await;
    assert!(store.list_outlived_retrievals(all).await.unwrap().is_empty(), "a project that is gone logs nothing");
}

fn ranked_by_worth(mut retrieval: Retrieval) -> Retrieval {
    retrieval.sat_out = vec![MemoryId::from_uuid(Uuid::from_u128(8)), MemoryId::from_uuid(Uuid::from_u128(3))];
    retrieval.slate = Some(Slate { usual: 0.5, unit: 0.25, probability: 0.75, rule_version: 1 });
    for memory in &mut retrieval.shown {
        (memory.worth, memory.probability) = (Some(-0.125), Some(0.5));
    }
    retrieval
}

async fn a_query_of_another_project_is_not_there(store: &Store) {
    let fixture = Fixture::new(store).await;
    let other = Fixture::in_project(store, "other").await;
    let memory = fixture.seed_memory().await;
    assert_eq!(memory, other.seed_memory().await, "ids may repeat elsewhere");
    let retrieval = log(&fixture, &[memory]).await;
    let trace = stored(&other, &[memory]).await;
    assert_eq!(trace.retrieval_id, None);
    assert_eq!(store.get_retrieval(other.id(), retrieval).await.unwrap(), None);
    let unknown = RetrievalId::from_uuid(Uuid::nil());
    assert_eq!(store.get_retrieval(fixture.id(), unknown).await.unwrap(), None);
}

async fn a_run_is_joined_to_the_newest_query_that_showed_its_memories(store: &Store) {
    let fixture = Fixture::new(store).await;
    let (first, second) = (fixture.seed_memory().await, fixture.seed_memory().await);
    let older = log(&fixture, &[first, second]).await;
    let newer = log(&fixture, &[second]).await;
    assert_eq!(stored(&fixture, &[first]).await.retrieval_id, Some(older));
    assert_eq!(stored(&fixture, &[second]).await.retrieval_id, Some(newer));
    assert_eq!(stored(&fixture, &[second, first]).await.retrieval_id, Some(older));
    let third = fixture.seed_memory().await;
    assert_eq!(stored(&fixture, &[first, third]).await.retrieval_id, None);
    assert_eq!(store.check_ledger().await.unwrap().credits, 0);
}

async fn a_run_that_names_its_query_is_joined_to_that(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory = fixture.seed_memory().await;
    let named = log(&fixture, &[memory]).await;
    log(&fixture, &[memory]).await;
    let mut insert = fixture.new_trace(&[memory]);
    insert.trace.retrieval_id = Some(named);
    let trace = fixture.trace(fixture.insert(insert).await.trace_id).await;
    assert_eq!((trace.retrieval_id, trace.warnings), (Some(named), vec![]));
    assert_eq!(store.check_ledger().await.unwrap().memories, 1);
}

async fn a_run_is_not_joined_to_another_keys_query(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory = fixture.seed_memory().await;
    let mut retrieval = fixture.new_retrieval("refund order 7", &[memory]);
    retrieval.key_id = KeyId::from_uuid(fixture.uuid());
    store.insert_retrieval(fixture.id(), retrieval).await.unwrap();
    assert_eq!(stored(&fixture, &[memory]).await.retrieval_id, None);
    assert_eq!(stored(&fixture, &[]).await.warnings, [] as [String; 0]);
}

async fn a_run_without_known_memories_is_joined_to_nothing(store: &Store) {
    let fixture = Fixture::new(store).await;
    let known = fixture.seed_memory().await;
    let unknown = fixture.memory_id();
    log(&fixture, &[known, unknown]).await;
    let trace = stored(&fixture, &[unknown]).await;
    assert_eq!(trace.retrieval_id, None);
    assert_eq!(trace.warnings, ["1 of 1 retrieved_memory_ids are not memories of this project"]);
    let trace = stored(&fixture, &[known, unknown]).await;
    assert_eq!(trace.warnings, ["1 of 2 retrieved_memory_ids are not memories of this project"]);
    assert_eq!(stored(&fixture, &[known]).await.warnings, [] as [String; 0]);
    assert_eq!(store.check_ledger().await.unwrap().memories, 1);
}

async fn a_run_that_forgot_what_it_was_shown_is_warned(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory = fixture.seed_memory().await;
    assert_eq!(stored(&fixture, &[]).await.warnings, [] as [String; 0]);
    log(&fixture, &[memory]).await;
    let warnings = stored(&fixture, &[]).await.warnings;
    assert!(warnings[0].contains("`retrieved_memory_ids` is empty"), "{warnings:?}");
    // Runs go on side by side: a newer query about something else changes nothing.
    let other_task = fixture.new_retrieval("another task", &[memory]);
    store.insert_retrieval(fixture.id(), other_task).await.unwrap();
    let submission = fixture.insert(fixture.new_trace(&[])).await;
    assert_eq!(submission.warnings, warnings, "whoever sends it is told");
    // The newest about this task showed nothing.
    log(&fixture, &[]).await;
    assert_eq!(stored(&fixture, &[]).await.warnings, [] as [String; 0]);
}

async fn old_queries_and_idempotency_keys_are_forgotten(store: &Store) {
    let fixture = Fixture::new(store).await;
    let old = log(&fixture, &[]).await;
    let mut insert = fixture.new_trace(&[]);
    insert.idempotency = fixture.idempotency("old", 1);
    fixture.insert(insert).await;
    let cut = fixture.now();
    let new = log(&fixture, &[]).await;
    let mut insert = fixture.new_trace(&[]);
    insert.idempotency = fixture.idempotency("new", 1);
    fixture.insert(insert.clone()).await;

    for expected in [1, 0] {
        assert_eq!(prune(&fixture, all_before(cut)).await, expected);
        assert_eq!(prune_idempotency_keys(store, cut).await, expected);
    }
    assert_eq!(store.get_retrieval(fixture.id(), old).await.unwrap(), None);
    assert!(store.get_retrieval(fixture.id(), new).await.unwrap().is_some());
    let again = store.insert_trace(fixture.id(), insert).await.unwrap().unwrap();
    assert!(matches!(again, reflect_store::Once::Again(_)));
    let mut insert = fixture.new_trace(&[]);
    insert.idempotency = fixture.idempotency("old", 2);
    fixture.insert(insert).await;
}

async fn prune_idempotency_keys(store: &Store, cut: Timestamp) -> usize {
    let mut changed = 0;
    loop {
        let progress = store.prune_idempotency_keys(cut).await.unwrap();
        changed += progress.changed;
        if progress.done {
            return changed;
        }
    }
}

/// Logs a query for the task that runs have by default.
async fn log(fixture: &Fixture<'_>, shown: &[MemoryId]) -> RetrievalId {
    let retrieval = fixture.new_retrieval("refund order 7", shown);
    let id = retrieval.id;
    fixture.store.insert_retrieval(fixture.id(), retrieval).await.unwrap();
    id
}

/// Stores a run, and reads it. Since writes keep their order, it also waits for what was logged.
async fn stored(fixture: &Fixture<'_>, memories: &[MemoryId]) -> Trace {
    fixture.trace(fixture.run(memories).await).await
}

async fn credits_keep_how_their_memories_were_shown(store: &Store) {
    let fixture = Fixture::new(store).await;
    let (first, second, elsewhere) =
        (fixture.seed_memory().await, fixture.seed_memory().await, fixture.seed_memory().await);
    let retrieval = log(&fixture, &[first, second]).await;
    let at = |rank| Circumstances {
        retrieval_id: Some(retrieval),
        rank: Some(rank),
        similarity: Some(0.9),
        ..Circumstances::default()
    };
    // Found by what it was shown and reviewed at once; named by the run, with a memory from elsewhere; reviewed later.
    fixture.queued_run(&[first, second], Outcome::Pass).await;
    let mut insert = fixture.new_reviewed_trace(&[second, elsewhere], Outcome::Fail);
    insert.trace.retrieval_id = Some(retrieval);
    fixture.insert(insert).await;
    let later = fixture.run(&[first]).await;
    fixture.review(later, fixture.new_review(Outcome::Pass)).await;

    let circumstances = async |memory| {
        let credits = fixture.credits(memory).await;
        credits.into_iter().map(|credit| credit.circumstances).collect::<Vec<_>>()
    };
    assert_eq!(circumstances(first).await, [at(1), at(1)]);
    assert_eq!(circumstances(second).await, [at(2), at(2)]);
    assert_eq!(circumstances(elsewhere).await, [Circumstances::default()]);
}

async fn a_correction_keeps_how_its_memory_was_shown(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory = fixture.seed_memory().await;
    log(&fixture, &[memory]).await;
    let (trace_id, _) = fixture.taught_run(&[memory], Outcome::Pass).await;
    let before = fixture.credits(memory).await[0].circumstances;
    assert_eq!(before.rank, Some(1));
    // The query may be forgotten by then.
    assert_eq!(prune(&fixture, all_before(fixture.now().plus_millis(60_000))).await, 1);
    fixture.review(trace_id, fixture.new_correction(Outcome::Fail)).await;
    let credits = fixture.credits(memory).await;
    assert_eq!((credits[0].result, credits[0].circumstances), (Outcome::Fail, before));
}

/// Everything that was logged before a time.
fn all_before(time: Timestamp) -> RetrievalCut {
    RetrievalCut { before: RetrievalId::earliest_at(time), from: RetrievalId::from_uuid(Uuid::max()) }
}

/// Removes rows from the log of the fixture's project to the end, and says how many.
async fn prune(fixture: &Fixture<'_>, cut: RetrievalCut) -> usize {
    let mut changed = 0;
    loop {
        let progress = fixture.store.prune_retrievals(fixture.id(), cut).await.unwrap();
        changed += progress.changed;
        if progress.done {
            return changed;
        }
    }
}

/// A write of another project waits for the step that is being done, and for the ten milliseconds at most that its turn lasts. A step of
/// 32 short rows takes less than one; all 300,000 rows of a log at once took eight seconds.
async fn pruning_holds_other_writers_up_for_a_few_rows_at_most(store: &Store) {
    let fixture = Fixture::new(store).await;
    for _ in 0..200 {
        store.insert_retrieval(fixture.id(), fixture.new_retrieval("refund order 7", &[])).await.unwrap();
    }
    let cut = all_before(fixture.now().plus_millis(60_000));
    let (mut removed, mut is_done) = (0, false);
    while !is_done {
        let progress = store.prune_retrievals(fixture.id(), cut).await.unwrap();
        assert!(progress.largest_step <= 32, "{progress:?}");
        removed += progress.changed;
        is_done = progress.done;
    }
    assert_eq!(removed, 200);
}

async fn credits_keep_what_was_expected_of_their_runs(store: &Store) {
    let fixture = Fixture::new(store).await;
    let (first, second, unseen) =
        (fixture.seed_memory().await, fixture.seed_memory().await, fixture.seed_memory().await);
    let mut retrieval = fixture.new_retrieval("refund order 7", &[first, second, unseen]);
    retrieval.slate = Some(Slate { usual: 0.25, unit: 0.5, probability: 0.75, rule_version: 1 });
    for (shown, worth) in retrieval.shown.iter_mut().zip([0.125, 0.5, 4.0]) {
        (shown.worth, shown.probability) = (Some(worth), Some(0.875));
    }
    store.insert_retrieval(fixture.id(), retrieval.clone()).await.unwrap();
    let mut insert = TraceInsert {
        lesson: Some(fixture.new_lesson("of this run")),
        ..fixture.new_reviewed_trace(&[first, second], Outcome::Fail)
    };
    insert.trace.retrieval_id = Some(retrieval.id);
    let (run, taught) = (insert.id, insert.lesson.as_ref().unwrap().memory_id);
    fixture.insert(insert).await;
    assert_eq!(store.get_retrieval(fixture.id(), retrieval.id).await.unwrap(), Some(retrieval));

    let circumstances = fixture.credits(first).await[0].circumstances;
    let expected = Expectation { baseline: 0.25, others: 0.5 };
    assert_eq!((circumstances.expected, circumstances.unit), (Some(expected), Some(0.5)));
    let probabilities = (circumstances.probability, circumstances.slate_probability);
    assert_eq!((probabilities, circumstances.rule_version), ((Some(0.875), Some(0.75)), Some(1)));
    let worth = |score| {
        let evidence = Evidence { score, alpha: DEFAULT_ALPHA, expected, day: fixture.now().day(), weight: 1.0 };
        Worth::of(&[evidence], &WorthConstants::default())
    };
    assert_eq!(fixture.memory(first).await.tally.learned().worth, worth(0.0));

    assert_eq!(fixture.review(run, fixture.new_correction(Outcome::Pass)).await, Reviewed::Accepted);
    assert_eq!(fixture.credits(first).await[0].circumstances, circumstances, "a correction changes the score alone");
    assert_eq!(fixture.memory(first).await.tally.learned().worth, worth(1.0));
    let rows = store
        .index_reader()
        .list_by_id(fixture.id(), "test-2".into(), MemoryId::from_uuid(Uuid::nil()), 10)
        .await
        .unwrap();
    let row = rows.into_iter().find(|row| row.memory_id == taught).unwrap();
    assert_eq!(row.entry.unwrap().run, Some(RunScore { score: 1.0, added: 0.625 }), "what the run saw, and no more");
    assert_eq!(store.check_ledger().await.unwrap().mismatches, []);
}

async fn a_query_that_shows_much_is_logged_in_little(store: &Store) {
    let fixture = Fixture::new(store).await;
    let shown: Vec<MemoryId> = (0..1_000).map(|_| fixture.memory_id()).collect();
    let retrieval = fixture.new_retrieval("refund order 7", &shown);
    let bytes = store.insert_retrieval(fixture.id(), retrieval.clone()).await.unwrap();
    assert!(bytes < 33_000, "{bytes}");
    fixture.run(&[]).await;
    assert_eq!(store.get_retrieval(fixture.id(), retrieval.id).await.unwrap(), Some(retrieval));
}

async fn a_row_from_the_future_stops_no_pruning(store: &Store) {
    let fixture = Fixture::new(store).await;
    let other = Fixture::in_project(store, "other").await;
    let ahead = fixture.now().plus_millis(1_000_000_000);
    let wrong = Retrieval {
        id: RetrievalId::earliest_at(ahead),
        created_at: ahead,
        ..fixture.new_retrieval("refund order 7", &[])
    };
    store.insert_retrieval(fixture.id(), wrong.clone()).await.unwrap();
    for _ in 0..100 {
        log(&fixture, &[]).await;
    }
    let bystander = log(&other, &[]).await;
    let kept = log(&fixture, &[]).await;
    let cut = RetrievalCut { before: kept, from: RetrievalId::earliest_at(fixture.now().plus_millis(86_400_000)) };
    store.settle().await.unwrap();
    assert!(store.list_outlived_retrievals(cut).await.unwrap().contains(&fixture.id()));
    assert_eq!(prune(&fixture, cut).await, 101);
    let is_there = async |fixture: &Fixture<'_>, id| store.get_retrieval(fixture.id(), id).await.unwrap().is_some();
    assert!(is_there(&fixture, kept).await && is_there(&other, bystander).await);
    assert!(!is_there(&fixture, wrong.id).await, "a clock that was put right since wrote it");
}

async fn a_log_past_its_bound_loses_its_oldest_rows(store: &Store) {
    let fixture = Fixture::new(store).await;
    let mut logged = Vec::new();
    let mut bytes = 0;
    for _ in 0..20 {
        let retrieval = fixture.new_retrieval("refund order 7", &[]);
        logged.push(retrieval.id);
        bytes = store.insert_retrieval(fixture.id(), retrieval).await.unwrap();
    }
    fixture.run(&[]).await;
    let measure =
        async |most, keep| store.measure_retrieval_log(fixture.id(), most * bytes, keep * bytes).await.unwrap();
    let within = measure(20, 10).await;
    assert_eq!((within.bytes, within.newest_to_go), (20 * bytes, None));
    let newest_to_go = measure(19, 5).await.newest_to_go.unwrap();
    assert_eq!(newest_to_go, logged[14]);
    let cut = RetrievalCut { before: newest_to_go.next(), from: RetrievalId::from_uuid(Uuid::max()) };
    assert_eq!(prune(&fixture, cut).await, 15);
    assert_eq!(measure(20, 10).await.bytes, 5 * bytes);
    assert!(store.get_retrieval(fixture.id(), logged[15]).await.unwrap().is_some());
}
