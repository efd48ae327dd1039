//! How far a copy of another database has come: a table that is there while the copy is not finished, and no longer.

use std::collections::BTreeMap;

use super::all::TABLES;
use crate::{
    error::{StoreError, StoreResult},
    postgres,
    sql::{Dialect, Query, Read, Transaction, params},
    sqlite,
};

/// Refuses a database that is a part of what it is to become.
pub(crate) fn refuse(read: &dyn Read) -> StoreResult<()> {
    if exists(read)? { Err(StoreError::UnfinishedCopy) } else { Ok(()) }
}

/// Begins a copy, unless one was begun. Refuses a database that holds anything else. Answers how many rows of each table are copied.
pub(crate) fn begin(write: &dyn Transaction) -> StoreResult<BTreeMap<String, u64>> {
    if !exists(write)? {
        refuse_used(write)?;
        write.execute(
            "CREATE TABLE unfinished_copy (name TEXT NOT NULL PRIMARY KEY, copied BIGINT NOT NULL)",
            params![],
        )?;
        for table in TABLES {
            write.execute("INSERT INTO unfinished_copy (name, copied) VALUES (?1, 0)", params![table.name])?;
        }
    }
    let copied = write.query_all("SELECT name, copied FROM unfinished_copy", params![], |row| {
        Ok((row.get("name")?, row.get("copied")?))
    });
    Ok(copied?.into_iter().collect())
}

/// Counts rows that were copied.
pub(crate) fn count(write: &dyn Transaction, table: &str, rows: usize) -> StoreResult<()> {
    let sql = "UPDATE unfinished_copy SET copied = copied + ?2 WHERE name = ?1";
    write.execute(sql, params![table, rows]).map(|_| ())
}

/// Makes the copy a database like any other.
pub(crate) fn finish(write: &dyn Transaction) -> StoreResult<()> {
    if write.dialect() == Dialect::Postgres {
        write.execute(postgres::dialect::GO_ON_NUMBERING_JOBS, params![])?;
        // Plans are made by what is known of tables, and nobody has looked at these yet.
        let tables: Vec<&str> = TABLES.iter().map(|table| table.name).collect();
        write.execute(&format!("ANALYZE {}", tables.join(", ")), params![])?;
    }
    write.execute("DROP TABLE unfinished_copy", params![]).map(|_| ())
}

fn exists(read: &dyn Read) -> StoreResult<bool> {
    let sql = match read.dialect() {
        Dialect::Sqlite => sqlite::dialect::HAS_TABLE,
        Dialect::Postgres => postgres::dialect::HAS_TABLE,
    };
    read.exists(sql, params!["unfinished_copy"])
}

fn refuse_used(read: &dyn Read) -> StoreResult<()> {
    for table in TABLES {
        if read.exists(&format!("SELECT 1 FROM {} LIMIT 1", table.name), params![])? {
            return Err(StoreError::NotEmpty(table.name));
        }
    }
    Ok(())
}
