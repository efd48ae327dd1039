//! How many traces each project has stored today.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use reflect_core::ProjectId;
use tokio::time::Instant;

/// The day that was counted last, and how many traces it has. Read from the store before a day's first trace, so that a restart forgets
/// nothing; where other instances store traces as well, again whenever the count is old.
pub(crate) struct DailyTraces {
    counts: Mutex<HashMap<ProjectId, Counted>>,
    max_age: Option<Duration>,
}

#[derive(Clone, Copy)]
struct Counted {
    day: i64,
    traces: u64,
    read_at: Instant,
}

/// One more trace of a day, while it is being stored. Dropped, it does not count.
pub(crate) struct Reservation<'a> {
    counts: &'a DailyTraces,
    project_id: ProjectId,
    is_stored: bool,
}

impl DailyTraces {
    pub(super) fn new(max_age: Option<Duration>) -> Self {
        Self { counts: Mutex::default(), max_age }
    }

    /// Whether this day's traces were counted.
    pub(crate) fn knows(&self, project_id: &ProjectId, day: i64) -> bool {
        self.lock().get(project_id).is_some_and(|counted| self.is_good(counted, day))
    }

    /// So many were stored before. Whoever counted first is right: more have been stored since.
    pub(crate) fn begin(&self, project_id: &ProjectId, day: i64, traces: u64) {
        let mut counts = self.lock();
        if counts.get(project_id).is_none_or(|counted| !self.is_good(counted, day)) {
            counts.insert(project_id.clone(), Counted { day, traces, read_at: Instant::now() });
        }
    }

    fn is_good(&self, counted: &Counted, day: i64) -> bool {
        counted.day == day && self.max_age.is_none_or(|max_age| counted.read_at.elapsed() < max_age)
    }

    /// One more, unless there are `most` already.
    pub(crate) fn reserve(&self, project_id: &ProjectId, most: u64) -> Option<Reservation<'_>> {
        let mut counts = self.lock();
        let counted = counts.get_mut(project_id).filter(|counted| counted.traces < most)?;
        counted.traces += 1;
        Some(Reservation { counts: self, project_id: project_id.clone(), is_stored: false })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ProjectId, Counted>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reservation<'_> {
    /// It is stored, and counts.
    pub(crate) fn keep(mut self) {
        self.is_stored = true;
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        if let Some(counted) = self.counts.lock().get_mut(&self.project_id).filter(|_| !self.is_stored) {
            counted.traces = counted.traces.saturating_sub(1);
        }
    }
}
