//! What only a database can do that several processes share. SQLite has one writer, so there is nothing to see there.

use reflect_core::Outcome;
use reflect_store::Store;

use crate::support::{Fixture, TempSchema, TempStore, all_at_once};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_another_process_has_claimed_stays_its_own() {
    let temp = TempStore::open().await;
    let Some(other) = temp.open_beside().await else { return };
    let fixture = Fixture::new(&temp.store).await;
    fixture.queued_run(&[], Outcome::Pass).await;
    let job = fixture.claim_one().await;
    assert_eq!(other.release_jobs(None, fixture.now()).await.unwrap(), 0);
    assert!(fixture.complete(job).await);
}

/// A writer whose transaction has a lower number keeps all others out until it has ended, so nobody can see a higher one before.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_waits_for_one_with_a_lower_number() {
    let temp = TempStore::open().await;
    let Some(other) = temp.open_beside().await else { return };
    let fixture = Fixture::new(&temp.store).await;
    let schema = temp.schema().unwrap();
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
        let insert = fixture.new_trace(&[]);
        let mut second = std::pin::pin!(other.insert_trace(fixture.id(), insert));
        tokio::select! {
            early = &mut second => panic!("it did not wait: {early:?}"),
            () = until_someone_waits(schema) => {}
        }
        end.send(()).unwrap();
        second.await.unwrap().unwrap();
    };
    let (updated, ()) = tokio::join!(update, write);
    updated.unwrap().unwrap();
}

async fn until_someone_waits(schema: &TempSchema) {
    let sql = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
    while schema.ask(sql).as_deref() == Some("0") {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_can_connect_to_an_empty_database_at_once() {
    let temp = TempStore::open().await;
    let Some(schema) = temp.schema() else { return };
    schema.execute(&format!("DROP SCHEMA {0} CASCADE; CREATE SCHEMA {0}", schema.name()));
    let connected = all_at_once((0..6).map(|_| async { Store::connect(&schema.url()).await })).await;
    for store in connected {
        store.unwrap().ping().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_newer_schema_is_refused() {
    let temp = TempStore::open().await;
    let Some(schema) = temp.schema() else { return };
    schema.execute("UPDATE reflect_schema SET version = 99");
    let refused = Store::connect(&schema.url()).await.err().unwrap();
    assert!(refused.to_string().contains("schema 99"), "{refused}");
}

/// Every table that knows projects is empty of one that was erased.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_erased_project_leaves_no_row_behind() {
    let temp = TempStore::open().await;
    let Some(schema) = temp.schema() else { return };
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
