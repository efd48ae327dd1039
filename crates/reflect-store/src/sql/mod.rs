//! What this crate needs of a database, as a small interface of its own.
//!
//! Store methods are written in SQL against [`Read`] and [`Transaction`]; a backend implements both, and [`Row`]. Parameters are
//! written `?1`, `?2`, …; a backend whose database counts in another way (`$1`) translates when it prepares, and it keeps prepared
//! statements. Statements keep to what SQLite and PostgreSQL both understand; one that cannot stands in the file `dialect.rs` of its backend.
//!
//! `/* skip locked */` at the end of a selection leaves out rows that another transaction is changing, where several can at once. Whoever
//! changes rows of projects outside of their [lanes](Lane) says so, and therefore never waits for a row. `/* lock */` there
//! waits for them and lets nobody else change what was found, `/* keep */` lets nobody delete it, before the transaction ends.

mod batch;
mod lane;
mod savepoint;
mod value;

use std::{ops::ControlFlow, str::FromStr};

use reflect_core::{ProjectId, RawJson, UnknownName};
use serde::{Serialize, de::DeserializeOwned};

pub(crate) use batch::{AskAhead, Operation, Session, Work, commit_batch, refuse_batch, work};
pub(crate) use lane::Lane;
pub(crate) use savepoint::in_savepoint;
pub(crate) use value::{FromValue, Value, vector_from_blob, vector_to_blob};

use crate::error::{StoreError, StoreResult};

/// The parameters of a statement, in their order.
macro_rules! params {
    ($($value:expr),* $(,)?) => { &[$($crate::sql::Value::from($value)),*] };
}

pub(crate) use params;

/// Takes a row and says whether there is need of another.
pub(crate) type EachRow<'a> = &'a mut dyn FnMut(&dyn Row) -> StoreResult<ControlFlow<()>>;

/// Whose SQL a connection understands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Sqlite,
    Postgres,
}

/// One consistent view of the database.
pub(crate) trait Read {
    fn dialect(&self) -> Dialect;

    /// Runs a query and hands over its rows, in their order. All of them may be held at once.
    fn each_row(&self, sql: &str, params: &[Value<'_>], each: EachRow<'_>) -> StoreResult<()>;

    /// Runs a query once for each list of parameters, and hands over the rows of all answers. A backend may ask for several at once.
    fn each_row_of_all(&self, sql: &str, lists: &[Vec<Value<'_>>], each: EachRow<'_>) -> StoreResult<()> {
        let mut flow = ControlFlow::Continue(());
        for params in lists {
            self.each_row(sql, params, &mut |row| {
                flow = each(row)?;
                Ok(flow)
            })?;
            if flow.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Says that this will be asked soon, before anything is written that could change the answer: a backend may ask several such questions at
    /// once. In SQLite asking costs no time of its own.
    fn prefetch(&self, _sql: &str, _params: &[Value<'_>]) -> StoreResult<()> {
        Ok(())
    }

    /// [`each_row`](Self::each_row) for an answer as large as a table, or of which only the beginning may be wanted: a few rows are held at once.
    fn walk(&self, sql: &str, params: &[Value<'_>], each: EachRow<'_>) -> StoreResult<()> {
        self.each_row(sql, params, each)
    }
}

/// A transaction that other writers do not see before it is committed. Whoever opened it commits it.
pub(crate) trait Transaction: Read {
    /// Runs a statement; answers how many rows it changed.
    fn execute(&self, sql: &str, params: &[Value<'_>]) -> StoreResult<usize>;

    /// Runs a statement whose answer is not needed. A failure may come to light only at a later statement, at the latest in
    /// [`settle`](Self::settle): so a backend can send several at once.
    fn submit(&self, sql: &str, params: &[Value<'_>]) -> StoreResult<()> {
        self.execute(sql, params).map(|_| ())
    }

    /// [Submits](Self::submit) an `INSERT INTO table (columns) VALUES (?1, …)` for each list of parameters. A backend may send many rows as one
    /// statement.
    fn insert_all(&self, insert: &str, rows: &[Vec<Value<'_>>]) -> StoreResult<()> {
        rows.iter().try_for_each(|params| self.submit(insert, params))
    }

    /// Waits for everything that was submitted.
    fn settle(&self) -> StoreResult<()> {
        Ok(())
    }

    /// Waits until no other transaction changes this project, and keeps others out until this one ends. In a project's [lane](Lane)
    /// that has been done.
    fn lock_project(&self, project_id: &ProjectId) -> StoreResult<()>;

    /// Lets nobody [add](Lane::Additions) to this project until the transaction ends. Those who come after it wait for their turn: otherwise it would
    /// wait for as long as somebody always adds.
    fn keep_additions_out(&self, project_id: &ProjectId) -> StoreResult<()>;

    /// The number of the next change to a memory of this project. A backend guarantees: whoever sees a number also sees all changes
    /// to the project with lower ones.
    fn next_change(&self, project_id: &ProjectId) -> StoreResult<i64>;

    /// Begins a part that can be undone by itself; refused if the transaction is over.
    fn begin_savepoint(&self) -> StoreResult<()>;

    /// Ends that part: its changes stay or go.
    fn end_savepoint(&self, end: SavepointEnd) -> StoreResult<()>;

    /// Whether it can still be committed. Some failures, such as a full disk, end a whole transaction.
    fn is_open(&self) -> bool;

    /// Undoes all of it.
    fn roll_back(&self);
}

/// What becomes of the changes since a savepoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SavepointEnd {
    Keep,
    Undo,
}

/// How far some work has come that is done a moment at a time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// How many rows were changed.
    pub changed: usize,
    /// The most that one step changed. The clock is looked at between steps only, so this is what bounds how long others wait.
    pub largest_step: usize,
    /// Whether nothing is left to do.
    pub done: bool,
}

/// One row of an answer.
pub(crate) trait Row {
    /// What stands in that column.
    fn value(&self, column: &str) -> StoreResult<Value<'_>>;
}

impl dyn Row + '_ {
    /// What stands in that column, as what it means.
    pub(crate) fn get<T: FromValue>(&self, column: &'static str) -> StoreResult<T> {
        T::from_value(self.value(column)?).ok_or_else(|| StoreError::damaged(column, "it has another type"))
    }

    /// A text enum by its one name.
    pub(crate) fn named<T: FromStr<Err = UnknownName>>(&self, column: &'static str) -> StoreResult<T> {
        self.text(column, |text| text.parse().map_err(|error| StoreError::damaged(column, error)))
    }

    /// The same, where there may be none.
    pub(crate) fn maybe_named<T: FromStr<Err = UnknownName>>(&self, column: &'static str) -> StoreResult<Option<T>> {
        if matches!(self.value(column)?, Value::Null) { Ok(None) } else { self.named(column).map(Some) }
    }

    /// A value that is kept as JSON.
    pub(crate) fn json<T: DeserializeOwned>(&self, column: &'static str) -> StoreResult<T> {
        self.text(column, |text| serde_json::from_str(text).map_err(|error| StoreError::damaged(column, error)))
    }

    /// The same, where there may be none.
    pub(crate) fn maybe_json<T: DeserializeOwned>(&self, column: &'static str) -> StoreResult<Option<T>> {
        if matches!(self.value(column)?, Value::Null) { Ok(None) } else { self.json(column).map(Some) }
    }

    /// JSON that is kept byte for byte.
    pub(crate) fn raw_json(&self, column: &'static str) -> StoreResult<RawJson> {
        RawJson::parse(self.get(column)?).map_err(|error| StoreError::damaged(column, error))
    }

    /// A vector; none where the column is empty.
    pub(crate) fn maybe_vector(&self, column: &'static str) -> StoreResult<Option<Vec<f32>>> {
        match self.value(column)? {
            Value::Null => Ok(None),
            Value::Blob(blob) => Ok(Some(vector_from_blob(&blob))),
            _ => Err(StoreError::damaged(column, "it has another type")),
        }
    }

    fn text<T>(&self, column: &'static str, read: impl FnOnce(&str) -> StoreResult<T>) -> StoreResult<T> {
        match self.value(column)? {
            Value::Text(text) => read(&text),
            _ => Err(StoreError::damaged(column, "it is not a text")),
        }
    }
}

/// The usual ways to ask.
pub(crate) trait Query: Read {
    /// The first row for which `read` answers something.
    fn find_row<T>(
        &self,
        sql: &str,
        params: &[Value<'_>],
        mut read: impl FnMut(&dyn Row) -> StoreResult<Option<T>>,
    ) -> StoreResult<Option<T>> {
        let mut found = None;
        self.each_row(sql, params, &mut |row| {
            found = read(row)?;
            Ok(if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        Ok(found)
    }

    /// The first row, if there is one.
    fn query_opt<T>(
        &self,
        sql: &str,
        params: &[Value<'_>],
        mut read: impl FnMut(&dyn Row) -> StoreResult<T>,
    ) -> StoreResult<Option<T>> {
        self.find_row(sql, params, |row| read(row).map(Some))
    }

    /// The first row of a query that always has one.
    fn query_one<T>(
        &self,
        sql: &str,
        params: &[Value<'_>],
        read: impl FnMut(&dyn Row) -> StoreResult<T>,
    ) -> StoreResult<T> {
        self.query_opt(sql, params, read)?.ok_or_else(|| StoreError::damaged("answer", "the query has no row"))
    }

    /// All rows.
    fn query_all<T>(
        &self,
        sql: &str,
        params: &[Value<'_>],
        mut read: impl FnMut(&dyn Row) -> StoreResult<T>,
    ) -> StoreResult<Vec<T>> {
        let mut all = Vec::new();
        self.each_row(sql, params, &mut |row| {
            all.push(read(row)?);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(all)
    }

    /// All rows of a query that is run once for each list of parameters.
    fn query_all_of<T>(
        &self,
        sql: &str,
        lists: &[Vec<Value<'_>>],
        mut read: impl FnMut(&dyn Row) -> StoreResult<T>,
    ) -> StoreResult<Vec<T>> {
        let mut all = Vec::with_capacity(lists.len());
        self.each_row_of_all(sql, lists, &mut |row| {
            all.push(read(row)?);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(all)
    }

    /// Whether there is any row.
    fn exists(&self, sql: &str, params: &[Value<'_>]) -> StoreResult<bool> {
        Ok(self.query_opt(sql, params, |_| Ok(()))?.is_some())
    }
}

impl<R: Read + ?Sized> Query for R {}

/// A value as it is kept in a column of JSON.
pub(crate) fn to_json<T: Serialize + ?Sized>(what: &'static str, value: &T) -> StoreResult<String> {
    serde_json::to_string(value).map_err(|error| StoreError::damaged(what, error))
}
