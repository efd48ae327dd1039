//! A transaction that writes.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
};

use reflect_core::ProjectId;

use super::{
    connection::Connection,
    dialect::{NEWEST_CHANGE, lock_number},
    readers::{each_row, each_row_of_all},
};
use crate::{
    error::{StoreError, StoreResult},
    sql::{Dialect, EachRow, Lane, Query, Read, SavepointEnd, Session, Transaction, Value, params},
};

/// A process that is stopped in the middle of a transaction must not keep others out for long, and nobody waits for others for ever.
const LIMITS: &str = "SET LOCAL idle_in_transaction_session_timeout = '30s'; SET LOCAL lock_timeout = '15s'";

/// A transaction that writes, from its beginning to its end.
pub(super) struct Write<'a> {
    connection: &'a Connection,
    schema: &'a str,
    is_open: Cell<bool>,
    /// The last change to each project that is being changed.
    changes: RefCell<BTreeMap<ProjectId, i64>>,
}

impl<'a> Write<'a> {
    /// Begins a transaction that has the lane for itself. That is only sent: a failure comes to light with the first answer.
    pub(super) fn begin(connection: &'a Connection, schema: &'a str, lane: &Lane) -> Self {
        let lock = match lane {
            Lane::Project(project_id) => Some(lock_number(schema, project_id.as_str())),
            // No project has this name.
            Lane::Server => Some(lock_number(schema, "")),
            Lane::Queue | Lane::Import => None,
        };
        let lock = lock.map(|number| format!("; SELECT pg_advisory_xact_lock({number})")).unwrap_or_default();
        // Each statement sees what was committed before it: what was committed before the lock was had, too.
        connection.send(&format!("BEGIN ISOLATION LEVEL READ COMMITTED; {LIMITS}{lock}"));
        Self { connection, schema, is_open: Cell::new(true), changes: RefCell::default() }
    }

    /// With a connection that has broken, the transaction is over. A server that only lets read may have handed over to another, to which the
    /// next connection leads.
    fn noted<T>(&self, result: StoreResult<T>) -> StoreResult<T> {
        if matches!(result, Err(StoreError::NotWritable(_))) {
            self.connection.close();
        }
        if !self.connection.is_open() {
            self.is_open.set(false);
        }
        result
    }
}

impl Read for Write<'_> {
    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    fn each_row(&self, sql: &str, params: &[Value<'_>], each: EachRow<'_>) -> StoreResult<()> {
        self.noted(each_row(self.connection, sql, params, each))
    }

    fn prefetch(&self, sql: &str, params: &[Value<'_>]) -> StoreResult<()> {
        self.noted(self.connection.prefetch(sql, params))
    }

    fn each_row_of_all(&self, sql: &str, lists: &[Vec<Value<'_>>], each: EachRow<'_>) -> StoreResult<()> {
        self.noted(each_row_of_all(self.connection, sql, lists, each))
    }
}

impl Transaction for Write<'_> {
    fn execute(&self, sql: &str, params: &[Value<'_>]) -> StoreResult<usize> {
        self.noted(self.connection.query(sql, params).map(|answer| answer.changed))
    }

    fn submit(&self, sql: &str, params: &[Value<'_>]) -> StoreResult<()> {
        self.noted(self.connection.send_with(sql, params))
    }

    fn settle(&self) -> StoreResult<()> {
        self.noted(self.connection.settle())
    }

    fn lock_project(&self, project_id: &ProjectId) -> StoreResult<()> {
        let number = lock_number(self.schema, project_id.as_str());
        self.connection.send(&format!("SELECT pg_advisory_xact_lock({number})"));
        self.settle()
    }

    /// Whoever changes a project has its lock until the commit, so the newest change that is stored is the last one.
    fn next_change(&self, project_id: &ProjectId) -> StoreResult<i64> {
        let known = self.changes.borrow().get(project_id).copied();
        let last = match known {
            Some(last) => last,
            None => self.query_one(NEWEST_CHANGE, params![project_id], |row| row.get("newest"))?,
        };
        self.changes.borrow_mut().insert(project_id.clone(), last + 1);
        Ok(last + 1)
    }

    fn begin_savepoint(&self) -> StoreResult<()> {
        if !self.is_open() {
            return Err(StoreError::NotWritable("the transaction was rolled back".into()));
        }
        self.connection.forget_prefetched();
        self.connection.send("SAVEPOINT operation");
        Ok(())
    }

    fn end_savepoint(&self, end: SavepointEnd) -> StoreResult<()> {
        self.connection.forget_prefetched();
        if end == SavepointEnd::Keep {
            self.connection.send("RELEASE operation");
            return Ok(());
        }
        // What was still to be answered has failed, or is undone with the rest.
        let _ = self.connection.settle();
        self.connection.send("ROLLBACK TO operation; RELEASE operation");
        self.settle()
    }

    fn is_open(&self) -> bool {
        self.is_open.get()
    }

    fn roll_back(&self) {
        let _ = self.connection.settle();
        self.connection.send("ROLLBACK");
        // It can only fail if the transaction is already over.
        let _ = self.connection.settle();
        self.is_open.set(false);
    }
}

impl Session for Write<'_> {
    /// A transaction that has failed is rolled back by a commit without a word, so it is asked something first.
    fn commit(&self) -> StoreResult<()> {
        self.connection.send("SELECT 1; COMMIT");
        self.settle()?;
        self.is_open.set(false);
        Ok(())
    }
}
