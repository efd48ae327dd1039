//! What instances must agree on.
//!
//! One process owns a data folder; any number share a database of PostgreSQL. Each part of [`Coordination`] says what it takes with several
//! instances. Nothing is right only because instances tell each other ([`news`]): what is remembered here has an age where others may change it,
//! and whoever waits looks for themselves. More agreements are kept elsewhere:
//!
//! - **Change numbers**, by which an index finds what is new, come from the store, in an order such that whoever sees one also sees all
//!   lower ones of that project. An index asks for newer ones at each query, so a query anywhere sees what is committed.
//! - **Claims of jobs and judgements** are rows in the store with the end of their lease.
//! - **First answers** of idempotent requests are rows in the store, in the transaction of what they answer.
//! - **The throttle of failed keys**, **rates of keys**, **calls to a model at a time** and **circuit breakers** are counted by each instance for
//!   itself. Together they let through that many times more; a shared count would cost a round trip for every request.
//! - **One-time codes** for signing in are known to the instance that handed them out, and only good there.

mod cache;
mod changes;
mod daily_spend;
mod daily_traces;
mod key_uses;
mod leading;
mod news;
mod retrieval_logs;
mod waiting;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use reflect_core::{KeyId, Project, ProjectId, Timestamp, TraceId};
use reflect_store::{Heard, KeyWithHash, Lease, PendingSwitch, SessionWithHash, Store, StoreResult};
use tokio::{sync::Notify, time::Instant};
use uuid::Uuid;

use cache::Cache;
use changes::Watches;
use daily_spend::DailySpend;
use daily_traces::DailyTraces;
use key_uses::KeyUses;
use leading::Leading;
use news::{Piece, Untold};
use retrieval_logs::RetrievalLogs;
use waiting::Waiting;

pub use changes::{Changed, Watch};
pub(crate) use daily_traces::Reservation;
pub(crate) use key_uses::Flush;
pub(crate) use waiting::Listening;

/// How old a row may be that other instances may have changed: a key that was revoked on one opens nothing on the others after this time.
const ROW_AGE: Duration = Duration::from_millis(500);

/// How old the day's spend may be that other instances add to.
const SPEND_AGE: Duration = Duration::from_secs(1);

/// How old the count of a day's traces may be that other instances add to. Counting reads an index of all of them.
const DAILY_TRACES_AGE: Duration = Duration::from_secs(5);

/// How often those look for themselves who wait for what another instance may do.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How long news is gathered, so that instances tell each other a hundred times a second at most.
const GATHER: Duration = Duration::from_millis(10);

/// The only way to what instances must agree on.
pub(crate) struct Coordination {
    store: Arc<Store>,
    /// Names this process in the leases that it holds.
    instance: Uuid,
    /// Whether there may be other instances over the same database.
    is_shared: bool,
    leading: Leading,
    untold: Untold,
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
        let is_shared = store.is_shared();
        let if_shared = |age: Duration| is_shared.then_some(age);
        Self {
            store,
            instance,
            is_shared,
            leading: Leading::default(),
            untold: Untold::default(),
            projects: Cache::new(if_shared(ROW_AGE)),
            keys: Cache::new(if_shared(ROW_AGE)),
            sessions: Cache::new(if_shared(ROW_AGE)),
            key_uses: KeyUses::default(),
            spend: DailySpend::new(if_shared(SPEND_AGE)),
            waiting: Waiting::default(),
            watches: Watches::default(),
            job_queued: Notify::new(),
            switch_queued: Notify::new(),
            backlog_millis: AtomicU64::new(0),
            retrieval_logs: RetrievalLogs::default(),
            daily_traces: DailyTraces::new(if_shared(DAILY_TRACES_AGE)),
        }
    }

    /// A lease of this instance.
    pub(crate) fn lease(&self, until: Timestamp) -> Lease {
        Lease { owner: self.instance, until }
    }

    /// Gives back what instances had claimed that are no more, and answers how much that was. Called at the start, when a data
    /// folder has a new owner: so nobody else can be working, and all leases are released. Where others may be working, jobs of those
    /// who died fall due with their leases.
    pub(crate) async fn release_abandoned_leases(&self, now: Timestamp) -> StoreResult<usize> {
        if self.is_shared { Ok(0) } else { self.store.release_jobs(None, now).await }
    }

    /// Gives back what this instance has claimed and will not finish.
    pub(crate) async fn release_own_leases(&self, now: Timestamp) -> StoreResult<usize> {
        self.store.release_jobs(Some(self.instance), now).await
    }

    /// Whether this instance is the one that does what one of them has to do: it tidies up, erases and switches embedders. A server
    /// without others always is. Two may be for a moment, while a connection to the database breaks: every step can be repeated.
    pub(crate) fn is_leading(&self) -> bool {
        let leads = self.store.is_leading();
        if self.is_shared {
            self.leading.note(leads);
        }
        leads
    }

    /// Nothing is done in the background any more: whoever does it by hand waits for nobody.
    pub(crate) fn stop_leading(&self) {
        self.leading.note(false);
    }

    /// The switches to other embedders that are under way. Nothing is leased, since every step can be repeated; in the background only the
    /// instance that leads works on them.
    pub(crate) async fn list_switches(&self) -> StoreResult<Vec<PendingSwitch>> {
        self.store.list_embedder_switches().await
    }

    /// A project has its new embedder.
    pub(crate) fn note_flip(&self) {
        self.forget_projects();
        self.leading.hold_sweeps();
    }

    /// Whether what an old embedder made can be removed: whoever remembered a project with it has read that row again.
    pub(crate) fn may_sweep(&self) -> bool {
        self.leading.may_sweep()
    }
}

/// Cached rows: what projects are set to, and which keys are valid.
///
/// Whoever changes a row forgets it afterwards, here. Other instances read it again once it is half a second old.
impl Coordination {
    /// A project as it was last read, if there is one.
    pub(crate) async fn find_project(&self, project_id: &ProjectId) -> StoreResult<Option<Arc<Project>>> {
        let look_up = || {
            let (store, project_id) = (Arc::clone(&self.store), project_id.clone());
            async move { Ok(store.get_project(project_id).await?.map(Arc::new)) }
        };
        self.projects.find(project_id, look_up).await
    }

    /// Projects have changed.
    pub(crate) fn forget_projects(&self) {
        self.projects.forget();
    }

    /// The key with this public id as it was last read, revoked or not.
    pub(crate) async fn find_key(&self, public_id: &str) -> StoreResult<Option<KeyWithHash>> {
        let look_up = || {
            let (store, public_id) = (Arc::clone(&self.store), public_id.to_owned());
            async move { store.get_key_by_public_id(public_id).await }
        };
        self.keys.find(public_id, look_up).await
    }

    /// Keys were revoked or deleted.
    pub(crate) fn forget_keys(&self) {
        self.keys.forget();
    }

    /// The session with this public id as it was last read.
    pub(crate) async fn find_session(&self, public_id: &str) -> StoreResult<Option<SessionWithHash>> {
        let look_up = || {
            let (store, public_id) = (Arc::clone(&self.store), public_id.to_owned());
            async move { store.get_session(public_id).await }
        };
        self.sessions.find(public_id, look_up).await
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
/// It is read from the store and then counted here: once a day, or every second where other instances write down what they spend. Calls that
/// those begin within that second may go over the limit.
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
/// else.
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
    pub(crate) fn listen(&self, trace_id: TraceId) -> Listening<'_> {
        self.waiting.listen(trace_id)
    }

    /// The work on a trace has ended, one way or the other.
    pub(crate) fn notify_finished(&self, trace_id: TraceId) {
        self.waiting.notify(trace_id);
        if self.is_shared {
            self.untold.finished(trace_id);
        }
    }

    /// Until when somebody listens before they look again, `deadline` at the latest: another instance may do the work.
    pub(crate) fn look_again(&self, deadline: Instant) -> Instant {
        if self.is_shared { deadline.min(Instant::now() + LOOK_EVERY) } else { deadline }
    }

    /// The work on any trace may have ended: all who listen look for themselves whether they still have to wait.
    pub(crate) fn notify_all_finished(&self) {
        self.waiting.notify_all();
    }
}

/// Who watches a project.
impl Coordination {
    /// Watches a project from now on.
    pub(crate) fn watch(&self, project_id: &ProjectId) -> Watch {
        self.watches.watch(project_id)
    }

    /// Something in a project has changed, and is committed.
    pub(crate) fn note_change(&self, project_id: &ProjectId, changed: Changed) {
        self.watches.note(project_id, changed);
        if self.is_shared {
            self.untold.changed(project_id, changed);
        }
    }
}

/// Telling the other instances, and hearing from them.
impl Coordination {
    /// Whether there may be other instances over the same database.
    pub(crate) fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// Waits until there is news, and tells it.
    pub(crate) async fn tell_others(&self) -> StoreResult<()> {
        self.untold.wait().await;
        tokio::time::sleep(GATHER).await;
        for message in self.untold.take(self.instance) {
            self.store.tell(message).await?;
        }
        Ok(())
    }

    /// Passes on what was heard.
    pub(crate) fn heard(&self, heard: &Heard) {
        let Heard::Message(message) = heard else { return self.suspect_changes() };
        for piece in news::read(message, self.instance) {
            match piece {
                Piece::Finished(trace_id) => self.waiting.notify(trace_id),
                Piece::Changed(project_id, changed) => self.watches.note(&project_id, changed),
            }
        }
    }

    /// Anything may have changed without anybody here having heard of it.
    pub(crate) fn suspect_changes(&self) {
        self.waiting.notify_all();
        self.watches.note_everywhere(Changed::ALL);
    }

    /// Looks which projects other instances have begun to erase.
    pub(crate) async fn look_for_erased_projects(&self) -> StoreResult<()> {
        if self.is_shared { self.store.refresh_being_erased().await } else { Ok(()) }
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
