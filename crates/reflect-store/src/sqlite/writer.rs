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

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::{
    connection::Write,
    log_size::{LogSize, LogWishes},
    schema,
};
use crate::{
    error::{StoreError, StoreResult},
    sql::{Progress, Transaction, in_savepoint},
    waits::{WaitedFor, waiting_for},
};

/// How long a write that nobody waits for may stay in memory.
const LAZY_DELAY: Duration = Duration::from_millis(200);

/// How long one turn of work that can be done bit by bit may take.
const MOMENT: Duration = Duration::from_millis(10);

/// How many operations share a commit at most, so that the first of them never waits for an endless batch.
const MAX_BATCH: usize = 256;

/// How many operations wait for the thread before callers wait to hand theirs over.
const QUEUE: usize = 1_024;

/// Answers the caller, once it is known whether the transaction was committed.
type Reply = Box<dyn FnOnce(&StoreResult<()>) + Send>;
/// Runs one operation; hands back its reply and, if it failed, why.
type Work = Box<dyn FnOnce(&Write) -> (Reply, Option<StoreError>) + Send>;

enum Operation {
    Durable(Work),
    Lazy(Work),
}

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

    /// Runs `operation` in its own savepoint and answers when it is on disk. If the caller goes away once it is in the queue,
    /// the operation is carried out all the same.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        operation: impl FnOnce(&dyn Transaction) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let (answer, answered) = oneshot::channel();
        let work = work(operation, move |result| {
            // Nobody listens when the caller went away; the write stands.
            let _ = answer.send(result);
        });
        waiting_for(WaitedFor::Writer, async {
            self.hand_over(Operation::Durable(work)).await?;
            answered.await.unwrap_or(Err(StoreError::Closed))
        })
        .await
    }

    /// Repeats `step` for a moment, or until it changes nothing more, and answers when that is on disk. Whoever has much to do comes
    /// again, and other writers get their turn in between.
    pub(crate) async fn write_some(
        &self,
        step: impl Fn(&dyn Transaction) -> StoreResult<usize> + Send + 'static,
    ) -> StoreResult<Progress> {
        self.write(move |write| {
            let end = Instant::now() + MOMENT;
            let mut progress = Progress::default();
            while Instant::now() < end && !progress.done {
                let changed = step(write)?;
                progress.changed += changed;
                progress.largest_step = progress.largest_step.max(changed);
                progress.done = changed == 0;
            }
            Ok(progress)
        })
        .await
    }

    /// Runs `operation` some time soon, without an answer. A failure is logged.
    pub(crate) async fn write_lazily(
        &self,
        operation: impl FnOnce(&dyn Transaction) -> StoreResult<()> + Send + 'static,
    ) -> StoreResult<()> {
        let work = work(operation, |result| {
            if let Err(error) = result {
                tracing::warn!(%error, "a write that nobody waits for was lost");
            }
        });
        self.hand_over(Operation::Lazy(work)).await
    }

    /// Has the write-ahead log emptied, now if no reader needs it: what was deleted may still stand there.
    pub(crate) async fn empty_log(&self) -> StoreResult<()> {
        // In its order, so that it comes after all writes before it. It is done after their commit, which the next write waits for.
        let wishes = self.log_wishes();
        let ask = move |_: &dyn Transaction| {
            wishes.ask_to_empty();
            Ok(())
        };
        self.write(ask).await?;
        self.write(|_| Ok(())).await
    }

    /// What the writer wants of searches.
    pub(super) fn log_wishes(&self) -> LogWishes {
        self.log_wishes.clone()
    }

    async fn hand_over(&self, operation: Operation) -> StoreResult<()> {
        let slot = Arc::clone(&self.slots).acquire_owned().await.map_err(|_| StoreError::Closed)?;
        let sender = self.sender.as_ref().ok_or(StoreError::Closed)?;
        sender.send((operation, slot)).map_err(|_| StoreError::Closed)
    }
}

/// Runs an operation in a savepoint, and replies with its result once it is known whether that is on disk.
fn work<T: Send + 'static>(
    operation: impl FnOnce(&dyn Transaction) -> StoreResult<T> + Send + 'static,
    reply: impl FnOnce(StoreResult<T>) + Send + 'static,
) -> Work {
    Box::new(move |write| {
        let result = in_savepoint(write, operation);
        let failure = result.as_ref().err().cloned();
        (Box::new(move |committed| reply(committed.clone().and(result))), failure)
    })
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
            commit(write, &mut batch);
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
    let mut outcome = write.begin();
    for work in batch.drain(..) {
        let (reply, failure) = work(write);
        replies.push(reply);
        // On some failures, such as a full disk, SQLite rolls the whole transaction back, and the transaction is over.
        // Nothing of the batch is stored then, and this failure is why.
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

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use tokio::task::{JoinSet, spawn_blocking};

    use super::*;

    #[tokio::test]
    async fn work_without_end_gives_way_to_other_writers() {
        let folder = tempfile::tempdir().unwrap();
        let writer = Writer::open(&folder.path().join("reflect.db")).unwrap();
        for _ in 0..3 {
            let progress = writer.write_some(|_| Ok(1)).await.unwrap();
            assert!(!progress.done && progress.changed > 0, "{progress:?}");
            writer.write(|_| Ok(())).await.unwrap();
        }
        let progress = writer.write_some(|_| Ok(0)).await.unwrap();
        assert_eq!(progress, Progress { done: true, ..Progress::default() });
    }

    #[test]
    fn writes_that_wait_for_room_hold_no_thread() {
        let folder = tempfile::tempdir().unwrap();
        let writer = Arc::new(Writer::open(&folder.path().join("reflect.db")).unwrap());
        let runtime = tokio::runtime::Builder::new_current_thread().max_blocking_threads(1).build().unwrap();
        runtime.block_on(async {
            let ((begun, begins), (end, ends)) = (oneshot::channel(), mpsc::channel::<()>());
            let mut writes = JoinSet::new();
            let first = Arc::clone(&writer);
            writes.spawn(async move {
                let wait = move |_: &dyn Transaction| {
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
