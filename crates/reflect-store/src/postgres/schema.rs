//! The schema and how a database comes to have it.

use super::{connection::Connection, dialect::lock_number, target::Target};
use crate::error::{StoreError, StoreResult};

/// Only ever added to. They are numbered like SQLite's: what has the same number has the same tables. The first one has all that SQLite's
/// had until then.
const MIGRATIONS: &[(i64, &str)] = &[
    (19, include_str!("migrations/0019_first.sql")),
    (20, include_str!("migrations/0020_evidence.sql")),
    (21, include_str!("migrations/0021_mixture.sql")),
    (22, include_str!("migrations/0022_sitting_out.sql")),
    (23, include_str!("migrations/0023_tells.sql")),
    (24, include_str!("migrations/0024_runs_for_ever.sql")),
    (25, include_str!("migrations/0025_pinned.sql")),
    (26, include_str!("migrations/0026_reporters.sql")),
    (27, include_str!("migrations/0027_same_words.sql")),
];

/// Gives the database the newest schema. Any number of processes may do so at once.
pub(crate) fn migrate(target: &Target) -> StoreResult<()> {
    let connection = Connection::open(target)?;
    refuse_other_letters(&connection)?;
    let schema = current_schema(&connection)?;
    connection.send(&format!("BEGIN; SELECT pg_advisory_xact_lock({})", lock_number(&schema, "\0migrations")));
    let found = found(&connection)?;
    let known = MIGRATIONS.last().map_or(0, |(number, _)| *number);
    if found > known {
        return Err(StoreError::NewerSchema { found, known });
    }
    for (_, migration) in MIGRATIONS.iter().filter(|(number, _)| *number > found) {
        connection.send(migration);
    }
    connection.send(&format!("UPDATE reflect_schema SET version = {known} WHERE version < {known}"));
    connection.settle()?;
    connection.send("SELECT 1; COMMIT");
    connection.settle()?;
    if found < known {
        tracing::info!(from = found, to = known, "migrated the database");
    }
    Ok(())
}

/// Refuses a database without the newest schema, and changes nothing.
pub(crate) fn refuse_other_schema(target: &Target) -> StoreResult<()> {
    let known = MIGRATIONS.last().map_or(0, |(number, _)| *number);
    match found(&Connection::open(target)?)? {
        0 => Err(StoreError::BadUrl("there are no tables of Reflect".into())),
        found if found > known => Err(StoreError::NewerSchema { found, known }),
        found if found < known => Err(StoreError::OlderSchema(found)),
        _ => Ok(()),
    }
}

/// The schema that holds the tables.
pub(super) fn current_schema(connection: &Connection) -> StoreResult<String> {
    let named = text(connection, "SELECT current_schema()::text AS answer")?;
    named.ok_or_else(|| StoreError::BadUrl("its search path names no schema that is there".into()))
}

/// The number of the schema that is there; 0 if there is none.
fn found(connection: &Connection) -> StoreResult<i64> {
    let table = text(connection, "SELECT to_regclass(current_schema() || '.reflect_schema')::text AS answer")?;
    if table.is_none() {
        return Ok(0);
    }
    let version = text(connection, "SELECT max(version)::text AS answer FROM reflect_schema")?;
    version.unwrap_or_default().parse().map_err(|error| StoreError::damaged("version", error))
}

/// Texts are kept letter by letter, so the database must know them all.
fn refuse_other_letters(connection: &Connection) -> StoreResult<()> {
    match text(connection, "SHOW server_encoding")?.as_deref() {
        Some("UTF8") => Ok(()),
        found => {
            let found = found.unwrap_or("unknown");
            Err(StoreError::BadUrl(format!("the database's encoding is `{found}`, and has to be `UTF8`")))
        }
    }
}

/// The one text that a question is answered with.
fn text(connection: &Connection, sql: &str) -> StoreResult<Option<String>> {
    let answer = connection.query(sql, &[])?;
    Ok(answer.rows().first().map(|row| row.try_get::<_, Option<String>>(0)).transpose()?.flatten())
}
