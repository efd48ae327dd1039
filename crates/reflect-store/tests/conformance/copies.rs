//! Copies of everything into another database. Into PostgreSQL and back where one is named, from SQLite to SQLite always.

use std::{collections::BTreeMap, path::Path, sync::mpsc::channel};

use reflect_store::{CopyProgress, CopyReport, CopySource, CopyStep, CopyTarget, Store, StoreError};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::support::{PROJECTS, Rows, TempStore, make_everything, read_all};

/// A database with one of everything, and with more traces than fit into one batch.
fn start(folder: &TempDir) -> std::path::PathBuf {
    let path = folder.path().join("start.db");
    make_everything(&path);
    Connection::open(&path).unwrap().execute_batch(MORE).unwrap();
    // Whoever opens it folds what is still to be folded.
    drop(Store::open(&path).unwrap());
    path
}

/// Everything in a database, in an order that does not depend on when a row was written.
fn rows(path: &Path) -> BTreeMap<String, Rows> {
    let mut all = read_all(path);
    for rows in all.values_mut() {
        rows.sort_by_cached_key(|row| format!("{row:?}"));
    }
    all
}

/// Traces with letters that a database might not take as they are, in project `many`.
const MORE: &str = "
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
    INSERT INTO traces (project_id, trace_id, task, final_response, retrieved_memory_ids, review_status, metadata, warnings, created_at)
    SELECT 'many', unhex(printf('%032x', i)), 'task ' || char(0) || char(1) || i, '😀', '[]', 'pending', '{\"a\": 1e400}', '[]', i FROM n;
    INSERT INTO trajectories (project_id, trace_id, trajectory, checksum)
    SELECT project_id, trace_id, '[{\"content\": \"\\ud800' || hex(zeroblob(1000)) || '\"}]', NULL FROM traces WHERE project_id = 'many';";

fn ignore(_: CopyProgress) {}

async fn copy(from: &Path, to: &Path) -> Result<CopyReport, StoreError> {
    CopyTarget::open(to)?.copy_from(&CopySource::open(from)?, ignore).await
}

#[tokio::test]
async fn a_copy_has_every_value_of_every_row() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (start(&folder), folder.path().join("to.db"));
    let before = rows(&from);
    let (seen, progress) = channel();
    let target = CopyTarget::open(&to).unwrap();
    let source = CopySource::open(&from).unwrap();
    let report = target.copy_from(&source, move |each| seen.send(each).unwrap()).await.unwrap();
    assert_eq!(rows(&to), before);
    assert_eq!(rows(&from), before);
    let count: usize = before.values().map(Vec::len).sum();
    assert_eq!((report.rows(), report.already_there), (count as u64, 0));
    assert_eq!((report.ledger.credits, report.ledger.mismatches), (PROJECTS, Vec::new()));
    let progress: Vec<CopyProgress> = progress.iter().collect();
    for step in [CopyStep::Copying, CopyStep::Comparing] {
        let last = progress.iter().rfind(|each| each.step == step).unwrap();
        assert_eq!((last.done, last.all), (count as u64, count as u64));
    }
    assert!(progress.iter().filter(|each| each.step == CopyStep::Copying).count() > before.len(), "one batch a table");
    Store::open(&to).unwrap();
}

/// Lets a copy go on until it has told how far it is this many times, and drops it there, as a kill would.
async fn cut_off(target: CopyTarget, source: &CopySource, batches: usize) {
    let (seen, mut progress) = tokio::sync::mpsc::unbounded_channel();
    let copying = target.copy_from(source, move |each| seen.send(each).unwrap());
    let mut copying = Box::pin(copying);
    for _ in 0..batches {
        tokio::select! {
            biased;
            _ = progress.recv() => {}
            ended = &mut copying => panic!("it ended: {ended:?}"),
        }
    }
}

#[tokio::test]
async fn a_copy_that_was_cut_off_goes_on_and_nobody_else_opens_it_before() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (start(&folder), folder.path().join("to.db"));
    let source = CopySource::open(&from).unwrap();
    for batches in [0, 1, 9] {
        cut_off(CopyTarget::open(&to).unwrap(), &source, batches).await;
        if batches > 0 {
            assert!(matches!(Store::open(&to), Err(StoreError::UnfinishedCopy)));
        }
    }
    let report = copy(&from, &to).await.unwrap();
    assert!(report.already_there > 1_000, "{report:?}");
    assert_eq!(rows(&to), rows(&from));
    assert!(matches!(copy(&from, &to).await, Err(StoreError::NotEmpty(_))), "it is finished");
}

#[tokio::test]
async fn a_source_that_changed_since_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    for (number, change) in [
        "UPDATE traces SET task = 'another' WHERE project_id = 'many' AND created_at = 1",
        "UPDATE credits SET alpha = alpha / 2",
        "DELETE FROM traces WHERE project_id = 'many' AND created_at = 1",
        "INSERT INTO deleted_projects VALUES ('0')",
    ]
    .into_iter()
    .enumerate()
    {
        let (from, to) = (start(&folder), folder.path().join(format!("{number}.db")));
        cut_off(CopyTarget::open(&to).unwrap(), &CopySource::open(&from).unwrap(), 30).await;
        assert_eq!(Connection::open(&from).unwrap().execute(change, []).unwrap().min(1), 1);
        let refused = copy(&from, &to).await;
        assert!(matches!(refused, Err(StoreError::CopyDiffers { .. })), "{change}: {refused:?}");
        assert!(matches!(Store::open(&to), Err(StoreError::UnfinishedCopy)));
        std::fs::remove_file(&from).unwrap();
    }
}

#[tokio::test]
async fn a_copy_goes_only_into_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let from = start(&folder);
    assert!(matches!(copy(&from, &from).await, Err(StoreError::NotEmpty("projects"))));
    assert!(!rows(&from).contains_key("unfinished_copy"));
}

/// There and back, killed in between.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
async fn what_goes_to_the_shared_database_and_comes_back_is_equal_to_the_start() {
    let temp = TempStore::open().await;
    let schema = temp.schema();
    let folder = tempfile::tempdir().unwrap();
    let (from, back) = (start(&folder), folder.path().join("back.db"));
    let source = CopySource::open(&from).unwrap();
    for batches in [1, 12] {
        cut_off(CopyTarget::connect(&schema.url()).await.unwrap(), &source, batches).await;
        assert!(matches!(Store::connect(&schema.url()).await, Err(StoreError::UnfinishedCopy)));
    }
    let target = CopyTarget::connect(&schema.url()).await.unwrap();
    let there = target.copy_from(&source, ignore).await.unwrap();
    assert!(there.already_there > 1_000 && there.ledger.mismatches.is_empty(), "{there:?}");
    let copied = Store::connect(&schema.url()).await.unwrap();
    assert_eq!(copied.check_texts().await.unwrap().damages, Vec::<String>::new());

    let source = CopySource::connect(&schema.url()).await.unwrap();
    cut_off(CopyTarget::open(&back).unwrap(), &source, 7).await;
    let target = CopyTarget::open(&back).unwrap();
    let returned = target.copy_from(&source, ignore).await.unwrap();
    assert_eq!(returned.tables, there.tables);
    assert_eq!(rows(&back), rows(&from));
    let exported = |path: &Path| {
        let mut out = Vec::new();
        Store::export_at(path, None, &mut out, &mut |_, _| {}).unwrap();
        out
    };
    assert!(exported(&back) == exported(&from), "they differ");
    // A job that is made now gets a number that no other has.
    let numbers = "SELECT coalesce(max(job_id), 0) < nextval(pg_get_serial_sequence('jobs', 'job_id')) FROM jobs";
    assert_eq!(schema.ask(numbers).as_deref(), Some("t"));
}

/// What a copy leaves out is listed here, so that a new table is not forgotten.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_table_is_copied_but_those_about_the_database_itself() {
    let temp = TempStore::open().await;
    let folder = tempfile::tempdir().unwrap();
    let (empty, to) = (folder.path().join("empty.db"), folder.path().join("to.db"));
    drop(Store::open(&empty).unwrap());
    let report = copy(&empty, &to).await.unwrap();
    let copied: Vec<&str> = report.tables.iter().map(|(table, _)| *table).collect();
    let mut kept: Vec<String> = rows(&empty).into_keys().collect();
    if temp.store.is_shared() {
        let schema = temp.schema();
        let list = "SELECT string_agg(table_name, ',') FROM information_schema.tables
                    WHERE table_schema = current_schema() AND table_name <> 'reflect_schema'";
        kept.extend(schema.ask(list).unwrap().split(',').map(str::to_owned));
    }
    for table in kept {
        assert!(copied.contains(&table.as_str()), "{table} is in no list of `reflect-store/src/tables/all.rs`");
    }
}
