//! A part of a transaction that fails by itself.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{SavepointEnd, Transaction};
use crate::error::{StoreError, StoreResult};

/// Runs one operation so that a failure undoes this operation alone. Nothing is run if the transaction is over (it could not begin, or
/// a neighbour's failure ended it). An operation may run parts of itself in the same way.
pub(crate) fn in_savepoint<T>(
    write: &dyn Transaction,
    operation: impl FnOnce(&dyn Transaction) -> StoreResult<T>,
) -> StoreResult<T> {
    write.begin_savepoint()?;
    let result = catch_unwind(AssertUnwindSafe(|| operation(write).and_then(|answer| write.settle().map(|()| answer))))
        .unwrap_or_else(|_| Err(StoreError::damaged("operation", "it panicked; it was undone")));
    if !write.is_open() {
        return result;
    }
    let end = if result.is_ok() { SavepointEnd::Keep } else { SavepointEnd::Undo };
    if let Err(error) = write.end_savepoint(end) {
        // What this operation did could not be undone alone, so nothing of the transaction may stay.
        write.roll_back();
        return result.and(Err(error));
    }
    result
}
