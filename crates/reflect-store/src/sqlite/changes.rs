//! The numbers of changes to memories.
//!
//! An index asks for memories whose number is higher than the last one it saw. So it must never see a number before a lower one that is
//! still to be committed: a change that it missed would stay missed. Here one thread hands the numbers out and commits in their order.
//! Its process is the only one that writes: the table `writer` names it, and each transaction looks there first. A backend with several
//! writers guarantees the same by a lock on the project: a sequence would not do, which transactions leave in another order than they entered.

use std::cell::Cell;

use rusqlite::Connection;

use crate::error::StoreResult;

/// Hands out the numbers, one after the other. Those of an operation that was undone are not used again.
#[derive(Default)]
pub(super) struct Changes(Cell<i64>);

impl Changes {
    /// Goes on after the newest change that is stored.
    pub(super) fn go_on_after_newest(&self, connection: &Connection) -> StoreResult<()> {
        let sql = "SELECT coalesce(max(changed), 0) FROM memories";
        self.0.set(connection.query_row(sql, [], |row| row.get(0))?);
        Ok(())
    }

    pub(super) fn next(&self) -> i64 {
        let next = self.0.get() + 1;
        self.0.set(next);
        next
    }
}
