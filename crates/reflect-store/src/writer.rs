//! The one thread that writes.
//!
//! Callers hand over closures. The thread takes all that are waiting, runs them in one transaction, each inside its own
//! savepoint, commits once with a flush to disk, and only then answers. So 64 callers share one flush, a failing
//! closure takes none of its neighbours with it, and an answer means "on disk".
//!
//! Writes that nobody waits for (the retrieval log, `last_used_at`) ride along with the next commit, or get one of their
//! own after [`LAZY_DELAY`]. They keep their place in the order: a later write sees them.

use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use rusqlite::Connection;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::{StoreError, StoreResult};

/// How long a write that nobody waits for may stay in memory.
const LAZY_DELAY: Duration = Duration::from_millis(200);

/// How many operations share a commit at most, so that the first of them never waits for an endless batch.
const MAX_BATCH: usize = 256;

/// How many operations wait for the thread before callers wait to hand theirs over.
const QUEUE: usize = 1_024;

/// What an operation writes with: the connection, inside a transaction, and the counter of memory changes.
pub(crate) struct Write {
    connection: Connection,
    changes: Cell<i64>,
}

impl Write {
    pub(crate) fn new(connection: Connection) -> StoreResult<Self> {
        let newest =
            connection.query_row("SELECT max(changed) FROM memories", [], |row| row.get::<_, Option<i64>>(0))?;
        Ok(Self { connection, changes: Cell::new(newest.unwrap_or(0)) })
    }

    /// The number of the next change to a memory. They rise in the order of commits, since one thread hands them out.
    pub(crate) fn next_change(&self) -> i64 {
        let next = self.changes.get() + 1;
        self.changes.set(next);
        next
    }
}

impl std::ops::Deref for Write {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

/// Answers the caller, once it is known whether the transaction was committed.
type Reply = Box<dyn FnOnce(&StoreResult<()>) + Send>;
/// Runs one operation; hands back its reply and, if it failed, why.
type Work = Box<dyn FnOnce(&Write) -> (Reply, Option<StoreError>) + Send>;

enum Operation {
    Durable(Work),
    Lazy(Work),
}

/// An operation in the queue, with its place there, which is free again once the thread has taken it.
type Queued = (Operation, OwnedSemaphorePermit);

/// Hands closures to the writer thread.
pub(crate) struct Writer {
    sender: Option<Sender<Queued>>,
    /// The places in the queue. Waiting for one holds no thread: all threads that may block could be waiting for the writer otherwise,
    /// and queries never wait for a writer.
    places: Arc<Semaphore>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub(crate) fn start(write: Write) -> StoreResult<Self> {
        let (sender, receiver) = channel();
        let thread = std::thread::Builder::new()
            .name("reflect-writer".into())
            .spawn(move || run(&write, &receiver))
            .map_err(StoreError::file("starting the writer thread"))?;
        Ok(Self { sender: Some(sender), places: Arc::new(Semaphore::new(QUEUE)), thread: Some(thread) })
    }

    /// Runs `operation` in its own savepoint and answers when it is on disk. If the caller goes away once it is in the queue,
    /// the operation is carried out all the same.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        operation: impl FnOnce(&Write) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let (answer, answered) = oneshot::channel();
        let work: Work = Box::new(move |write| {
            let result = in_savepoint(write, operation);
            let failure = result.as_ref().err().cloned();
            let reply: Reply = Box::new(move |committed| {
                // Nobody listens when the caller went away; the write stands.
                let _ = answer.send(committed.clone().and(result));
            });
            (reply, failure)
        });
        self.hand_over(Operation::Durable(work)).await?;
        answered.await.unwrap_or(Err(StoreError::Closed))
    }

    /// Runs `operation` some time soon, without an answer. A failure is logged.
    pub(crate) async fn write_lazily(
        &self,
        operation: impl FnOnce(&Write) -> StoreResult<()> + Send + 'static,
    ) -> StoreResult<()> {
        let work: Work = Box::new(move |write| {
            let result = in_savepoint(write, operation);
            let failure = result.as_ref().err().cloned();
            let reply: Reply = Box::new(move |committed| {
                if let Err(error) = committed.clone().and(result) {
                    tracing::warn!(%error, "a write that nobody waits for was lost");
                }
            });
            (reply, failure)
        });
        self.hand_over(Operation::Lazy(work)).await
    }

    async fn hand_over(&self, operation: Operation) -> StoreResult<()> {
        let place = Arc::clone(&self.places).acquire_owned().await.map_err(|_| StoreError::Closed)?;
        let sender = self.sender.as_ref().ok_or(StoreError::Closed)?;
        sender.send((operation, place)).map_err(|_| StoreError::Closed)
    }
}

/// Closing waits until everything that was handed over is on disk.
impl Drop for Writer {
    fn drop(&mut self) {
        drop(self.sender.take());
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the writer thread ended in a panic");
        }
    }
}

fn run(write: &Write, receiver: &Receiver<Queued>) {
    let mut batch: Vec<Work> = Vec::with_capacity(MAX_BATCH);
    loop {
        let open = collect(receiver, &mut batch);
        if !batch.is_empty() {
            commit(write, &mut batch);
        }
        if !open {
            return;
        }
    }
}

/// Fills `batch` with what shares the next commit: blocks for the first durable operation (or until the lazy ones have
/// waited long enough), then takes what else is there. Says whether anyone can still send.
fn collect(receiver: &Receiver<Queued>, batch: &mut Vec<Work>) -> bool {
    let mut deadline: Option<Instant> = None;
    let mut durable = false;
    loop {
        let received = if durable {
            receiver.try_recv().map_err(|error| matches!(error, std::sync::mpsc::TryRecvError::Disconnected))
        } else if let Some(deadline) = deadline {
            let left = deadline.saturating_duration_since(Instant::now());
            receiver.recv_timeout(left).map_err(|error| error == RecvTimeoutError::Disconnected)
        } else {
            receiver.recv().map_err(|_| true)
        };
        match received.map(|(operation, _place)| operation) {
            Ok(Operation::Durable(work)) => {
                durable = true;
                batch.push(work);
            }
            Ok(Operation::Lazy(work)) => {
                deadline.get_or_insert_with(|| Instant::now() + LAZY_DELAY);
                batch.push(work);
            }
            Err(disconnected) => return !disconnected,
        }
        if batch.len() >= MAX_BATCH {
            return true;
        }
    }
}

fn commit(write: &Write, batch: &mut Vec<Work>) {
    let mut replies: Vec<Reply> = Vec::with_capacity(batch.len());
    let mut outcome = write.execute_batch("BEGIN IMMEDIATE").map_err(StoreError::from);
    for work in batch.drain(..) {
        let (reply, failure) = work(write);
        replies.push(reply);
        // On some failures, such as a full disk, SQLite rolls the whole transaction back, which shows as autocommit mode.
        // Nothing of the batch is stored then, and this failure is why.
        if write.is_autocommit() && outcome.is_ok() {
            outcome = Err(failure.unwrap_or_else(|| StoreError::NotWritable("the transaction was rolled back".into())));
        }
    }
    if outcome.is_ok() {
        outcome = write.execute_batch("COMMIT").map_err(StoreError::from);
    }
    if outcome.is_err() && !write.is_autocommit() {
        let _ = write.execute_batch("ROLLBACK");
    }
    for reply in replies {
        reply(&outcome);
    }
}

/// Runs one operation so that a failure undoes this operation alone. Outside a transaction (it could not begin, or it was
/// rolled back by a neighbour's failure) nothing is run: the whole batch is about to be refused. An operation may run parts
/// of itself in the same way.
pub(crate) fn in_savepoint<T>(write: &Write, operation: impl FnOnce(&Write) -> StoreResult<T>) -> StoreResult<T> {
    if write.is_autocommit() {
        return Err(StoreError::NotWritable("the transaction was rolled back".into()));
    }
    write.prepare_cached("SAVEPOINT operation")?.execute([])?;
    let result = catch_unwind(AssertUnwindSafe(|| operation(write)))
        .unwrap_or_else(|_| Err(StoreError::damaged("operation", "it panicked; it was undone")));
    if write.is_autocommit() {
        return result;
    }
    if let Err(error) = close_savepoint(write, result.is_ok()) {
        // What this operation did could not be undone alone, so nothing of the batch may stay.
        let _ = write.execute_batch("ROLLBACK");
        return Err(error);
    }
    result
}

fn close_savepoint(write: &Write, keep: bool) -> StoreResult<()> {
    if !keep {
        write.prepare_cached("ROLLBACK TO operation")?.execute([])?;
    }
    write.prepare_cached("RELEASE operation")?.execute([])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use tokio::task::{JoinSet, spawn_blocking};

    use super::*;
    use crate::schema;

    #[test]
    fn writes_that_wait_for_room_hold_no_thread() {
        let folder = tempfile::tempdir().unwrap();
        let connection = schema::open_for_writing(&folder.path().join("reflect.db")).unwrap();
        let writer = Arc::new(Writer::start(Write::new(connection).unwrap()).unwrap());
        let runtime = tokio::runtime::Builder::new_current_thread().max_blocking_threads(1).build().unwrap();
        runtime.block_on(async {
            let ((begun, begins), (end, ends)) = (oneshot::channel(), mpsc::channel::<()>());
            let mut writes = JoinSet::new();
            let first = Arc::clone(&writer);
            writes.spawn(async move {
                let wait = move |_: &Write| {
                    let _ = begun.send(());
                    let _ = ends.recv();
                    Ok(())
                };
                first.write(wait).await
            });
            begins.await.unwrap();
            for _ in 0..QUEUE + MAX_BATCH {
                let writer = Arc::clone(&writer);
                writes.spawn(async move { writer.write(|_| Ok(())).await });
            }
            tokio::task::yield_now().await;
            spawn_blocking(|| ()).await.unwrap();
            end.send(()).unwrap();
            while let Some(written) = writes.join_next().await {
                written.unwrap().unwrap();
            }
        });
    }
}
