//! The schema and how a database comes to have it.

use super::{connection::Connection, dialect::lock_number, target::Target};
use crate::{
    error::{StoreError, StoreResult},
    schemas::{self, Schemas},
};

/// Only ever added to, by files in `migrations/`: one that was released never changes.
const SCHEMAS: Schemas<'_> = &[(28, include_str!("schema.sql"))];

/// Gives the database the newest schema. Any number of processes may do so at once.
pub(crate) fn migrate(target: &Target) -> StoreResult<()> {
    migrate_to(target, SCHEMAS)
}

fn migrate_to(target: &Target, schemas: Schemas<'_>) -> StoreResult<()> {
    let connection = Connection::open(target)?;
    refuse_other_letters(&connection)?;
    let schema = current_schema(&connection)?;
    connection.send(&format!("BEGIN; SELECT pg_advisory_xact_lock({})", lock_number(&schema, "\0migrations")));
    let found = found(&connection)?;
    let known = schemas::newest(schemas, found)?;
    for (_, migration) in schemas.iter().filter(|(number, _)| *number > found) {
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
    let found = found(&Connection::open(target)?)?;
    match schemas::newest(SCHEMAS, found)? {
        _ if found == 0 => Err(StoreError::BadUrl("there are no tables of Reflect".into())),
        known if found < known => Err(StoreError::OlderSchema(found)),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
    fn an_older_schema_is_migrated_and_a_failed_migration_changes_nothing() {
        let server = std::env::var("REFLECT_TEST_DATABASE_URL").unwrap();
        let name = format!("test_schemas_{}", std::process::id());
        let admin = Connection::open(&Target::parse(&server).unwrap()).unwrap();
        admin.send(&format!("CREATE SCHEMA {name}"));
        admin.settle().unwrap();
        let and = if server.contains('?') { '&' } else { '?' };
        let target = Target::parse(&format!("{server}{and}options=-csearch_path%3D{name}")).unwrap();
        let newest = SCHEMAS.last().unwrap().0;
        let version = || found(&Connection::open(&target).unwrap()).unwrap();
        migrate(&target).unwrap();
        assert_eq!(version(), newest);

        let with_next = |migration| SCHEMAS.iter().copied().chain([(newest + 1, migration)]).collect::<Vec<_>>();
        migrate_to(&target, &with_next("ALTER TABLE deleted_projects ADD COLUMN y text; nonsense")).unwrap_err();
        assert_eq!(version(), newest);
        let next = with_next("ALTER TABLE deleted_projects ADD COLUMN y text");
        migrate_to(&target, &next).unwrap();
        migrate_to(&target, &next).unwrap();
        assert_eq!(version(), newest + 1);
        assert!(matches!(migrate(&target), Err(StoreError::NewerSchema { .. })));
        assert!(matches!(refuse_other_schema(&target), Err(StoreError::NewerSchema { .. })));
        admin.send(&format!("DROP SCHEMA {name} CASCADE"));
        admin.settle().unwrap();
    }
}
