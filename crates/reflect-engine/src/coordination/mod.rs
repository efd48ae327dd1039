//! What instances must agree on.
//!
//! Today one process owns a data folder, and everything here is what that process knows. Each method of [`Coordination`] says
//! what it would take with several instances over one database; a version for that changes the insides of this module, and no
//! use case. Four more agreements are kept elsewhere:
//!
//! - **Change numbers**, by which an index finds what is new, are handed out by the store's one writer thread, so that they
//!   are committed in their order. With several writers a lower number may be committed after a higher one was read: numbers
//!   have to be handed out under a lock that is held to the commit, or readers must stop before the oldest open transaction.
//! - **The throttle of failed keys** counts in the server's memory. Several instances let a stranger guess that many times
//!   more often, which is harmless; a shared count would cost a write for every wrong key.
//! - **One-time codes** for signing in are known to the instance that handed them out, and only good there.
//! - **Claims of jobs and judgements** are rows in the store with the end of their lease, and hold among instances as they are.

mod cache;
mod changes;
mod daily_spend;
mod daily_traces;
mod key_uses;
mod retrieval_logs;
mod waiting;

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use reflect_core::{KeyId, Project, ProjectId, Timestamp, TraceId};
use reflect_store::{KeyWithHash, Lease, PendingSwitch, SessionWithHash, Store, StoreResult};
use tokio::sync::Notify;
use uuid::Uuid;

use cache::Cache;
use changes::Watches;
use daily_spend::DailySpend;
use daily_traces::DailyTraces;
use key_uses::KeyUses;
use retrieval_logs::RetrievalLogs;
use waiting::Waiting;

pub(crate) use cache::Generation;
pub use changes::{Changed, Watch};
pub(crate) use daily_traces::Reservation;
pub(crate) use key_uses::Flush;
pub(crate) use waiting::Listening;

/// The only way to what instances must agree on; this one is for a single process.
pub(crate) struct Coordination {
    store: Arc<Store>,
    /// Names this process in the leases that it holds.
    instance: Uuid,
    projects: Cache<ProjectId, Arc<Project>>,
    /// By public id.
    keys: Cache<String, KeyWithHash>,
    /// By public id.
    sessions: Cache<String, SessionWithHash>,
    key_uses: KeyUses,
    spend: DailySpend,
    waiting: Waiting,
    watches: Watches,
    job_queued: Notify,
    switch_queued: Notify,
    backlog_millis: AtomicU64,
    /// Several instances would each count what they log, and measure a log a little later than one does.
    pub(crate) retrieval_logs: RetrievalLogs,
    pub(crate) daily_traces: DailyTraces,
}

/// Leases: who works on which job.
impl Coordination {
    /// An instance with a name that no other has.
    pub(crate) fn new(store: Arc<Store>, instance: Uuid) -> Self {
        Self {
            store,
            instance,
            projects: Cache::default(),
            keys: Cache::default(),
            sessions: Cache::default(),
            key_uses: KeyUses::default(),
            spend: DailySpend::default(),
            waiting: Waiting::default(),
            watches: Watches::default(),
            job_queued: Notify::new(),
            switch_queued: Notify::new(),
            backlog_millis: AtomicU64::new(0),
            retrieval_logs: RetrievalLogs::default(),
            daily_traces: DailyTraces::default(),
        }
    }

    /// A lease of this instance.
    pub(crate) fn lease(&self, until: Timestamp) -> Lease {
        Lease { owner: self.instance, until }
    }

    /// Gives back what instances had claimed that are no more, and answers how much that was. Called at the start, when a data
    /// folder has a new owner: so nobody else can be working, and all leases are released.
    ///
    /// With several instances only those of dead ones may be: each instance needs a row with a heartbeat.
    pub(crate) async fn release_abandoned_leases(&self, now: Timestamp) -> StoreResult<usize> {
        self.store.release_jobs(None, now).await
    }

    /// Gives back what this instance has claimed and will not finish.
    pub(crate) async fn release_own_leases(&self, now: Timestamp) -> StoreResult<usize> {
        self.store.release_jobs(Some(self.instance), now).await
    }

    /// The switches to other embedders that this instance is to work on: all of them. Nothing is leased, since every step can
    /// be repeated.
    ///
    /// Several instances would embed the same memories several times: a switch needs a lease of its own.
    pub(crate) async fn claim_switches(&self) -> StoreResult<Vec<PendingSwitch>> {
        self.store.list_embedder_switches().await
    }
}

/// Cached rows: what projects are set to, and which keys are valid.
///
/// Whoever changes a row forgets it afterwards, here. The other instances have to hear of it: the store can send a
/// notification in the transaction that makes the change, and whoever listens calls the same `forget_`. Until that arrives a
/// revoked key goes on working elsewhere, so that rows also need an age after which they are read again.
impl Coordination {
    /// A project as it was last read, or what it takes to remember it.
    pub(crate) fn known_project(&self, project_id: &ProjectId) -> Result<Arc<Project>, Generation> {
        self.projects.get(project_id)
    }

    /// Remembers a project, unless it may have changed since its look-up began.
    pub(crate) fn remember_project(&self, since: Generation, project: Arc<Project>) {
        self.projects.put(since, project.id.clone(), project);
    }

    /// Projects have changed.
    pub(crate) fn forget_projects(&self) {
        self.projects.forget();
    }

    /// A key as it was last read, by its public id, or what it takes to remember it.
    pub(crate) fn known_key(&self, public_id: &str) -> Result<KeyWithHash, Generation> {
        self.keys.get(public_id)
    }

    /// Remembers a key, unless it may have changed since its look-up began.
    pub(crate) fn remember_key(&self, since: Generation, key: KeyWithHash) {
        self.keys.put(since, key.key.public_id.clone(), key);
    }

    /// Keys were revoked or deleted.
    pub(crate) fn forget_keys(&self) {
        self.keys.forget();
    }

    /// A session as it was last read, by its public id, or what it takes to remember it.
    pub(crate) fn known_session(&self, public_id: &str) -> Result<SessionWithHash, Generation> {
        self.sessions.get(public_id)
    }

    /// Remembers a session, unless some may have ended since its look-up began.
    pub(crate) fn remember_session(&self, since: Generation, session: SessionWithHash) {
        self.sessions.put(since, session.session.public_id.clone(), session);
    }

    /// Sessions have ended.
    pub(crate) fn forget_sessions(&self) {
        self.sessions.forget();
    }
}

/// Uses of keys. Several instances need no more than this: each writes down the uses it saw, and the store keeps the latest.
impl Coordination {
    /// A key was used. Answers whether this instance saw it for the first time.
    pub(crate) fn key_used(&self, key_id: KeyId, now: Timestamp) -> bool {
        self.key_uses.touch(key_id, now)
    }

    /// When a key was last used, if this instance saw it.
    pub(crate) fn key_last_used(&self, key_id: KeyId) -> Option<Timestamp> {
        self.key_uses.last_used(key_id)
    }

    /// Hands those last uses to the store that are worth a write by now; a [`Flush::All`] leaves out none.
    pub(crate) async fn write_key_uses(&self, flush: Flush) -> StoreResult<()> {
        let due = self.key_uses.due(flush);
        if !due.is_empty() {
            self.store.touch_keys(due).await?;
        }
        Ok(())
    }
}

/// Today's spend, which the daily limit is held against.
///
/// It is read from the store once a day and then counted here. Several instances would each spend the limit: what they have
/// written down has to be read again every few seconds, or before every call.
impl Coordination {
    /// US dollars that calls to models have cost on a day.
    pub(crate) async fn spent_on(&self, day: i64) -> StoreResult<f64> {
        self.spend.on(day, &self.store).await
    }

    /// Counts what a call has cost. Writing it down is the caller's business.
    pub(crate) fn add_spend(&self, day: i64, cost_usd: f64) {
        self.spend.add(day, cost_usd);
    }
}

/// Waking and waiting.
///
/// Whoever waits here also looks into the store every second, so that a notification that is lost costs a second and nothing
/// else. Several instances can live with that, or send these three as notifications of the database.
impl Coordination {
    /// There may be a job to claim.
    pub(crate) fn wake_worker(&self) {
        self.job_queued.notify_one();
    }

    /// Waits until there may be a job to claim.
    pub(crate) async fn job_queued(&self) {
        self.job_queued.notified().await;
    }

    /// There may be a switch to work on.
    pub(crate) fn wake_switches(&self) {
        self.switch_queued.notify_one();
    }

    /// Waits until there may be a switch to work on.
    pub(crate) async fn switch_queued(&self) {
        self.switch_queued.notified().await;
    }

    /// Starts to listen for the end of the work on a trace. Whoever wants to miss nothing calls this before they look.
    ///
    /// The lesson may be written by another instance, whose end nobody here hears of: this one needs the notification, or its
    /// listeners have to look every now and then.
    pub(crate) fn listen(&self, trace_id: TraceId) -> Listening<'_> {
        self.waiting.listen(trace_id)
    }

    /// The work on a trace has ended, one way or the other.
    pub(crate) fn notify_finished(&self, trace_id: TraceId) {
        self.waiting.notify(trace_id);
    }

    /// The work on any trace may have ended: all who listen look for themselves whether they still have to wait.
    pub(crate) fn notify_all_finished(&self) {
        self.waiting.notify_all();
    }
}

/// Who watches a project. What another instance changes, nobody here hears of: it has to be told, as those who wait for a lesson.
impl Coordination {
    /// Watches a project from now on.
    pub(crate) fn watch(&self, project_id: &ProjectId) -> Watch {
        self.watches.watch(project_id)
    }

    /// Something in a project has changed, and is committed.
    pub(crate) fn note_change(&self, project_id: &ProjectId, changed: Changed) {
        self.watches.note(project_id, changed);
    }
}

/// The age of the backlog, by which new work is refused. Every instance measures it in the store for itself, every second.
impl Coordination {
    /// For how many milliseconds the oldest due job has been waiting, as of the last look.
    pub(crate) fn backlog_millis(&self) -> u64 {
        self.backlog_millis.load(Ordering::Relaxed)
    }

    /// Looks how far behind the queue is.
    pub(crate) async fn measure_backlog(&self, now: Timestamp) -> StoreResult<()> {
        let oldest = self.store.oldest_due_job(now).await?;
        self.backlog_millis.store(oldest.map_or(0, |due| now.millis_since(due)), Ordering::Relaxed);
        Ok(())
    }
}
