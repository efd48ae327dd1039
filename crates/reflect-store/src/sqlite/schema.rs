//! The schema and how a database comes to have it.

use std::{
    path::Path,
    time::{Duration, UNIX_EPOCH},
};

use reflect_core::Timestamp;
use rusqlite::{Connection, backup::Backup, config::DbConfig};

use super::permissions;
use crate::error::{StoreError, StoreResult};

/// Only ever added to. The position in the list is the schema's number, from 1.
const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_first.sql"),
    include_str!("migrations/0002_reflection.sql"),
    include_str!("migrations/0003_embedder_switch.sql"),
    include_str!("migrations/0004_ranges.sql"),
    include_str!("migrations/0005_shown_words.sql"),
    include_str!("migrations/0006_skill_writer.sql"),
    include_str!("migrations/0007_judge_ranges.sql"),
    include_str!("migrations/0008_circumstances.sql"),
    include_str!("migrations/0009_checksums.sql"),
    include_str!("migrations/0010_one_writer.sql"),
    include_str!("migrations/0011_retrieval_log.sql"),
    include_str!("migrations/0012_deleted_projects.sql"),
    include_str!("migrations/0013_key_expiry.sql"),
    include_str!("migrations/0014_sessions.sql"),
    include_str!("migrations/0015_figures.sql"),
    include_str!("migrations/0016_shown_traces.sql"),
    include_str!("migrations/0017_lesson_vectors.sql"),
    include_str!("migrations/0018_graded_reviews.sql"),
    include_str!("migrations/0019_holdout.sql"),
    include_str!("migrations/0020_evidence.sql"),
    include_str!("migrations/0021_mixture.sql"),
    include_str!("migrations/0022_sitting_out.sql"),
    include_str!("migrations/0023_tells.sql"),
    include_str!("migrations/0024_runs_for_ever.sql"),
    include_str!("migrations/0025_pinned.sql"),
    include_str!("migrations/0026_reporters.sql"),
    include_str!("migrations/0027_same_words.sql"),
];

/// How long a connection waits for another that holds a lock.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// What the write-ahead log is cut back to.
pub(super) const LOG_BYTES: u64 = 64 << 20;

/// Up to this size, a database of an older release is written anew when it is migrated, so that it can give pages back. That takes
/// some seconds, and as much room again for a moment.
const REWRITTEN_BYTES: u64 = 1 << 30;

/// What every connection needs, whether it reads or writes.
pub(super) fn configure_connection(connection: &Connection) -> StoreResult<()> {
    connection.set_prepared_statement_cache_capacity(128);
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // A plan must not depend on bound values: SQLite would otherwise plan cached statements again at every new binding,
    // which was a quarter of the time spent on a full queue.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// Opens the database for writing, making or migrating it as needed.
pub(super) fn open_for_writing(path: &Path) -> StoreResult<Connection> {
    permissions::make_file(path).map_err(StoreError::file(format!("opening `{}`", path.display())))?;
    let mut connection = Connection::open(path)?;
    configure_connection(&connection)?;
    connection.pragma_update(None, "cache_size", -8_000)?;
    // It takes effect while there is no table yet; later it would only be written once more at every start, which a full disk refuses.
    if connection.pragma_query_value(None, "page_count", |row| row.get::<_, i64>(0))? == 0 {
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    }
    // FULL: a commit returns when the log is flushed, so what was acknowledged survives a power cut.
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", "OFF")?;
    // What is deleted is overwritten, rather than left in the file until the room is needed.
    connection.pragma_update(None, "secure_delete", "ON")?;
    // 16 MiB of log before it is copied into the database: a page that changes often is then copied once, not four times.
    connection.pragma_update(None, "wal_autocheckpoint", 4_000)?;
    connection.pragma_update(None, "journal_size_limit", LOG_BYTES)?;
    if migrate(&mut connection, path, MIGRATIONS)? == Migrated::FromOlder {
        let_give_pages_back(&connection, path)?;
    }
    Ok(connection)
}

/// Writes a database anew that was made before pages were given back. A large one stays as it is: its free pages are used again,
/// and the operator can have it written anew while the server is stopped.
fn let_give_pages_back(connection: &Connection, path: &Path) -> StoreResult<()> {
    let kept: i64 = connection.pragma_query_value(None, "auto_vacuum", |row| row.get(0))?;
    let bytes = std::fs::metadata(path).map_or(0, |file| file.len());
    if kept != 0 {
        return Ok(());
    }
    if bytes > REWRITTEN_BYTES {
        tracing::warn!(
            bytes,
            "this database keeps its size whatever is deleted; docs/operations.md says how to change that"
        );
        return Ok(());
    }
    connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    if let Err(error) = connection.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)") {
        tracing::warn!(%error, "the database could not be written anew; it keeps its size whatever is deleted");
    }
    Ok(())
}

/// Refuses a database whose tables a later release may have changed, for those who only read it.
pub(super) fn refuse_newer(connection: &Connection) -> StoreResult<()> {
    found_schema(connection, MIGRATIONS).map(|_| ())
}

/// The schema of a database, if it is not the newest. A newer one is refused.
pub(super) fn older(connection: &Connection) -> StoreResult<Option<i64>> {
    let (found, known) = found_schema(connection, MIGRATIONS)?;
    Ok((found < known).then_some(found))
}

fn found_schema(connection: &Connection, migrations: &[&str]) -> StoreResult<(i64, i64)> {
    let found: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let known = i64::try_from(migrations.len()).unwrap_or(i64::MAX);
    if found > known {
        return Err(StoreError::NewerSchema { found, known });
    }
    Ok((found, known))
}

/// What a database was before it had the newest schema.
#[derive(Debug, PartialEq, Eq)]
enum Migrated {
    FromNothing,
    FromOlder,
    NotAtAll,
}

fn migrate(connection: &mut Connection, path: &Path, migrations: &[&str]) -> StoreResult<Migrated> {
    let (found, known) = found_schema(connection, migrations)?;
    if found == known {
        return Ok(Migrated::NotAtAll);
    }
    if found > 0 {
        set_copy_aside(connection, path, found)?;
    }
    let transaction = connection.transaction()?;
    for migration in migrations.iter().skip(usize::try_from(found).unwrap_or(0)) {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "user_version", known)?;
    transaction.commit()?;
    tracing::info!(from = found, to = known, "migrated the database");
    Ok(if found > 0 { Migrated::FromOlder } else { Migrated::FromNothing })
}

/// Copies the database as it is to `….schema-N` beside it, before a migration touches it.
fn set_copy_aside(connection: &Connection, path: &Path, schema: i64) -> StoreResult<()> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".schema-{schema}"));
    let copy_path = path.with_file_name(name);
    permissions::make_file(&copy_path).map_err(StoreError::file(format!("opening `{}`", copy_path.display())))?;
    let mut copy = Connection::open(copy_path)?;
    Backup::new(connection, &mut copy)?.run_to_completion(1_000, Duration::ZERO, None)?;
    Ok(())
}

/// Removes the copies that earlier migrations set aside and that were made before this time. Answers how many.
pub(crate) fn remove_copies(path: &Path, before: Timestamp) -> std::io::Result<usize> {
    let prefix = format!("{}.schema-", path.file_name().unwrap_or_default().display());
    let mut removed = 0;
    for entry in std::fs::read_dir(path.parent().unwrap_or(Path::new(".")))? {
        let entry = entry?;
        if !entry.file_name().to_string_lossy().starts_with(&prefix) {
            continue;
        }
        let age = entry.metadata()?.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
        if i64::try_from(age.as_micros()).unwrap_or(i64::MAX) < before.as_micros() {
            std::fs::remove_file(entry.path())?;
            removed += 1;
        }
    }
    Ok(removed)
}

/// How SQLite goes about a statement on a new database, a line a step.
#[cfg(test)]
pub(crate) fn plan_of(sql: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let connection = open_for_writing(&folder.path().join("reflect.db")).unwrap();
    super::text_functions::register(&connection).unwrap();
    let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    let steps = statement.raw_query().mapped(|row| row.get::<_, String>("detail"));
    steps.collect::<Result<Vec<_>, _>>().unwrap().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_schema_is_migrated_after_a_copy_was_set_aside() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("reflect.db");
        let mut connection = Connection::open(&path).unwrap();
        migrate(&mut connection, &path, &["CREATE TABLE a (x); INSERT INTO a VALUES (7);"]).unwrap();
        assert!(!folder.path().join("reflect.db.schema-0").exists(), "a new database needs no copy");

        migrate(&mut connection, &path, &["never run again", "ALTER TABLE a ADD COLUMN y;"]).unwrap();
        connection.execute("UPDATE a SET y = 8", []).unwrap();
        let copy_path = folder.path().join("reflect.db.schema-1");
        let copy = Connection::open(&copy_path).unwrap();
        assert_eq!(copy.query_row("SELECT x FROM a", [], |row| row.get::<_, i64>(0)).unwrap(), 7);

        let yesterday = Timestamp::from_micros(0);
        assert_eq!(remove_copies(&path, yesterday).unwrap(), 0);
        assert_eq!(remove_copies(&path, Timestamp::from_micros(i64::MAX)).unwrap(), 1);
        assert!(path.exists() && !copy_path.exists());
    }

    #[test]
    fn lessons_queued_before_there_were_kinds_are_lessons() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("reflect.db");
        let mut connection = Connection::open(&path).unwrap();
        migrate(&mut connection, &path, &MIGRATIONS[..1]).unwrap();
        let queued =
            "INSERT INTO jobs (project_id, trace_id, review_id, priority, run_at) VALUES ('p', x'01', x'02', 1, 3)";
        connection.execute(queued, []).unwrap();
        migrate(&mut connection, &path, MIGRATIONS).unwrap();
        let kind: String = connection.query_row("SELECT kind FROM jobs", [], |row| row.get(0)).unwrap();
        assert_eq!(kind, "lesson");
    }

    #[test]
    fn questions_that_were_asked_before_are_found_by_their_range() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("reflect.db");
        let mut connection = Connection::open(&path).unwrap();
        migrate(&mut connection, &path, &MIGRATIONS[..6]).unwrap();
        let old = "
            INSERT INTO traces (project_id, trace_id, task, final_response, retrieved_memory_ids, review_status, metadata,
                                warnings, created_at)
            SELECT 'p', value, '', '', '[]', 'pending', '{}', '[]', 1 FROM json_each('[1, 2, 3]');
            INSERT INTO judgements (project_id, trace_id, attempts, ask_at) VALUES ('p', 1, 1, 70), ('p', 2, 1, 80);
            INSERT INTO reviews (project_id, trace_id, review_id, result, mode, source, alpha, created_at)
            VALUES ('p', 2, 9, 'pass', 'deferred', 'api', 0.3, 5);";
        connection.execute_batch(old).unwrap();
        migrate(&mut connection, &path, MIGRATIONS).unwrap();
        let all = |sql: &str| {
            let mut statement = connection.prepare(sql).unwrap();
            let rows = statement.query_map([], |row| row.get::<_, i64>(0)).unwrap();
            rows.collect::<Result<Vec<_>, _>>().unwrap()
        };
        assert_eq!(all("SELECT judge_asked FROM traces ORDER BY trace_id"), [1, 1, 0]);
        assert_eq!(all("SELECT ask_at FROM judgements ORDER BY trace_id"), [70, 80]);
        assert_eq!(all("SELECT reviewed FROM judgements ORDER BY trace_id"), [0, 1]);
    }

    #[test]
    fn a_failed_migration_leaves_the_database_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("reflect.db");
        let mut connection = Connection::open(&path).unwrap();
        migrate(&mut connection, &path, &["CREATE TABLE a (x);"]).unwrap();
        migrate(&mut connection, &path, &["", "CREATE TABLE b (x); nonsense;"]).unwrap_err();
        let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).unwrap();
        assert_eq!(tables, 1);
    }

    #[test]
    fn a_newer_schema_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("reflect.db");
        Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
        let error = open_for_writing(&path).unwrap_err();
        assert!(error.to_string().contains("schema 99"), "{error}");
    }
}
