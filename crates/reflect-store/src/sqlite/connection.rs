//! Statements on a connection: prepared once, kept, and read row by row.

use std::{borrow::Cow, cell::RefCell};

use reflect_core::ProjectId;
use rusqlite::{
    Connection, ToSql, params_from_iter,
    types::{ToSqlOutput, ValueRef},
};

use super::changes::Changes;
use crate::{
    error::{StoreError, StoreResult},
    sql::{Dialect, EachRow, Read, Row, SavepointEnd, Session, Transaction, Value},
};

impl Read for Connection {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    fn each_row(&self, sql: &str, params: &[Value<'_>], each: EachRow<'_>) -> StoreResult<()> {
        let mut statement = self.prepare_cached(sql)?;
        let mut rows = statement.query(params_from_iter(params))?;
        while let Some(row) = rows.next()? {
            if each(row)?.is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// The connection that writes, inside a transaction that the writer thread opens and commits.
pub(super) struct Write {
    pub(super) connection: Connection,
    changes: Changes,
    /// Names this process in the table `writer`, once it has been written there.
    instance: RefCell<Option<Vec<u8>>>,
}

impl Write {
    /// Takes the database over from whoever wrote to it before. On a full disk that waits for the first write that succeeds: reads
    /// need no room.
    pub(super) fn new(connection: Connection) -> StoreResult<Self> {
        let write = Self { changes: Changes::default(), instance: RefCell::default(), connection };
        match write.take_over() {
            Ok(()) => Ok(write),
            Err(error @ (StoreError::DiskFull | StoreError::NotWritable(_))) => {
                tracing::error!(%error, "the database can be read, and not written for now");
                Ok(write)
            }
            Err(error) => Err(error),
        }
    }

    /// Begins a transaction, unless another process has taken the database over.
    pub(super) fn begin(&self) -> StoreResult<()> {
        if self.instance.borrow().is_none() {
            self.take_over()?;
        }
        self.run("BEGIN IMMEDIATE")?;
        let is_ours = self.is_ours();
        if !matches!(is_ours, Ok(true)) {
            self.roll_back();
        }
        if is_ours? { Ok(()) } else { Err(StoreError::TakenOver) }
    }

    fn is_ours(&self) -> StoreResult<bool> {
        let mut statement = self.connection.prepare_cached("SELECT instance FROM writer")?;
        Ok(statement.query_row([], |row| Ok(Some(row.get_ref(0)?.as_blob()?) == self.instance.borrow().as_deref()))?)
    }

    /// Whoever wrote before writes no more once the name is ours, so the newest change is the last of theirs.
    fn take_over(&self) -> StoreResult<()> {
        let taken = self.put_name().and_then(|name| {
            self.commit()?;
            Ok(name)
        });
        if taken.is_err() && self.is_open() {
            self.roll_back();
        }
        let name = taken?;
        self.changes.go_on_after_newest(&self.connection)?;
        *self.instance.borrow_mut() = Some(name);
        Ok(())
    }

    fn put_name(&self) -> StoreResult<Vec<u8>> {
        self.connection.execute_batch("BEGIN IMMEDIATE; UPDATE writer SET instance = randomblob(16)")?;
        Ok(self.connection.query_row("SELECT instance FROM writer", [], |row| row.get(0))?)
    }

    fn run(&self, sql: &str) -> StoreResult<()> {
        self.connection.prepare_cached(sql)?.execute([])?;
        Ok(())
    }
}

impl Read for Write {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    fn each_row(&self, sql: &str, params: &[Value<'_>], each: EachRow<'_>) -> StoreResult<()> {
        self.connection.each_row(sql, params, each)
    }
}

impl Session for Write {
    fn commit(&self) -> StoreResult<()> {
        self.run("COMMIT")
    }
}

impl Transaction for Write {
    fn execute(&self, sql: &str, params: &[Value<'_>]) -> StoreResult<usize> {
        Ok(self.connection.prepare_cached(sql)?.execute(params_from_iter(params))?)
    }

    /// There is one writer.
    fn lock_project(&self, _project_id: &ProjectId) -> StoreResult<()> {
        Ok(())
    }

    fn keep_additions_out(&self, _project_id: &ProjectId) -> StoreResult<()> {
        Ok(())
    }

    fn next_change(&self, _project_id: &ProjectId) -> StoreResult<i64> {
        Ok(self.changes.next())
    }

    fn begin_savepoint(&self) -> StoreResult<()> {
        if !self.is_open() {
            return Err(StoreError::NotWritable("the transaction was rolled back".into()));
        }
        self.run("SAVEPOINT operation")
    }

    fn end_savepoint(&self, end: SavepointEnd) -> StoreResult<()> {
        if end == SavepointEnd::Undo {
            self.run("ROLLBACK TO operation")?;
        }
        self.run("RELEASE operation")
    }

    fn is_open(&self) -> bool {
        !self.connection.is_autocommit()
    }

    fn roll_back(&self) {
        // It can only fail if the transaction is already over.
        let _ = self.connection.execute_batch("ROLLBACK");
    }
}

impl Row for rusqlite::Row<'_> {
    fn value(&self, column: &str) -> StoreResult<Value<'_>> {
        Ok(match self.get_ref(column)? {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(integer) => Value::Integer(integer),
            ValueRef::Real(real) => Value::Real(real),
            ValueRef::Text(text) => match std::str::from_utf8(text) {
                Ok(text) => Value::Text(Cow::Borrowed(text)),
                Err(error) => return Err(StoreError::damaged("text", error)),
            },
            ValueRef::Blob(blob) => Value::Blob(Cow::Borrowed(blob)),
        })
    }
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Bool(truth) => ValueRef::Integer((*truth).into()),
            Self::Integer(integer) => ValueRef::Integer(*integer),
            Self::Real(real) => ValueRef::Real(*real),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Blob(blob) => ValueRef::Blob(blob),
            Self::Uuid(uuid) => ValueRef::Blob(uuid.as_bytes()),
        }))
    }
}
