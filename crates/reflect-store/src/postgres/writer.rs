//! Those who write: each takes one lane at a time, and several lanes are written side by side.

use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::JoinHandle,
    time::Instant,
};

use reflect_core::ProjectId;

use super::{lanes::Lanes, pool::Pool, schema::current_schema, target::Target, write::Write};
use crate::{
    error::{StoreError, StoreResult},
    sql::{Lane, Operation, Work, commit_batch, refuse_batch},
};

/// How many lanes are written side by side.
const WRITERS: usize = 8;

/// Hands closures to those who write.
pub(crate) struct Writer {
    desk: Arc<Desk>,
    threads: Vec<JoinHandle<()>>,
}

/// Where work is handed over.
struct Desk {
    lanes: Mutex<Lanes>,
    has_work: Condvar,
    pool: Arc<Pool>,
    schema: String,
}

impl Writer {
    pub(crate) fn start(target: &Target) -> StoreResult<Self> {
        let pool = Pool::new(target, WRITERS);
        let connection = pool.take()?;
        let schema = current_schema(&connection)?;
        pool.give_back(connection);
        let desk = Arc::new(Desk { lanes: Mutex::default(), has_work: Condvar::new(), pool, schema });
        let mut writer = Self { desk, threads: Vec::with_capacity(WRITERS) };
        for _ in 0..WRITERS {
            let desk = Arc::clone(&writer.desk);
            let thread = std::thread::Builder::new().name("reflect-writer".into()).spawn(move || desk.work());
            writer.threads.push(thread.map_err(StoreError::file("starting a writer thread"))?);
        }
        Ok(writer)
    }

    /// Hands an operation over; waits while too many are waiting in its lane already.
    pub(crate) async fn hand_over(&self, lane: Lane, operation: Operation) -> StoreResult<()> {
        let slots = self.desk.lock().slots(&lane);
        let slot = slots.acquire_owned().await.map_err(|_| StoreError::Closed)?;
        if self.desk.lock().push(lane, (operation, slot), Instant::now()) {
            self.desk.has_work.notify_one();
        }
        Ok(())
    }

    /// Whether additions to a project see everything that was handed over for it before.
    pub(crate) fn takes_additions(&self, project_id: &ProjectId) -> bool {
        !self.desk.lock().holds_lazy(&Lane::of(project_id))
    }

    /// The lanes in which something waits or is being written.
    pub(crate) fn busy_lanes(&self) -> Vec<Lane> {
        self.desk.lock().busy()
    }
}

/// Closing waits until everything that was handed over is on disk.
impl Drop for Writer {
    fn drop(&mut self) {
        self.desk.lock().close();
        self.desk.has_work.notify_all();
        for thread in self.threads.drain(..) {
            if thread.join().is_err() {
                tracing::error!("a writer thread ended in a panic");
            }
        }
    }
}

impl Desk {
    fn lock(&self) -> MutexGuard<'_, Lanes> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes one lane after the other, until it is closed and none is left.
    fn work(&self) {
        while let Some((lane, batch)) = self.next() {
            self.write(&lane, batch);
            let mut lanes = self.lock();
            lanes.give_back(lane, Instant::now());
            drop(lanes);
            self.has_work.notify_one();
        }
    }

    fn next(&self) -> Option<(Lane, Vec<Work>)> {
        let mut lanes = self.lock();
        loop {
            let now = Instant::now();
            if let Some(taken) = lanes.take(now) {
                if lanes.is_ready() {
                    self.has_work.notify_one();
                }
                return Some(taken);
            }
            if lanes.is_closed() {
                return None;
            }
            lanes = match lanes.next_lazy() {
                Some(at) => {
                    let left = at.saturating_duration_since(now);
                    self.has_work.wait_timeout(lanes, left).unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.has_work.wait(lanes).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    fn write(&self, lane: &Lane, mut batch: Vec<Work>) {
        match self.pool.take() {
            Ok(connection) => {
                commit_batch(&Write::begin(&connection, &self.schema, lane), Ok(()), &mut batch);
                self.pool.give_back(connection);
            }
            Err(error) => refuse_batch(&error, &mut batch),
        }
    }
}
