//! Operations that share a transaction and its commit.

use super::{Transaction, in_savepoint};
use crate::error::{StoreError, StoreResult};

/// Answers the caller, once it is known whether the transaction was committed.
pub(crate) type Reply = Box<dyn FnOnce(&StoreResult<()>) + Send>;

/// Runs one operation, if there is a transaction for it; hands back its reply and, if it failed, why.
pub(crate) type Work = Box<dyn FnOnce(StoreResult<&dyn Transaction>) -> (Reply, Option<StoreError>) + Send>;

/// Work on its way to a writer.
pub(crate) enum Operation {
    /// Somebody waits for it.
    Durable(Work),
    /// Nobody does: it may wait a little for company.
    Lazy(Work),
}

/// A transaction in the hands of whoever opened it.
pub(crate) trait Session: Transaction {
    /// Ends it. What an operation did is on disk when this returns.
    fn commit(&self) -> StoreResult<()>;
}

/// Runs an operation in a savepoint, and replies with its result once it is known whether that is on disk.
pub(crate) fn work<T: Send + 'static>(
    operation: impl FnOnce(&dyn Transaction) -> StoreResult<T> + Send + 'static,
    reply: impl FnOnce(StoreResult<T>) + Send + 'static,
) -> Work {
    Box::new(move |write| {
        let result = write.and_then(|write| in_savepoint(write, operation));
        let failure = result.as_ref().err().cloned();
        (Box::new(move |committed| reply(committed.clone().and(result))), failure)
    })
}

/// Runs everything in a batch in a transaction that has `begun`, commits it, and answers. A failure takes none of its neighbours with it,
/// unless it ends the transaction.
pub(crate) fn commit_batch(write: &dyn Session, begun: StoreResult<()>, batch: impl Iterator<Item = Work>) {
    let mut replies: Vec<Reply> = Vec::with_capacity(batch.size_hint().0);
    let mut outcome = begun;
    for work in batch {
        let (reply, failure) = work(Ok(write));
        replies.push(reply);
        // Some failures, such as a full disk, end the whole transaction. Nothing of the batch is stored then, and this failure is why.
        if !write.is_open() && outcome.is_ok() {
            outcome = Err(failure.unwrap_or_else(|| StoreError::NotWritable("the transaction was rolled back".into())));
        }
    }
    if outcome.is_ok() {
        outcome = write.commit();
    }
    if outcome.is_err() && write.is_open() {
        write.roll_back();
    }
    for reply in replies {
        reply(&outcome);
    }
}

/// Answers everything in a batch for which no transaction could begin.
pub(crate) fn refuse_batch(error: &StoreError, batch: impl IntoIterator<Item = Work>) {
    for work in batch {
        let (reply, _) = work(Err(error.clone()));
        reply(&Err(error.clone()));
    }
}
