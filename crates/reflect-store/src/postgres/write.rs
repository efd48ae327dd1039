//! A transaction that writes.
//!
//! Nobody waits at the end of an operation: what it has sent is answered while those after it are on their way. Should something of it fail after
//! all, it is undone by itself, and what was sent for those after it is sent once more. They have seen nothing of it: whoever asks
//! something waits for all answers before.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    sync::Arc,
};

use reflect_core::ProjectId;
use tokio_postgres::Statement;

use super::{
    answer::Answered,
    connection::{Connection, Failed},
    dialect::{NEWEST_CHANGE, additions_number, lock_number},
    lists::{columns, insert_lists},
    merged::Merged,
    readers::AT_ONCE,
    values::{Param, owned},
};
use crate::{
    error::{StoreError, StoreResult},
    sql::{Dialect, EachRow, Lane, Query, Read, SavepointEnd, Session, Transaction, Value, params},
};

/// A process that is stopped in the middle of a transaction must not keep others out for long, and nobody waits for others for ever.
const LIMITS: &str = "SET LOCAL idle_in_transaction_session_timeout = '30s'; SET LOCAL lock_timeout = '15s'";

/// How many statements may be without an answer.
const MOST_UNANSWERED: usize = 1_000;

/// A transaction that writes, from its beginning to its end.
pub(super) struct Write<'a> {
    connection: &'a Connection,
    schema: &'a str,
    is_open: Cell<bool>,
    /// The last change to each project that is being changed.
    changes: RefCell<BTreeMap<ProjectId, i64>>,
    /// The operation that runs, from 1. What belongs to the transaction itself is sent for 0.
    operation: Cell<usize>,
    /// How many savepoints operations have open: none between two of them.
    depth: Cell<usize>,
    /// Whether the savepoint of the last operation is still there: it goes along with whatever comes next.
    is_left: Cell<bool>,
    /// What was submitted and not sent yet.
    submitted: RefCell<Merged>,
    /// What was sent and may have to be sent again, with its operation.
    sent: RefCell<Vec<(usize, Sent)>>,
    /// Operations that failed after their end, and why.
    failures: RefCell<BTreeMap<usize, StoreError>>,
}

enum Sent {
    Sql(&'static str),
    Statement(Statement, Arc<Vec<Param>>),
}

impl<'a> Write<'a> {
    /// Begins a transaction that has the lane for itself. That is only sent: a failure comes to light with the first answer.
    pub(super) fn begin(connection: &'a Connection, schema: &'a str, lane: &Lane) -> Self {
        let lock = match lane {
            Lane::Project(project_id) => Some(("", lock_number(schema, project_id.as_str()))),
            Lane::Additions(project_id) => Some(("_shared", additions_number(schema, project_id))),
            // No project has this name.
            Lane::Server => Some(("", lock_number(schema, ""))),
            Lane::Queue | Lane::SearchTables | Lane::Import => None,
        };
        let lock =
            lock.map(|(kind, number)| format!("; SELECT pg_advisory_xact_lock{kind}({number})")).unwrap_or_default();
        connection.forget_known();
        connection.set_sender(0);
        // Each statement sees what was committed before it: what was committed before the lock was had, too.
        connection.send(&format!("BEGIN ISOLATION LEVEL READ COMMITTED; {LIMITS}{lock}"));
        Self {
            connection,
            schema,
            is_open: Cell::new(true),
            changes: RefCell::default(),
            operation: Cell::new(0),
            depth: Cell::new(0),
            is_left: Cell::new(false),
            submitted: RefCell::default(),
            sent: RefCell::default(),
            failures: RefCell::default(),
        }
    }

    /// Asks, and undoes operations that turn out to have failed until there is an answer.
    fn asked<T>(&self, ask: impl Fn() -> Result<T, Failed>) -> StoreResult<T> {
        loop {
            let Failed { sender, error } = match ask() {
                Ok(answer) => {
                    if self.connection.is_settled() {
                        self.sent.borrow_mut().clear();
                    }
                    return Ok(answer);
                }
                Err(failed) => failed,
            };
            let running = self.operation.get() + usize::from(self.depth.get() == 0);
            if sender == 0 || sender >= running || !self.connection.is_open() {
                return Err(self.noted(error));
            }
            self.undo_late(sender, error);
        }
    }

    /// With a connection that has broken, the transaction is over. A server that only lets read may have handed over to another, to which the
    /// next connection leads.
    fn noted(&self, error: StoreError) -> StoreError {
        if matches!(error, StoreError::NotWritable(_)) {
            self.connection.close();
        }
        if !self.connection.is_open() {
            self.is_open.set(false);
        }
        error
    }

    /// Undoes an operation that has ended, and sends again what was sent after it: since it failed, none of that was carried out.
    fn undo_late(&self, failed: usize, error: StoreError) {
        self.failures.borrow_mut().insert(failed, error);
        self.connection.forget_known();
        self.connection.set_sender(0);
        self.connection.send(Savepoint::of(failed).undo);
        let mut sent = self.sent.borrow_mut();
        sent.retain(|(operation, _)| *operation > failed);
        for (operation, what) in sent.iter() {
            self.connection.set_sender(*operation);
            match what {
                Sent::Sql(sql) => self.connection.send(sql),
                Sent::Statement(statement, params) => self.connection.send_prepared(statement, Arc::clone(params)),
            }
        }
        self.connection.set_sender(self.operation.get());
    }

    fn send(&self, sql: &'static str) {
        self.connection.send(sql);
        self.sent.borrow_mut().push((self.operation.get(), Sent::Sql(sql)));
    }

    /// Sends what was submitted.
    fn send_submitted(&self) -> StoreResult<()> {
        let Some((sql, params)) = self.submitted.borrow_mut().take() else { return Ok(()) };
        let statement = self.asked(|| self.connection.statement(&sql))?;
        let params = Arc::new(params);
        self.connection.send_prepared(&statement, Arc::clone(&params));
        self.sent.borrow_mut().push((self.operation.get(), Sent::Statement(statement, params)));
        Ok(())
    }

    fn submit_owned(&self, sql: &str, params: Vec<Param>) -> StoreResult<()> {
        let fits = self.submitted.borrow().fits(sql);
        if !fits {
            self.send_submitted()?;
        }
        self.submitted.borrow_mut().push(sql, params);
        Ok(())
    }

    fn query(&self, sql: &str, params: &[Value<'_>]) -> StoreResult<Answered> {
        self.send_submitted()?;
        self.connection.forget_changed_by(sql, params);
        self.asked(|| self.connection.query(sql, params))
    }
}

/// The statements about an operation's savepoint. Two names take turns: were the savepoint of one never made, as when somebody cancels the statement
/// that makes it, undoing it must not undo its neighbour, but fail.
struct Savepoint {
    make: &'static str,
    /// Takes the place of the one of the operation before.
    replace: &'static str,
    /// It stays, for the next one to take its place.
    undo: &'static str,
}

impl Savepoint {
    const EVEN: Self =
        Self { make: "SAVEPOINT even", replace: "RELEASE odd; SAVEPOINT even", undo: "ROLLBACK TO even" };
    const ODD: Self = Self { make: "SAVEPOINT odd", replace: "RELEASE even; SAVEPOINT odd", undo: "ROLLBACK TO odd" };

    const fn of(operation: usize) -> Self {
        if operation.is_multiple_of(2) { Self::EVEN } else { Self::ODD }
    }
}

/// Undoes a part of an operation.
const UNDO_PART: &str = "ROLLBACK TO part; RELEASE part";

impl Read for Write<'_> {
    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    fn each_row(&self, sql: &str, params: &[Value<'_>], each: EachRow<'_>) -> StoreResult<()> {
        for row in self.query(sql, params)?.rows() {
            if each(row)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn each_row_of_all(&self, sql: &str, lists: &[Vec<Value<'_>>], each: EachRow<'_>) -> StoreResult<()> {
        self.send_submitted()?;
        for lists in lists.chunks(AT_ONCE) {
            for row in self.asked(|| self.connection.query_all(sql, lists))?.iter().flat_map(Answered::rows) {
                if each(row)?.is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn prefetch(&self, sql: &str, params: &[Value<'_>]) -> StoreResult<()> {
        self.send_submitted()?;
        self.asked(|| self.connection.prefetch(sql, params))
    }
}

impl Transaction for Write<'_> {
    fn execute(&self, sql: &str, params: &[Value<'_>]) -> StoreResult<usize> {
        self.query(sql, params).map(|answer| answer.changed())
    }

    fn submit(&self, sql: &str, params: &[Value<'_>]) -> StoreResult<()> {
        self.connection.forget_changed_by(sql, params);
        self.submit_owned(sql, params.iter().map(|value| Param::One(owned(value))).collect())
    }

    /// Each column travels as one list: a parameter for each value takes the server more than twice as long.
    fn insert_all(&self, insert: &str, rows: &[Vec<Value<'_>>]) -> StoreResult<()> {
        if rows.len() < 2 {
            return rows.iter().try_for_each(|params| self.submit(insert, params));
        }
        let statement = self.asked(|| self.connection.statement(insert))?;
        // Which rows these are cannot be told from lists.
        self.connection.forget_changed_by(insert, &[]);
        self.submit_owned(&insert_lists(insert, statement.params()), columns(rows))
    }

    /// The end of a whole operation waits for nothing; a part of one has to know how it ended.
    fn settle(&self) -> StoreResult<()> {
        self.send_submitted()?;
        if self.depth.get() > 1 { self.asked(|| self.connection.settle()) } else { Ok(()) }
    }

    fn lock_project(&self, project_id: &ProjectId) -> StoreResult<()> {
        self.execute("SELECT pg_advisory_xact_lock(?1)", params![lock_number(self.schema, project_id.as_str())])
            .map(|_| ())
    }

    fn keep_additions_out(&self, project_id: &ProjectId) -> StoreResult<()> {
        self.execute("SELECT pg_advisory_xact_lock(?1)", params![additions_number(self.schema, project_id)]).map(|_| ())
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
        self.send_submitted()?;
        if self.depth.get() == 0 {
            self.operation.set(self.operation.get() + 1);
            self.connection.set_sender(self.operation.get());
        }
        let Savepoint { make, replace, .. } = Savepoint::of(self.operation.get());
        self.send(match self.depth.get() {
            0 if self.is_left.replace(true) => replace,
            0 => make,
            _ => "SAVEPOINT part",
        });
        self.depth.set(self.depth.get() + 1);
        Ok(())
    }

    fn end_savepoint(&self, end: SavepointEnd) -> StoreResult<()> {
        let is_whole = self.depth.get() == 1;
        if end == SavepointEnd::Keep {
            if !is_whole {
                self.send("RELEASE part");
            }
            self.depth.set(self.depth.get() - 1);
            self.connection.flush();
            if self.depth.get() == 0 && self.sent.borrow().len() > MOST_UNANSWERED {
                self.asked(|| self.connection.settle())?;
            }
            return Ok(());
        }
        // What was still to be answered has failed, or is undone with the rest.
        self.submitted.borrow_mut().clear();
        let _ = self.asked(|| self.connection.settle());
        self.connection.forget_known();
        self.connection.send(if is_whole { Savepoint::of(self.operation.get()).undo } else { UNDO_PART });
        let undone = self.asked(|| self.connection.settle());
        self.sent.borrow_mut().clear();
        self.depth.set(self.depth.get() - 1);
        undone
    }

    fn is_open(&self) -> bool {
        self.is_open.get()
    }

    fn roll_back(&self) {
        self.submitted.borrow_mut().clear();
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
        loop {
            self.connection.set_sender(0);
            self.connection.send("SELECT 1; COMMIT");
            match self.connection.settle() {
                Ok(()) => {
                    self.is_open.set(false);
                    return Ok(());
                }
                Err(Failed { sender, error }) if sender > 0 && self.connection.is_open() => {
                    self.undo_late(sender, error);
                }
                Err(failed) => return Err(self.noted(failed.error)),
            }
        }
    }

    fn late_failure(&self, operation: usize) -> Option<StoreError> {
        self.failures.borrow().get(&(operation + 1)).cloned()
    }
}
