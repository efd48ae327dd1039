//! Operations that share a transaction and its commit.

use std::sync::Arc;

use super::{Dialect, Read, Transaction, in_savepoint};
use crate::error::{StoreError, StoreResult};

/// Answers the caller, once it is known whether the transaction was committed.
pub(crate) type Reply = Box<dyn FnOnce(&StoreResult<()>) + Send>;

/// Says what an operation will ask.
pub(crate) type AskAhead = Arc<dyn Fn(&dyn Read) -> StoreResult<()> + Send + Sync>;

/// An operation with its reply.
pub(crate) struct Work {
    ask_ahead: Option<AskAhead>,
    run: Run,
}

/// Runs the operation, if there is a transaction for it; hands back its reply and, if it failed, why.
type Run = Box<dyn FnOnce(StoreResult<&dyn Transaction>) -> (Reply, Option<StoreError>) + Send>;

/// Work on its way to a writer.
pub(crate) enum Operation {
    /// Somebody waits for it.
    Durable(Work),
    /// A worker waits for it, and callers go first.
    Background(Work),
    /// Nobody does: it may wait a little for company.
    Lazy(Work),
}

/// A transaction in the hands of whoever opened it.
pub(crate) trait Session: Transaction {
    /// Ends it. What an operation did is on disk when this returns.
    fn commit(&self) -> StoreResult<()>;

    /// Why an operation failed after it had ended, if it did; they are counted from 0.
    fn late_failure(&self, _operation: usize) -> Option<StoreError> {
        None
    }
}

/// Runs an operation in a savepoint, and replies with its result once it is known whether that is on disk.
pub(crate) fn work<T: Send + 'static>(
    operation: impl FnOnce(&dyn Transaction) -> StoreResult<T> + Send + 'static,
    reply: impl FnOnce(StoreResult<T>) + Send + 'static,
) -> Work {
    let run = Box::new(move |write: StoreResult<&dyn Transaction>| {
        let result = write.and_then(|write| in_savepoint(write, operation));
        let failure = result.as_ref().err().cloned();
        let reply: Reply = Box::new(move |committed| reply(committed.clone().and(result)));
        (reply, failure)
    });
    Work { ask_ahead: None, run }
}

impl Work {
    /// What it will ask is asked before the first operation of its batch, where that saves time.
    pub(crate) fn asking(self, ask_ahead: AskAhead) -> Self {
        Self { ask_ahead: Some(ask_ahead), ..self }
    }
}

/// Runs everything in a batch in a transaction that has `begun`, commits it, and answers. A failure takes none of its neighbours with it,
/// unless it ends the transaction.
pub(crate) fn commit_batch(write: &dyn Session, begun: StoreResult<()>, batch: &mut Vec<Work>) {
    let mut outcome = begun.and_then(|()| batch.iter().try_for_each(|work| ask_ahead(write, work)));
    if outcome.is_err() && write.is_open() {
        write.roll_back();
    }
    let mut replies: Vec<Reply> = Vec::with_capacity(batch.len());
    for work in batch.drain(..) {
        let (reply, failure) = (work.run)(Ok(write));
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
    for (operation, reply) in replies.into_iter().enumerate() {
        match write.late_failure(operation) {
            Some(error) if outcome.is_ok() => reply(&Err(error)),
            _ => reply(&outcome),
        }
    }
}

/// Answers everything in a batch for which no transaction could begin.
pub(crate) fn refuse_batch(error: &StoreError, batch: &mut Vec<Work>) {
    for work in batch.drain(..) {
        let (reply, _) = (work.run)(Err(error.clone()));
        reply(&Err(error.clone()));
    }
}

fn ask_ahead(read: &dyn Read, work: &Work) -> StoreResult<()> {
    match &work.ask_ahead {
        Some(ask_ahead) if read.dialect() == Dialect::Postgres => ask_ahead(read),
        _ => Ok(()),
    }
}
