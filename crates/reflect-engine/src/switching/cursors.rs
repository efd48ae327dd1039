//! How far the work on each switch has come in this process. None of it has to outlive it.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use reflect_core::{Backoff, EmbedderId, EmbedderSwitch, ProjectId, Timestamp};
use reflect_store::{PendingSwitch, SwitchProgress};

/// The pauses after a batch failed, and after a round that passed memories over.
const BACKOFF: Backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(60));

/// How long queries share a count of what they search.
const COUNT_MILLIS: u64 = 1_000;

/// How often the log says how far a project has come.
const SAID_MILLIS: u64 = 60_000;

/// The switches that this process has worked on.
#[derive(Default)]
pub(crate) struct Switches {
    by_project: Mutex<HashMap<ProjectId, Cursor>>,
    counts: Mutex<HashMap<ProjectId, Count>>,
    /// When the log last said how far each has come.
    said: Mutex<HashMap<ProjectId, Timestamp>>,
}

/// How many memories of a project had vectors of an embedder, and when they were counted.
#[derive(Clone)]
pub(super) struct Count {
    pub(super) embedder: EmbedderId,
    pub(super) progress: SwitchProgress,
    pub(super) at: Timestamp,
}

/// How far the work on a switch has come, and when it may go on.
#[derive(Clone)]
pub(super) struct Cursor {
    pub(super) switch: EmbedderSwitch,
    /// Memories that have not changed since this change have their vectors, or were passed over.
    pub(super) seen: i64,
    /// Whether any was passed over in this round, because it could not even be embedded alone.
    pub(super) passed_over: bool,
    /// How many rounds have ended with some that were passed over.
    rounds: u32,
    pub(super) batch: usize,
    /// The most that a batch holds.
    most: usize,
    pub(super) failures: u32,
    not_before: Option<Timestamp>,
    pub(super) problem: Option<String>,
}

impl Cursor {
    pub(super) fn start(switch: EmbedderSwitch, batch: usize) -> Self {
        Self {
            switch,
            seen: 0,
            passed_over: false,
            rounds: 0,
            batch,
            most: batch,
            failures: 0,
            not_before: None,
            problem: None,
        }
    }

    /// Waits longer each time, and asks for less: what is too much at once may be possible one by one. A memory that fails
    /// alone is passed over in this round, so that it does not keep the others.
    pub(super) fn failed(self, problem: String, now: Timestamp, seen: i64) -> Self {
        let alone = self.batch == 1;
        Self {
            seen: if alone { seen } else { self.seen },
            passed_over: self.passed_over || alone,
            batch: (self.batch / 2).max(1),
            failures: self.failures + 1,
            not_before: Some(now.plus(BACKOFF.wait(self.failures + 1))),
            problem: Some(problem),
            ..self
        }
    }

    pub(super) fn is_pausing(&self, now: Timestamp) -> bool {
        self.not_before.is_some_and(|not_before| not_before.is_awaited(now, BACKOFF.longest()))
    }

    pub(super) fn advanced_to(self, seen: i64) -> Self {
        let problem = self.problem.filter(|_| self.passed_over);
        Self { seen, batch: (self.batch * 2).min(self.most), failures: 0, not_before: None, problem, ..self }
    }

    /// Back to the start, for those that were passed over.
    pub(super) fn start_over(self, now: Timestamp) -> Self {
        let not_before = Some(now.plus(BACKOFF.wait(self.rounds + 1)));
        Self { seen: 0, passed_over: false, rounds: self.rounds + 1, not_before, ..self }
    }
}

impl Switches {
    /// How far the work on this very switch has come, if it has begun.
    pub(super) fn cursor(&self, pending: &PendingSwitch) -> Option<Cursor> {
        let cursors = self.by_project.lock().unwrap_or_else(PoisonError::into_inner);
        let known = cursors.get(&pending.project_id).filter(|cursor| cursor.switch == pending.switch);
        known.cloned()
    }

    pub(super) fn put(&self, pending: &PendingSwitch, cursor: Cursor) {
        let mut cursors = self.by_project.lock().unwrap_or_else(PoisonError::into_inner);
        cursors.insert(pending.project_id.clone(), cursor);
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).remove(&pending.project_id);
    }

    /// Forgets those that have ended.
    pub(super) fn keep(&self, pending: &[PendingSwitch]) {
        let is_pending = |project_id: &ProjectId| pending.iter().any(|pending| pending.project_id == *project_id);
        let mut cursors = self.by_project.lock().unwrap_or_else(PoisonError::into_inner);
        cursors.retain(|project_id, _| is_pending(project_id));
        self.said.lock().unwrap_or_else(PoisonError::into_inner).retain(|project_id, _| is_pending(project_id));
    }

    /// Whether it is time to say in the log how far a project has come; then it counts as said.
    pub(super) fn is_to_be_said(&self, project_id: &ProjectId, now: Timestamp) -> bool {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.get(project_id).is_some_and(|said_at| now.millis_since(*said_at) < SAID_MILLIS) {
            return false;
        }
        said.insert(project_id.clone(), now);
        true
    }

    pub(super) fn fresh_count(
        &self,
        project_id: &ProjectId,
        embedder: &EmbedderId,
        now: Timestamp,
    ) -> Option<SwitchProgress> {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.get(project_id)?;
        (count.embedder == *embedder && now.millis_since(count.at) < COUNT_MILLIS).then_some(count.progress)
    }

    pub(super) fn put_count(&self, project_id: ProjectId, count: Count) {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).insert(project_id, count);
    }
}
