//! Removing what is too old or too much, a moment at a time, and giving its room back.

use std::time::Duration;

use reflect_core::{ProjectId, RetrievalId, Timestamp, TraceId};
use reflect_store::{Progress, RetrievalCut, StoreResult};

use crate::{Changed, Engine, EngineResult};

/// How long the writer is left to others between two moments of tidying up.
const PAUSE: Duration = Duration::from_millis(20);

/// How long a copy of the database from before a migration is kept. What is deleted meanwhile is still in it.
const COPY_RETENTION: Duration = Duration::from_secs(7 * 24 * 3_600);

/// How long a key that has expired is still listed, and refused as such.
const EXPIRED_KEY_RETENTION: Duration = Duration::from_secs(30 * 24 * 3_600);

/// How long a session that has expired is refused as such.
const EXPIRED_SESSION_RETENTION: Duration = Duration::from_secs(24 * 3_600);

/// How far ahead of the clock a row may be. What is further ahead was written by a clock that has been put right since.
const AHEAD_MILLIS: i64 = 24 * 3_600_000;

/// One part in so many of a log goes at a time once its bound is reached, so that it is seldom measured.
const LOG_PARTS: usize = 16;

impl Engine {
    /// Removes what has outlived its retention, and gives the room back.
    pub async fn prune(&self) -> EngineResult<()> {
        let now = self.now();
        let before = |retention: Duration| -> Timestamp {
            now.plus_millis(-i64::try_from(retention.as_millis()).unwrap_or(i64::MAX))
        };
        let settings = &self.settings;
        let cut = RetrievalCut {
            before: RetrievalId::earliest_at(before(settings.retrieval_retention)),
            from: RetrievalId::earliest_at(now.plus_millis(AHEAD_MILLIS)),
        };
        let mut retrievals = 0;
        for project_id in self.store.list_outlived_retrievals(cut).await? {
            retrievals += self.prune_log(&project_id, cut).await?;
        }
        let keys_before = before(settings.idempotency_retention);
        let keys = bit_by_bit(|| self.store.prune_idempotency_keys(keys_before)).await?;
        let expired_keys = self.store.prune_keys(before(EXPIRED_KEY_RETENTION)).await?;
        let sessions = self.store.prune_sessions(before(EXPIRED_SESSION_RETENTION)).await?;
        self.coordination.forget_keys();
        self.coordination.forget_sessions();
        if retrievals + keys + expired_keys + sessions > 0 {
            tracing::info!(
                retrievals,
                idempotency_keys = keys,
                expired_keys,
                sessions,
                "removed rows past their retention"
            );
        }
        let traces = self.prune_traces(settings.trace_retention.map(before)).await?;
        if traces > 0 {
            tracing::info!(traces, "forgot traces past their retention; what they taught stays");
        }
        let copies = self.store.remove_copies(before(COPY_RETENTION))?;
        if copies > 0 {
            tracing::info!(copies, "removed copies of the database from before migrations");
        }
        self.give_back_room().await
    }

    /// Cuts the retrieval logs back that have outgrown their bound.
    pub async fn bound_retrieval_logs(&self) -> EngineResult<()> {
        let most = self.settings.retrieval_log_bytes;
        let keep = most - most / LOG_PARTS;
        for project_id in self.coordination.retrieval_logs.due() {
            let share = self.store.measure_retrieval_log(project_id.clone(), most, keep).await?;
            let Some(newest_to_go) = share.newest_to_go else {
                self.coordination.retrieval_logs.set_room(&project_id, most - share.bytes);
                continue;
            };
            self.coordination.retrieval_logs.set_room(&project_id, most - keep);
            let cut = RetrievalCut { before: newest_to_go.next(), from: RetrievalId::from_uuid(uuid::Uuid::max()) };
            let removed = self.prune_log(&project_id, cut).await?;
            tracing::info!(%project_id, removed, "cut the log of queries back to its bound");
        }
        Ok(())
    }

    /// Forgets traces that are older, or more, than is kept. What they taught stays.
    async fn prune_traces(&self, older_than: Option<Timestamp>) -> EngineResult<usize> {
        let mut removed = 0;
        if older_than.is_none() && self.settings.trace_count.is_none() {
            return Ok(removed);
        }
        for project in self.store.list_projects().await? {
            let surplus = match self.settings.trace_count {
                Some(keep) => self.store.find_surplus_trace(project.id.clone(), keep).await?.map(TraceId::next),
                None => None,
            };
            let Some(before) = surplus.into_iter().chain(older_than.map(TraceId::earliest_at)).max() else { continue };
            let forgotten = bit_by_bit(|| self.store.prune_traces(project.id.clone(), before)).await?;
            if forgotten > 0 {
                self.coordination.note_change(&project.id, Changed::TRACES);
            }
            removed += forgotten;
        }
        Ok(removed)
    }

    async fn prune_log(&self, project_id: &ProjectId, cut: RetrievalCut) -> EngineResult<usize> {
        bit_by_bit(|| self.store.prune_retrievals(project_id.clone(), cut)).await
    }

    /// Gives the pages of deleted rows back to the file system, and empties the log that still has what was in them.
    pub(crate) async fn give_back_room(&self) -> EngineResult<()> {
        bit_by_bit(|| self.store.give_back_pages()).await?;
        Ok(self.store.empty_log().await?)
    }
}

/// Works to the end a moment at a time, with room for other writers in between. Answers how much was changed.
pub(crate) async fn bit_by_bit<F: Future<Output = StoreResult<Progress>>>(step: impl Fn() -> F) -> EngineResult<usize> {
    let mut changed = 0;
    loop {
        let progress = step().await?;
        changed += progress.changed;
        if progress.done {
            return Ok(changed);
        }
        tokio::time::sleep(PAUSE).await;
    }
}
