//! Writing.
//!
//! Callers hand over closures. A backend takes those of a lane that are waiting, runs them in one transaction, each inside its own savepoint,
//! commits once with a flush to disk, and only then answers. So callers share a flush, a failing closure takes none of its neighbours
//! with it, and an answer means "on disk".

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use reflect_core::ProjectId;
use tokio::sync::oneshot;

use crate::{
    error::{StoreError, StoreResult},
    postgres,
    sql::{AskAhead, Dialect, Lane, Operation, Progress, Transaction, Work, work},
    sqlite,
    waits::{WaitedFor, waiting_for},
};

/// How long one turn of work that can be done bit by bit may take.
const MOMENT: Duration = Duration::from_millis(10);

/// Hands closures to those who write.
pub(crate) enum Writer {
    Sqlite(sqlite::Writer),
    Postgres(postgres::Writer),
}

impl Writer {
    /// Runs `operation` in its own savepoint and answers when it is on disk. If the caller goes away once it is in the queue,
    /// the operation is carried out all the same.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        lane: Lane,
        operation: impl FnOnce(&dyn Transaction) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let (answer, answered) = oneshot::channel();
        let work = work(operation, move |result| {
            // Nobody listens when the caller went away; the write stands.
            let _ = answer.send(result);
        });
        waiting_for(WaitedFor::Writer, async {
            self.hand_over(lane, Operation::Durable(work)).await?;
            answered.await.unwrap_or(Err(StoreError::Closed))
        })
        .await
    }

    /// The same for an operation that says what it will ask: those of a batch are asked together. It is asked once more when its turn comes,
    /// should it have been changed meanwhile. It takes its turn as a caller's or as a worker's.
    pub(crate) async fn write_asking<T: Send + 'static>(
        &self,
        lane: Lane,
        turn: fn(Work) -> Operation,
        ask_ahead: AskAhead,
        operation: impl FnOnce(&dyn Transaction) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let (answer, answered) = oneshot::channel();
        let asked = Arc::clone(&ask_ahead);
        let operation = move |write: &dyn Transaction| {
            if write.dialect() == Dialect::Postgres {
                asked(write)?;
            }
            operation(write)
        };
        let work = work(operation, move |result| {
            let _ = answer.send(result);
        });
        waiting_for(WaitedFor::Writer, async {
            self.hand_over(lane, turn(work.asking(ask_ahead))).await?;
            answered.await.unwrap_or(Err(StoreError::Closed))
        })
        .await
    }

    /// Whether [additions](Lane::Additions) to a project are carried out beside its other writes, and see everything that was handed over before.
    pub(crate) fn takes_additions(&self, project_id: &ProjectId) -> bool {
        match self {
            Self::Sqlite(_) => false,
            Self::Postgres(writer) => writer.takes_additions(project_id),
        }
    }

    /// Repeats `step` for a moment, or until it changes nothing more, and answers when that is on disk. Whoever has much to do comes
    /// again, and other writers get their turn in between.
    pub(crate) async fn write_some(
        &self,
        lane: Lane,
        step: impl Fn(&dyn Transaction) -> StoreResult<usize> + Send + 'static,
    ) -> StoreResult<Progress> {
        self.write(lane, move |write| {
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
        lane: Lane,
        operation: impl FnOnce(&dyn Transaction) -> StoreResult<()> + Send + 'static,
    ) -> StoreResult<()> {
        let work = work(operation, |result| {
            if let Err(error) = result {
                tracing::warn!(%error, "a write that nobody waits for was lost");
            }
        });
        self.hand_over(lane, Operation::Lazy(work)).await
    }

    /// Waits until everything that was handed over before is on disk, also what nobody waits for. Workers wait for theirs themselves.
    pub(crate) async fn settle(&self) -> StoreResult<()> {
        let lanes = match self {
            Self::Sqlite(_) => vec![Lane::Server],
            Self::Postgres(writer) => writer.busy_lanes(),
        };
        for lane in lanes {
            self.write(lane, |_| Ok(())).await?;
        }
        Ok(())
    }

    async fn hand_over(&self, lane: Lane, operation: Operation) -> StoreResult<()> {
        match self {
            Self::Sqlite(writer) => writer.hand_over(operation).await,
            Self::Postgres(writer) => writer.hand_over(lane, operation).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use tokio::task::{JoinSet, spawn_blocking};

    use super::*;

    /// More than wait for the writer thread, and than it takes at once.
    const MORE_THAN_WAIT: usize = 2_000;

    fn open(folder: &tempfile::TempDir) -> Writer {
        Writer::Sqlite(sqlite::Writer::open(&folder.path().join("reflect.db")).unwrap())
    }

    #[tokio::test]
    async fn work_without_end_gives_way_to_other_writers() {
        let folder = tempfile::tempdir().unwrap();
        let writer = open(&folder);
        for _ in 0..3 {
            let progress = writer.write_some(Lane::Server, |_| Ok(1)).await.unwrap();
            assert!(!progress.done && progress.changed > 0, "{progress:?}");
            writer.write(Lane::Server, |_| Ok(())).await.unwrap();
        }
        let progress = writer.write_some(Lane::Server, |_| Ok(0)).await.unwrap();
        assert_eq!(progress, Progress { done: true, ..Progress::default() });
    }

    #[test]
    fn writes_that_wait_for_room_hold_no_thread() {
        let folder = tempfile::tempdir().unwrap();
        let writer = Arc::new(open(&folder));
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
                first.write(Lane::Server, wait).await
            });
            begins.await.unwrap();
            for _ in 0..MORE_THAN_WAIT {
                let writer = Arc::clone(&writer);
                writes.spawn(async move { writer.write(Lane::Server, |_| Ok(())).await });
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
