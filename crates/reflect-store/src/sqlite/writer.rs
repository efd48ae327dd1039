//! The one thread that writes.
//!
//! Callers hand over closures. The thread takes all that are waiting, runs them in one transaction, each inside its own
//! savepoint, commits once with a flush to disk, and only then answers. So 64 callers share one flush, a failing
//! closure takes none of its neighbours with it, and an answer means "on disk".
//!
//! Writes that nobody waits for (the retrieval log, `last_used_at`) ride along with the next commit, or get one of their
//! own after [`LAZY_DELAY`]. They keep their position in the order: a later write sees them.

use std::{
    path::Path,
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{
    connection::Write,
    log_size::{LogSize, LogWishes},
    schema,
};
use crate::{
    error::{StoreError, StoreResult},
    sql::{Operation, Transaction, Work, commit_batch, work},
};

/// How long a write that nobody waits for may stay in memory.
const LAZY_DELAY: Duration = Duration::from_millis(200);

/// How many operations share a commit at most, so that the first of them never waits for an endless batch.
const MAX_BATCH: usize = 256;

/// How many operations wait for the thread before callers wait to hand theirs over.
const QUEUE: usize = 1_024;

/// An operation in the queue, with its slot there, which is free again once the thread has taken it.
type Queued = (Operation, OwnedSemaphorePermit);

/// Hands closures to the writer thread.
pub(crate) struct Writer {
    sender: Option<Sender<Queued>>,
    /// The slots of the queue. Waiting for one holds no thread: all threads that may block could be waiting for the writer otherwise,
    /// and queries never wait for a writer.
    slots: Arc<Semaphore>,
    thread: Option<JoinHandle<()>>,
    log_wishes: LogWishes,
}

impl Writer {
    /// Opens the database at `path`, making or migrating it as needed, and starts the thread.
    pub(crate) fn open(path: &Path) -> StoreResult<Self> {
        let write = Write::new(schema::open_for_writing(path)?)?;
        let (sender, receiver) = channel();
        let log_wishes = LogWishes::default();
        let mut log_size = LogSize::new(path, log_wishes.clone());
        let thread = std::thread::Builder::new()
            .name("reflect-writer".into())
            .spawn(move || run(&write, &mut log_size, &receiver))
            .map_err(StoreError::file("starting the writer thread"))?;
        Ok(Self { sender: Some(sender), slots: Arc::new(Semaphore::new(QUEUE)), thread: Some(thread), log_wishes })
    }

    /// Runs `operation` and waits for it on this thread, which must not be one that answers requests.
    pub(crate) fn write_now<T: Send + 'static>(
        &self,
        operation: impl FnOnce(&dyn Transaction) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let (answer, answered) = channel();
        let work = work(operation, move |result| {
            let _ = answer.send(result);
        });
        let slot = Arc::clone(&self.slots).try_acquire_owned().map_err(|_| StoreError::Closed)?;
        let sender = self.sender.as_ref().ok_or(StoreError::Closed)?;
        sender.send((Operation::Durable(work), slot)).map_err(|_| StoreError::Closed)?;
        answered.recv().unwrap_or(Err(StoreError::Closed))
    }

    /// What the writer wants of searches.
    pub(crate) fn log_wishes(&self) -> LogWishes {
        self.log_wishes.clone()
    }

    /// Hands an operation to the thread; waits while too many are waiting already.
    pub(crate) async fn hand_over(&self, operation: Operation) -> StoreResult<()> {
        let slot = Arc::clone(&self.slots).acquire_owned().await.map_err(|_| StoreError::Closed)?;
        let sender = self.sender.as_ref().ok_or(StoreError::Closed)?;
        sender.send((operation, slot)).map_err(|_| StoreError::Closed)
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

fn run(write: &Write, log_size: &mut LogSize, receiver: &Receiver<Queued>) {
    let mut batch: Vec<Work> = Vec::with_capacity(MAX_BATCH);
    loop {
        let open = collect(receiver, &mut batch);
        if !batch.is_empty() {
            commit_batch(write, write.begin(), &mut batch);
            log_size.keep_small(&write.connection);
        }
        if !open {
            move_log_into_database(write);
            return;
        }
    }
}

/// Moves everything out of the write-ahead log, so that after a clean stop the database file alone is the whole of it: people copy "the one file". If
/// that fails, nothing is lost: the next start reads the log.
fn move_log_into_database(write: &Write) {
    if let Err(error) = write.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())) {
        tracing::warn!(%error, "the write-ahead log could not be moved into the database; it stays beside it");
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
        match received.map(|(operation, _slot)| operation) {
            Ok(Operation::Durable(work) | Operation::Background(work)) => {
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
