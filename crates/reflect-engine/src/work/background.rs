//! What a server does between requests: working jobs, watching the queue, tidying up.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use reflect_store::{Heard, JobInput};
use tokio::{
    sync::{Semaphore, mpsc::UnboundedReceiver},
    task::JoinHandle,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{claims::Claim, repeated::Repeated};
use crate::{Engine, EngineResult, coordination::Flush};

/// How often the queue's age is measured, and the longest that the worker sleeps without looking.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How long freed slots are gathered before jobs are claimed for them.
const GATHER: Duration = Duration::from_millis(1);

/// How often uses of keys are written down.
const KEY_USES_EVERY: Duration = Duration::from_secs(30);

/// How often old log rows are removed.
const PRUNE_EVERY: Duration = Duration::from_secs(3_600);

/// How often the indexes in memory are held against the database.
const CHECK_INDEXES_EVERY: Duration = Duration::from_secs(24 * 3_600);

/// How often the judge looks for runs that nobody has reviewed.
const JUDGE_EVERY: Duration = Duration::from_secs(10);

/// How often those who watch a project that other instances work on as well look for themselves.
const SUSPECT_EVERY: Duration = Duration::from_secs(15);

/// How long jobs in progress may go on once the end was asked for.
const STOP_PATIENCE: Duration = Duration::from_secs(3);

/// The tasks that run beside the requests. They end with [`Background::stop`].
pub struct Background {
    engine: Arc<Engine>,
    stop: CancellationToken,
    tasks: TaskTracker,
    worker: JoinHandle<()>,
}

impl Background {
    /// Starts the worker and the housekeeping. Whatever an earlier process had claimed is given back first.
    pub async fn start(engine: Arc<Engine>) -> EngineResult<Self> {
        let released = engine.coordination.release_abandoned_leases(engine.now()).await?;
        if released > 0 {
            tracing::info!(released, "took up lessons that an earlier process had left unfinished");
        }
        engine.start_due_switches().await?;
        let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
        let worker = tasks.spawn(run_worker(Arc::clone(&engine), stop.clone(), tasks.clone()));
        tasks.spawn(run_housekeeping(Arc::clone(&engine), stop.clone()));
        tasks.spawn(stop.clone().run_until_cancelled_owned(run_tidying(Arc::clone(&engine))));
        tasks.spawn(stop.clone().run_until_cancelled_owned(run_erasing(Arc::clone(&engine))));
        tasks.spawn(stop.clone().run_until_cancelled_owned(run_switches(Arc::clone(&engine))));
        if engine.coordination.is_shared() {
            let heard = engine.store.hear()?;
            // Before anybody asks for a project that would not fit in memory.
            engine.look_for_search_tables().await?;
            tasks.spawn(stop.clone().run_until_cancelled_owned(run_search_tables(Arc::clone(&engine))));
            tasks.spawn(stop.clone().run_until_cancelled_owned(run_telling(Arc::clone(&engine))));
            tasks.spawn(stop.clone().run_until_cancelled_owned(run_hearing(Arc::clone(&engine), heard)));
        }
        if engine.models.iter().next().is_some() {
            tasks.spawn(stop.clone().run_until_cancelled_owned(run_judge(Arc::clone(&engine))));
        }
        Ok(Self { engine, stop, tasks, worker })
    }

    /// Whether the worker is running.
    pub fn is_running(&self) -> bool {
        !self.stop.is_cancelled() && !self.worker.is_finished()
    }

    /// Claims nothing more, lets what is in progress finish for a while, gives the rest back, writes down what is still in
    /// memory.
    pub async fn stop(&self) {
        self.stop.cancel();
        self.tasks.close();
        if tokio::time::timeout(STOP_PATIENCE, self.tasks.wait()).await.is_err() {
            tracing::warn!("some lessons were still being written; their jobs are given back");
        }
        let engine = &self.engine;
        engine.coordination.stop_leading();
        if let Err(error) = engine.coordination.release_own_leases(engine.now()).await {
            tracing::error!(%error, "claimed jobs could not be given back; they fall due with their leases");
        }
        if let Err(error) = engine.coordination.write_key_uses(Flush::All).await {
            tracing::error!(%error, "the last uses of keys were not written down");
        }
    }
}

/// Dropped without being stopped, it claims nothing more; what it had claimed falls due with its lease.
impl Drop for Background {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

async fn run_worker(engine: Arc<Engine>, stop: CancellationToken, tasks: TaskTracker) {
    let slots = Arc::new(Semaphore::new(engine.settings.workers.max(1)));
    let mut claiming = Repeated::new("claiming jobs");
    loop {
        let free = tokio::select! {
            () = stop.cancelled() => return,
            free = free_slots(&slots) => free,
        };
        let Ok(mut taken) = Arc::clone(&slots).try_acquire_many_owned(free) else {
            continue;
        };
        let (claims, pause) = match claiming.note(claim(&engine, free as usize).await) {
            Some(claims) if claims.is_empty() => (claims, Some(until_due(&engine, free as usize).await)),
            Some(claims) => (claims, None),
            None => (Vec::new(), Some(LOOK_EVERY)),
        };
        for (claim, input) in claims {
            let slot = taken.split(1);
            let engine = Arc::clone(&engine);
            tasks.spawn(async move {
                let _slot = slot;
                engine.work(claim, input).await;
            });
        }
        drop(taken);
        if let Some(pause) = pause {
            tokio::select! {
                () = stop.cancelled() => return,
                () = engine.coordination.job_queued() => {}
                () = tokio::time::sleep(pause) => {}
            }
        }
    }
}

/// How long until the next job falls due that would be claimed, and no longer than a look is apart: another process may add
/// jobs, too.
async fn until_due(engine: &Engine, limit: usize) -> Duration {
    let limits = engine.claim_limits(limit).await;
    match engine.store.next_claimable_job(limits).await {
        Ok(Some(due)) => Duration::from_millis(due.millis_since(engine.now()) + 1).min(LOOK_EVERY),
        _ => LOOK_EVERY,
    }
}

/// How many slots are free, at least one, after a moment in which more may become so: claiming many jobs at once costs hardly
/// more than claiming one.
async fn free_slots(slots: &Semaphore) -> u32 {
    drop(slots.acquire().await);
    tokio::time::sleep(GATHER).await;
    u32::try_from(slots.available_permits()).unwrap_or(u32::MAX).max(1)
}

async fn claim(engine: &Engine, limit: usize) -> EngineResult<Vec<(Claim, JobInput)>> {
    let claims = engine.claim_jobs(limit).await?;
    if claims.is_empty() {
        return Ok(Vec::new());
    }
    engine.with_inputs(claims).await
}

async fn run_housekeeping(engine: Arc<Engine>, stop: CancellationToken) {
    let mut look = tokio::time::interval(LOOK_EVERY);
    let mut key_uses = tokio::time::interval(KEY_USES_EVERY);
    let mut check_indexes = tokio::time::interval(CHECK_INDEXES_EVERY);
    let [mut measuring, mut writing_uses, mut checking] =
        ["measuring the queue", "writing down the uses of keys", "checking the indexes"].map(Repeated::new);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = look.tick() => {
                engine.words.forget_old(Instant::now());
                measuring.note(engine.measure_backlog().await);
            }
            _ = key_uses.tick() => {
                writing_uses.note(engine.coordination.write_key_uses(Flush::Due).await.map_err(Into::into));
            }
            _ = check_indexes.tick() => {
                checking.note(engine.check_indexes().await);
            }
        }
    }
}

/// Removes what is too old or too much. It can be stopped anywhere: every step can be repeated.
async fn run_tidying(engine: Arc<Engine>) {
    let mut look = tokio::time::interval(LOOK_EVERY);
    let mut prune = tokio::time::interval(PRUNE_EVERY);
    let [mut bounding, mut pruning] = ["bounding the logs of queries", "removing what is too old"].map(Repeated::new);
    loop {
        tokio::select! {
            _ = look.tick() => {
                bounding.note(engine.bound_retrieval_logs().await);
            }
            _ = prune.tick() => {
                if engine.coordination.is_leading() {
                    pruning.note(engine.prune().await);
                }
            }
        }
    }
}

/// Erases deleted projects, also those that an earlier process had begun with, or looks which of them another instance erases. It can be
/// stopped anywhere.
async fn run_erasing(engine: Arc<Engine>) {
    let mut look = tokio::time::interval(LOOK_EVERY / 2);
    let mut erasing = Repeated::new("erasing deleted projects");
    loop {
        look.tick().await;
        let known = engine.coordination.look_for_erased_projects().await;
        erasing.note(match known {
            Ok(()) if engine.coordination.is_leading() => engine.erase_deleted_projects().await,
            known => known.map_err(Into::into),
        });
    }
}

/// Works on switches to other embedders. It can be stopped anywhere: every step can be repeated.
async fn run_switches(engine: Arc<Engine>) {
    let mut switching = Repeated::new("switching to another embedder");
    loop {
        let stepped = if engine.coordination.is_leading() { engine.step_switches().await } else { Ok(0) };
        let pause = match switching.note(stepped) {
            Some(0) | None => LOOK_EVERY,
            Some(_) => Duration::ZERO,
        };
        let _ = tokio::time::timeout(pause, engine.coordination.switch_queued()).await;
    }
}

/// Looks which projects the database searches, and keeps their tables up to date. It can be stopped anywhere: every step can be repeated.
async fn run_search_tables(engine: Arc<Engine>) {
    let mut stepping = Repeated::new("keeping the tables for searches up to date");
    loop {
        let stepped = if engine.coordination.is_leading() {
            engine.step_search_tables().await
        } else {
            engine.look_for_search_tables().await.map(|_| false)
        };
        if stepping.note(stepped) != Some(true) {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
}

/// Tells the other instances what has happened here. What cannot be told is lost: nobody relies on it.
async fn run_telling(engine: Arc<Engine>) {
    loop {
        if let Err(error) = engine.coordination.tell_others().await {
            tracing::debug!(%error, "the other instances could not be told what has changed");
        }
    }
}

/// Hears what has happened elsewhere. News may have been lost, so that every now and then anything may have.
async fn run_hearing(engine: Arc<Engine>, mut heard: UnboundedReceiver<Heard>) {
    let mut suspect = tokio::time::interval(SUSPECT_EVERY);
    loop {
        tokio::select! {
            Some(heard) = heard.recv() => {
                if heard == Heard::Failover {
                    engine.read_anew();
                }
                engine.coordination.heard(&heard);
            }
            _ = suspect.tick() => engine.coordination.suspect_changes(),
        }
    }
}

/// Judges beside everything else. A question that is in the air when the end is asked for falls due again with its lease.
async fn run_judge(engine: Arc<Engine>) {
    let mut look = tokio::time::interval(JUDGE_EVERY);
    let mut judging = Repeated::new("judging");
    loop {
        look.tick().await;
        if let Some(judged @ 1..) = judging.note(engine.judge_due_traces().await) {
            tracing::info!(judged, "asked the judge about runs that nobody has reviewed");
        }
    }
}
