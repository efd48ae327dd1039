//! The schema and how a database comes to have it.

use std::{
    path::Path,
    time::{Duration, UNIX_EPOCH},
};

use reflect_core::Timestamp;
use rusqlite::{Connection, backup::Backup, config::DbConfig};

use super::permissions;
use crate::{
    error::{StoreError, StoreResult},
    schemas::{self, Schemas},
};

/// Only ever added to, by files in `migrations/`: one that was released never changes.
const SCHEMAS: Schemas<'_> = &[(28, include_str!("schema.sql"))];

/// How long a connection waits for another that holds a lock.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// What the write-ahead log is cut back to.
pub(super) const LOG_BYTES: u64 = 64 << 20;

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
    migrate(&mut connection, path, SCHEMAS)?;
    Ok(connection)
}

/// Refuses a database whose tables are others than this release reads, for those who only read it.
pub(super) fn refuse_unknown(connection: &Connection) -> StoreResult<()> {
    found_schema(connection, SCHEMAS).map(|_| ())
}

/// The schema of a database, if it is not the newest. One that this release does not know is refused.
pub(super) fn older(connection: &Connection) -> StoreResult<Option<i64>> {
    let (found, known) = found_schema(connection, SCHEMAS)?;
    Ok((found < known).then_some(found))
}

/// The schema of a database, and the newest one.
fn found_schema(connection: &Connection, schemas: Schemas<'_>) -> StoreResult<(i64, i64)> {
    let found = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    Ok((found, schemas::newest(schemas, found)?))
}

fn migrate(connection: &mut Connection, path: &Path, schemas: Schemas<'_>) -> StoreResult<()> {
    let (found, known) = found_schema(connection, schemas)?;
    if found == known {
        return Ok(());
    }
    if found > 0 {
        set_copy_aside(connection, path, found)?;
    }
    let transaction = connection.transaction()?;
    for (_, migration) in schemas.iter().filter(|(number, _)| *number > found) {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "user_version", known)?;
    transaction.commit()?;
    tracing::info!(from = found, to = known, "migrated the database");
    Ok(())
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

    /// What this release knows, and a schema after it.
    fn with_next(migration: &str) -> Vec<(i64, &str)> {
        let newest = SCHEMAS.last().unwrap().0;
        SCHEMAS.iter().copied().chain([(newest + 1, migration)]).collect()
    }

    fn version(connection: &Connection) -> i64 {
        connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
    }

    #[test]
    fn an_older_schema_is_migrated_after_a_copy_was_set_aside() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("reflect.db");
        let mut connection = open_for_writing(&path).unwrap();
        let newest = version(&connection);
        assert_eq!(
            std::fs::read_dir(folder.path()).unwrap().count(),
            3,
            "the file and its log: a new database needs no copy"
        );

        connection.execute("INSERT INTO deleted_projects VALUES ('a')", []).unwrap();
        let next = with_next("ALTER TABLE deleted_projects ADD COLUMN y; UPDATE deleted_projects SET y = 8");
        migrate(&mut connection, &path, &next).unwrap();
        migrate(&mut connection, &path, &next).unwrap();
        let found: (String, i64) =
            connection.query_row("SELECT * FROM deleted_projects", [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        assert_eq!((found, version(&connection)), (("a".to_owned(), 8), newest + 1));
        let copy_path = folder.path().join(format!("reflect.db.schema-{newest}"));
        let copy = Connection::open(&copy_path).unwrap();
        let kept: String = copy.query_row("SELECT * FROM deleted_projects", [], |row| row.get(0)).unwrap();
        assert_eq!((kept.as_str(), version(&copy)), ("a", newest));
        drop(copy);

        let yesterday = Timestamp::from_micros(0);
        assert_eq!(remove_copies(&path, yesterday).unwrap(), 0);
        assert_eq!(remove_copies(&path, Timestamp::from_micros(i64::MAX)).unwrap(), 1);
        assert!(path.exists() && !copy_path.exists());
        assert!(matches!(open_for_writing(&path), Err(StoreError::NewerSchema { .. })));
    }

    #[test]
    fn a_failed_migration_leaves_the_database_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("reflect.db");
        let mut connection = open_for_writing(&path).unwrap();
        let count = |connection: &Connection| -> i64 {
            connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).unwrap()
        };
        let before = (count(&connection), version(&connection));
        migrate(&mut connection, &path, &with_next("CREATE TABLE b (x); nonsense;")).unwrap_err();
        assert_eq!((count(&connection), version(&connection)), before);
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
