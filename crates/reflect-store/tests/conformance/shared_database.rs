//! What only a database can do that several processes share. SQLite has one writer, so there is nothing to see there.

use std::time::Duration;

use reflect_core::Outcome;
use reflect_store::{CopySource, CopyTarget, Once, Store, StoreError, TraceFilter, TracePage};

use crate::support::{Fixture, PATIENCE, TempSchema, TempStore, all_at_once};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
async fn what_another_process_has_claimed_stays_its_own() {
    let temp = TempStore::open().await;
    let other = temp.open_beside().await;
    let fixture = Fixture::new(&temp.store).await;
    fixture.queued_run(&[], Outcome::Pass).await;
    let job = fixture.claim_one().await;
    assert_eq!(other.release_jobs(None, fixture.now()).await.unwrap(), 0);
    assert!(fixture.complete(job).await);
}

/// A claim of another process locks a job that it comes upon too late, and leaves it as it is.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
async fn a_lesson_waits_for_whoever_only_looks_at_its_job() {
    let temp = TempStore::open().await;
    let schema = temp.schema();
    let fixture = Fixture::new(&temp.store).await;
    fixture.queued_run(&[], Outcome::Pass).await;
    let job = fixture.claim_one().await;
    let lock = schema.hold("SELECT 1 FROM jobs FOR UPDATE").await;
    let mut completed = std::pin::pin!(fixture.complete(job));
    tokio::select! {
        early = &mut completed => panic!("it did not wait: {early}"),
        () = until_waiting(schema, 1) => {}
    }
    drop(lock);
    assert!(completed.await);
}

/// A writer whose transaction has a lower number keeps all others out until it has ended, so nobody can see a higher one before.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
async fn a_change_waits_for_one_with_a_lower_number() {
    let temp = TempStore::open().await;
    let other = temp.open_beside().await;
    let fixture = Fixture::new(&temp.store).await;
    let memory = fixture.seed_memory().await;
    let schema = temp.schema();
    let (held, holding) = std::sync::mpsc::channel();
    let (end, ends) = std::sync::mpsc::channel::<()>();
    // It holds the project's lock from inside its transaction for as long as this case wants.
    let update = temp.store.update_project_settings(fixture.id(), move |settings| {
        held.send(()).unwrap();
        ends.recv().unwrap();
        settings
    });
    let write = async {
        tokio::task::spawn_blocking(move || holding.recv().unwrap()).await.unwrap();
        // What touches nothing that is there is stored meanwhile.
        other.insert_trace(fixture.id(), fixture.new_reviewed_trace(&[], Outcome::Pass)).await.unwrap().unwrap();
        let insert = fixture.new_reviewed_trace(&[memory], Outcome::Pass);
        let mut second = std::pin::pin!(other.insert_trace(fixture.id(), insert));
        tokio::select! {
            early = &mut second => panic!("it did not wait: {early:?}"),
            () = until_waiting(schema, 1) => {}
        }
        end.send(()).unwrap();
        second.await.unwrap().unwrap();
    };
    let (updated, ()) = tokio::join!(update, write);
    updated.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
async fn traces_sent_to_several_processes_at_once_are_stored_once() {
    let temp = TempStore::open().await;
    let other = temp.open_beside().await;
    let fixture = Fixture::new(&temp.store).await;
    let send = |number: usize| {
        let mut insert = fixture.new_reviewed_trace(&[], Outcome::Pass);
        insert.idempotency = fixture.idempotency(&format!("word {}", number / 2), 1);
        let store = if number.is_multiple_of(2) { &temp.store } else { &other };
        store.insert_trace(fixture.id(), insert)
    };
    let answers = all_at_once((0..200).map(send)).await;
    let answers: Vec<_> = answers.into_iter().map(|answer| answer.unwrap().unwrap()).collect();
    for both in answers.chunks(2) {
        let ([Once::First(one), Once::Again(two)] | [Once::Again(one), Once::First(two)]) = both else {
            panic!("{both:?}")
        };
        assert_eq!(one, two);
    }
    let schema = temp.schema();
    for table in ["traces", "trajectories", "reviews", "jobs", "idempotency"] {
        assert_eq!(schema.ask(&format!("SELECT count(*) FROM {table}")).as_deref(), Some("100"), "{table}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
async fn nothing_is_added_to_a_project_once_it_is_deleted() {
    let temp = TempStore::open().await;
    let other = temp.open_beside().await;
    let schema = temp.schema();
    for round in 0..5 {
        let fixture = Fixture::in_project(&temp.store, &format!("project-{round}")).await;
        let add = |_| temp.store.insert_trace(fixture.id(), fixture.new_reviewed_trace(&[], Outcome::Pass));
        let delete = async {
            tokio::task::yield_now().await;
            other.delete_project(fixture.id()).await.unwrap().unwrap();
        };
        let (added, ()) = tokio::join!(all_at_once((0..100).map(add)), delete);
        let added = added.into_iter().filter(|answer| answer.as_ref().unwrap().is_some()).count();
        assert_eq!(schema.ask("SELECT count(*) FROM traces"), Some(added.to_string()), "it is there, or was refused");
        while !temp.store.erase_some(fixture.id()).await.unwrap().done {}
    }
    assert_eq!(schema.ask("SELECT count(*) FROM traces").as_deref(), Some("0"));
}

/// Otherwise a project could not be deleted while somebody always adds to it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
async fn whoever_adds_to_a_project_waits_behind_its_deletion() {
    let temp = TempStore::open().await;
    let other = temp.open_beside().await;
    let fixture = Fixture::new(&temp.store).await;
    let schema = temp.schema();
    // Somebody is in the middle of adding.
    let adding = schema.hold("SELECT 1 FROM projects FOR KEY SHARE").await;
    let mut deleted = std::pin::pin!(temp.store.delete_project(fixture.id()));
    tokio::select! {
        early = &mut deleted => panic!("it did not wait: {early:?}"),
        () = until_waiting(schema, 1) => {}
    }
    let mut added = std::pin::pin!(other.insert_trace(fixture.id(), fixture.new_reviewed_trace(&[], Outcome::Pass)));
    tokio::select! {
        early = &mut added => panic!("it did not wait: {early:?}"),
        () = until_waiting(schema, 2) => {}
    }
    drop(adding);
    let (deleted, added) = tokio::join!(deleted, added);
    assert!(deleted.unwrap().is_some() && added.unwrap().is_none());
}

/// A run that names nothing is known by its task to follow a query, however soon after it comes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_trace_sees_the_query_before_it_that_is_still_to_be_logged() {
    let temp = TempStore::open().await;
    let fixture = Fixture::new(&temp.store).await;
    let memory = fixture.seed_memory().await;
    for number in 0..20 {
        let mut insert = fixture.new_trace(&[]);
        insert.trace.task = format!("refund order {number}");
        let retrieval = fixture.new_retrieval(&insert.trace.task, &[memory]);
        temp.store.insert_retrieval(fixture.id(), retrieval).await.unwrap();
        let stored = fixture.insert(insert).await;
        assert_eq!(stored.warnings.len(), 1, "it does not say what it was shown: {stored:?}");
    }
}

/// PostgreSQL has not counted the rows of a project that was filled a moment ago, and plans as if there were hardly any: also where it knows
/// much of another one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
async fn an_index_of_a_project_that_was_just_filled_is_read_at_once() {
    const MEMORIES: usize = 20_000;
    let temp = TempStore::open().await;
    let schema = temp.schema();
    for name in ["first", "second"] {
        let fixture = Fixture::in_project(&temp.store, name).await;
        fixture.seed_memory().await;
        // Copies of the one memory and of the review of its run, with ids of their own.
        schema.execute(&format!(
            "INSERT INTO memories SELECT (jsonb_populate_record(m, jsonb_build_object('changed', 1000 + n,
                 'memory_id', md5('memory ' || n), 'trace_id', md5('trace ' || n)))).*
             FROM memories m, generate_series(2, {MEMORIES}) n WHERE project_id = '{name}';
             INSERT INTO reviews SELECT (jsonb_populate_record(r, jsonb_build_object(
                 'review_id', md5('review ' || n), 'trace_id', md5('trace ' || n)))).*
             FROM reviews r, generate_series(2, {MEMORIES}) n WHERE project_id = '{name}'"
        ));
        let reader = temp.store.index_reader();
        let rows = reader.list_changed(fixture.id(), "test-2".into(), 0, MEMORIES);
        // It takes a tenth of a second; to compare all pairs of them took 13.
        let rows = tokio::time::timeout(Duration::from_secs(10), rows).await.expect("rows are looked up").unwrap();
        assert_eq!(rows.len(), MEMORIES);
        schema.execute("ANALYZE memories; ANALYZE reviews; ANALYZE vectors");
    }
}

/// Waits until so many of the store's connections wait for a lock.
async fn until_waiting(schema: &TempSchema, connections: usize) {
    let sql = "SELECT count(*) FROM pg_stat_activity
               WHERE application_name = current_schema() AND wait_event_type = 'Lock'";
    while schema.ask(sql) != Some(connections.to_string()) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
async fn many_can_connect_to_an_empty_database_at_once() {
    let temp = TempStore::open().await;
    let schema = temp.schema();
    schema.execute(&format!("DROP SCHEMA {0} CASCADE; CREATE SCHEMA {0}", schema.name()));
    let connected = all_at_once((0..6).map(|_| async { Store::connect(&schema.url()).await })).await;
    for store in connected {
        store.unwrap().ping().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
async fn a_newer_schema_is_refused() {
    let temp = TempStore::open().await;
    let schema = temp.schema();
    schema.execute("UPDATE reflect_schema SET version = 99");
    let refused = Store::connect(&schema.url()).await.err().unwrap();
    assert!(refused.to_string().contains("schema 99"), "{refused}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
async fn a_schema_from_before_the_first_release_is_refused_and_left_alone() {
    let temp = TempStore::open().await;
    let schema = temp.schema();
    for old in [19, 27] {
        schema.execute(&format!("UPDATE reflect_schema SET version = {old}"));
        let refused = [
            Store::connect(&schema.url()).await.err(),
            CopySource::connect(&schema.url()).await.err(),
            CopyTarget::connect(&schema.url()).await.err(),
        ];
        for error in refused {
            assert!(matches!(error, Some(StoreError::BeforeFirstSchema(found)) if found == old), "{error:?}");
        }
        assert_eq!(schema.ask("SELECT version FROM reflect_schema"), Some(old.to_string()));
    }
}

/// Every table that knows projects is empty of one that was erased.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
async fn an_erased_project_leaves_no_row_behind() {
    let temp = TempStore::open().await;
    let schema = temp.schema();
    let fixture = Fixture::new(&temp.store).await;
    temp.store.insert_key(fixture.new_key("one"), String::new(), None).await.unwrap();
    let memory = fixture.seed_memory().await;
    temp.store.insert_retrieval(fixture.id(), fixture.new_retrieval("refund order 7", &[memory])).await.unwrap();
    let mut insert = fixture.new_reviewed_trace(&[memory], Outcome::Fail);
    insert.idempotency = fixture.idempotency("word", 1);
    fixture.insert(insert).await;
    temp.store.insert_skill(fixture.id(), fixture.new_skill(1), None).await.unwrap();
    fixture.erase_project().await;
    let tables = "SELECT string_agg(quote_ident(table_name), ',') FROM information_schema.columns
                  WHERE table_schema = current_schema() AND column_name = 'project_id'";
    let tables = schema.ask(tables).unwrap();
    assert!(tables.split(',').count() >= 17, "{tables}");
    for table in tables.split(',') {
        assert_eq!(schema.ask(&format!("SELECT count(*) FROM {table}")).as_deref(), Some("0"), "{table}");
    }
}

/// Ends all connections to the database but the one that asks.
const END_ALL: &str = "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity
                       WHERE application_name = current_schema() AND pid <> pg_backend_pid()";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
async fn a_store_whose_connections_were_ended_makes_new_ones() {
    let temp = TempStore::open().await;
    let schema = temp.schema();
    let fixture = Fixture::new(&temp.store).await;
    let memory = fixture.seed_memory().await;
    for _ in 0..5 {
        assert_ne!(schema.ask(END_ALL).as_deref(), Some("0"));
        fixture.queued_run(&[memory], Outcome::Pass).await;
        assert_ne!(schema.ask(END_ALL).as_deref(), Some("0"));
        fixture.memory(memory).await;
        temp.store.probe_writing().await.unwrap();
    }
    assert_eq!(fixture.memory(memory).await.tally.uses(), 5);
}

/// An answer means that it is stored; a failure may mean either, and is never half of something.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
async fn what_was_acknowledged_is_there_however_often_connections_end() {
    let temp = TempStore::open().await;
    let schema = temp.schema();
    let fixture = Fixture::new(&temp.store).await;
    let memory = fixture.seed_memory().await;
    let mut acknowledged = Vec::new();
    for _ in 0..8 {
        let inserts: Vec<_> = (0..40).map(|_| fixture.new_reviewed_trace(&[memory], Outcome::Pass)).collect();
        let ids: Vec<_> = inserts.iter().map(|insert| insert.id).collect();
        let write = all_at_once(inserts.into_iter().map(|insert| temp.store.insert_trace(fixture.id(), insert)));
        let end = tokio::task::spawn_blocking({
            let url = schema.url();
            move || TempSchema::ask_at(&url, END_ALL)
        });
        let (answers, _) = tokio::join!(write, end);
        for (id, answer) in ids.into_iter().zip(answers) {
            match answer {
                Ok(_) => acknowledged.push(id),
                Err(StoreError::Unavailable(_)) => {}
                Err(error) => panic!("{error:?}"),
            }
        }
    }
    let page = TracePage { before: None, limit: 1_000 };
    let stored = temp.store.list_trace_ids(fixture.id(), TraceFilter::default(), page, PATIENCE).await.unwrap();
    assert!(acknowledged.iter().all(|id| stored.contains(id)));
    assert_eq!(fixture.memory(memory).await.tally.uses() as usize, stored.len() - 1);
    assert_eq!(temp.store.check_ledger().await.unwrap().mismatches, []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
async fn a_search_is_given_up_at_its_time_and_the_next_one_is_served() {
    let temp = TempStore::open().await;
    let schema = temp.schema();
    let fixture = Fixture::new(&temp.store).await;
    let trace_id = fixture.run(&[]).await;
    let refunds = TraceFilter { text: Some("REFUND".into()), ..TraceFilter::default() };
    let page = TracePage { before: None, limit: 10 };
    let list = |patience| temp.store.list_trace_ids(fixture.id(), refunds.clone(), page, patience);
    assert_eq!(list(PATIENCE).await.unwrap(), [trace_id]);

    let lock = schema.hold("LOCK TABLE traces IN ACCESS EXCLUSIVE MODE").await;
    let given_up = list(Duration::from_millis(100)).await;
    assert!(matches!(given_up, Err(StoreError::Interrupted)), "{given_up:?}");
    drop(lock);
    assert_eq!(list(PATIENCE).await.unwrap(), [trace_id]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
async fn a_slow_project_holds_up_no_other() {
    let temp = TempStore::open().await;
    let schema = temp.schema();
    let (slow, other) = (Fixture::new(&temp.store).await, Fixture::in_project(&temp.store, "other").await);
    let trace_id = slow.run(&[]).await;
    let lock = schema.hold("SELECT 1 FROM traces WHERE project_id = 'default' FOR UPDATE").await;
    // More than may wait in one lane.
    let deletions =
        all_at_once((0..400).map(|_| temp.store.delete_traces(slow.id(), vec![trace_id], false, slow.now())));
    let work = async {
        other.run(&[]).await;
        drop(lock);
    };
    let (deleted, ()) = tokio::join!(deletions, work);
    assert_eq!(deleted.into_iter().filter(|deleted| !deleted.as_ref().unwrap().is_empty()).count(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
async fn a_project_that_another_process_deletes_is_out_of_reach_once_it_was_looked() {
    let temp = TempStore::open().await;
    let other = temp.open_beside().await;
    let fixture = Fixture::new(&temp.store).await;
    fixture.run(&[]).await;
    other.delete_project(fixture.id()).await.unwrap().unwrap();
    assert!(!temp.store.is_being_erased(&fixture.id()));
    temp.store.refresh_being_erased().await.unwrap();
    assert_eq!(temp.store.list_being_erased(), [fixture.id()]);
    while !temp.store.erase_some(fixture.id()).await.unwrap().done {}
    other.refresh_being_erased().await.unwrap();
    assert!(!other.is_being_erased(&fixture.id()));
}
