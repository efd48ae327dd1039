//! A store to try things on, and values to try them with.

mod everything;
mod fixture;
mod temp_store;

use std::{
    sync::atomic::{AtomicI64, AtomicU64, Ordering},
    task::Poll,
    time::Duration,
};

use reflect_core::{Clock, Entropy, Memory, ProjectId, Timestamp};
use reflect_store::{MemoryFilter, Store};

pub(crate) use everything::{PROJECTS, Rows, make_everything, read_all};
pub(crate) use fixture::{DEFAULT_ALPHA, Fixture, first, newest, tally_of, vector_of};
pub(crate) use temp_store::{TempSchema, TempStore};

/// Later than anything in a test is due.
pub(crate) const FAR_AHEAD: Timestamp = Timestamp::from_micros(i64::MAX);

/// How long a search may take: longer than any here does, however busy the machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(600);

/// A page of memories, looked up and read.
pub(crate) async fn list_memories(store: &Store, project_id: ProjectId, filter: MemoryFilter) -> Vec<Memory> {
    let viewpoint = filter.viewpoint;
    let plan = store.plan_memories(project_id.clone(), filter, PATIENCE).await.unwrap();
    store.get_memories(project_id, plan.memory_ids, viewpoint).await.unwrap()
}

/// Makes a test of each case, over a store of its own: SQLite, or the PostgreSQL that `REFLECT_TEST_DATABASE_URL` names.
macro_rules! conformance {
    ($($case:ident),+ $(,)?) => {
        mod cases {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $case() {
                    let temp = $crate::support::TempStore::open().await;
                    super::$case(&temp.store).await;
                }
            )+
        }
    };
}

pub(crate) use conformance;

/// A clock that moves on by a millisecond whenever it is looked at.
pub(crate) struct TickingClock(AtomicI64);

impl TickingClock {
    /// Every clock starts at the same time, so that two fixtures make the same ids.
    pub(crate) fn new() -> Self {
        Self(AtomicI64::new(1_800_000_000_000_000))
    }
}

impl Clock for TickingClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.0.fetch_add(1_000, Ordering::Relaxed))
    }
}

/// Counts up instead of drawing random numbers, so that ids are the same in every run.
#[derive(Default)]
pub(crate) struct CountingEntropy(AtomicU64);

impl Entropy for CountingEntropy {
    fn fill(&self, bytes: &mut [u8]) {
        let count = self.0.fetch_add(1, Ordering::Relaxed).to_le_bytes();
        for (byte, counted) in bytes.iter_mut().zip(count.into_iter().cycle()) {
            *byte = counted;
        }
    }
}

/// Starts every future before it waits for any, and answers in their order.
pub(crate) async fn all_at_once<F: Future>(futures: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut waiting: Vec<_> = futures.map(Box::pin).collect();
    let mut answers: Vec<Option<F::Output>> = waiting.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        let mut done = true;
        for (future, answer) in waiting.iter_mut().zip(&mut answers) {
            if answer.is_none() {
                match future.as_mut().poll(context) {
                    Poll::Ready(ready) => *answer = Some(ready),
                    Poll::Pending => done = false,
                }
            }
        }
        if done { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    answers.into_iter().flatten().collect()
}
