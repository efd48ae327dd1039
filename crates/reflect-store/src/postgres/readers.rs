//! Reading: each read is one transaction that sees the database at one moment and changes nothing.

use std::{cell::Cell, sync::Arc};

use super::{answer::Answered, connection::Connection, dialect::translated, pool::Pool, target::Target};
use crate::{
    error::{StoreError, StoreResult},
    sql::{Dialect, EachRow, Read, Value},
};

/// How many reads run side by side.
const CONNECTIONS: usize = 8;

/// How many rows of a large answer are held at once, at first and at most. As many more are asked for while they are small.
const FEW_ROWS: usize = 16;
const MANY_ROWS: usize = 1_024;

/// Up to this size, the rows that were held at once are small.
const SMALL_BYTES: usize = 256 * 1_024;

/// A few connections, taken in turn.
#[derive(Clone)]
pub(crate) struct Readers(Arc<Pool>);

impl Readers {
    pub(crate) fn new(target: &Target) -> Self {
        Self(Pool::new(target, CONNECTIONS))
    }

    /// Runs `query` on a thread that may block, over one consistent view of the database.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        query: impl FnOnce(&dyn Read) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        self.run(|connection| in_snapshot(connection, query)).await
    }

    /// The same for a `query` with a single question: its answer is a view of its own, and a transaction around it would take longer.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        query: impl FnOnce(&dyn Read) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        self.run(|connection| {
            connection.forget_known();
            query(&Snapshot { connection, walks: Cell::new(0) })
        })
        .await
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let permit = self.0.permit().await?;
        let pool = Arc::clone(&self.0);
        let work = move || {
            let _permit = permit;
            let connection = pool.take()?;
            let result = work(&connection);
            pool.give_back(connection);
            result
        };
        tokio::task::spawn_blocking(work).await.map_err(|_| StoreError::Closed)?
    }
}

/// Runs `query` over one consistent view. Its beginning and its end take no round trip of their own.
pub(super) fn in_snapshot<T>(
    connection: &Connection,
    query: impl FnOnce(&dyn Read) -> StoreResult<T>,
) -> StoreResult<T> {
    connection.forget_known();
    connection.send("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    let result = query(&Snapshot { connection, walks: Cell::new(0) });
    connection.send("COMMIT");
    connection.flush();
    result
}

struct Snapshot<'a> {
    connection: &'a Connection,
    /// How many walks have begun, to tell them apart.
    walks: Cell<usize>,
}

impl Read for Snapshot<'_> {
    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    fn each_row(&self, sql: &str, params: &[Value<'_>], each: EachRow<'_>) -> StoreResult<()> {
        each_row(self.connection, sql, params, each)
    }

    fn each_row_of_all(&self, sql: &str, lists: &[Vec<Value<'_>>], each: EachRow<'_>) -> StoreResult<()> {
        each_row_of_all(self.connection, sql, lists, each)
    }

    fn prefetch(&self, sql: &str, params: &[Value<'_>]) -> StoreResult<()> {
        Ok(self.connection.prefetch(sql, params)?)
    }

    fn walk(&self, sql: &str, params: &[Value<'_>], each: EachRow<'_>) -> StoreResult<()> {
        let number = self.walks.replace(self.walks.get() + 1);
        walk(self.connection, &format!("walk_{number}"), (sql, params), each)
    }
}

/// How many questions are asked at once: more than a page has rows. Whoever asks sees to it that the answers are small enough to be held.
pub(super) const AT_ONCE: usize = 1_024;

pub(super) fn each_row_of_all(
    connection: &Connection,
    sql: &str,
    lists: &[Vec<Value<'_>>],
    each: EachRow<'_>,
) -> StoreResult<()> {
    for lists in lists.chunks(AT_ONCE) {
        for row in connection.query_all(sql, lists)?.iter().flat_map(Answered::rows) {
            if each(row)?.is_break() {
                return Ok(());
            }
        }
    }
    Ok(())
}

pub(super) fn each_row(connection: &Connection, sql: &str, params: &[Value<'_>], each: EachRow<'_>) -> StoreResult<()> {
    for row in connection.query(sql, params)?.rows() {
        if each(row)?.is_break() {
            break;
        }
    }
    Ok(())
}

/// Reads a large answer a few rows at a time, with a cursor of this name.
fn walk(
    connection: &Connection,
    cursor: &str,
    (sql, params): (&str, &[Value<'_>]),
    each: EachRow<'_>,
) -> StoreResult<()> {
    let declare = format!("DECLARE {cursor} NO SCROLL CURSOR FOR {}", translated(sql));
    connection.query_prepared(&connection.prepare(&declare)?, params)?;
    let mut at_once = FEW_ROWS;
    loop {
        let fetch = connection.prepare(&format!("FETCH {at_once} FROM {cursor}"))?;
        let rows = connection.query_prepared(&fetch, &[])?.rows;
        for row in &rows {
            if each(row)?.is_break() {
                connection.send(&format!("CLOSE {cursor}"));
                return Ok(());
            }
        }
        if rows.len() < at_once {
            connection.send(&format!("CLOSE {cursor}"));
            return Ok(());
        }
        if rows.iter().map(tokio_postgres::Row::raw_size_bytes).sum::<usize>() < SMALL_BYTES {
            at_once = (at_once * 2).min(MANY_ROWS);
        }
    }
}
