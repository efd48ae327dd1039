//! Queries that were answered and are still to be logged.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use reflect_core::ProjectId;

use crate::tables::retrievals::LogRow;

/// How many queries of a project may wait before those after them do: the database is far behind then.
const MOST: usize = 1_024;

/// The rows that wait, project by project. Somebody has promised to have them written, or will with the next one.
#[derive(Default)]
pub(crate) struct Unlogged(Mutex<HashMap<ProjectId, Waiting>>);

#[derive(Default)]
struct Waiting {
    rows: Vec<LogRow>,
    is_promised: bool,
}

/// What is left to do for whoever has put down a row.
pub(crate) enum Pushed {
    /// Nothing: it will be written with others.
    Joined,
    /// To hand over a write that takes all of them.
    First(Promise),
    /// To wait until they are written.
    TooMany,
}

/// That a write will take all rows. A write that is never run, whatever the reason, leaves that to the next one.
pub(crate) struct Promise {
    unlogged: Arc<Unlogged>,
    project_id: ProjectId,
    is_kept: bool,
}

impl Unlogged {
    /// Puts a row behind the others of its project.
    pub(crate) fn push(self: &Arc<Self>, project_id: &ProjectId, row: LogRow) -> Pushed {
        let mut projects = self.lock();
        let waiting = projects.entry(project_id.clone()).or_default();
        waiting.rows.push(row);
        if !std::mem::replace(&mut waiting.is_promised, true) {
            let (unlogged, project_id) = (Arc::clone(self), project_id.clone());
            return Pushed::First(Promise { unlogged, project_id, is_kept: false });
        }
        if waiting.rows.len() < MOST { Pushed::Joined } else { Pushed::TooMany }
    }

    /// Takes all rows of a project, in their order.
    pub(crate) fn take(&self, project_id: &ProjectId) -> Vec<LogRow> {
        self.lock().remove(project_id).unwrap_or_default().rows
    }

    /// Whether rows of a project wait that nobody has taken yet.
    pub(crate) fn holds(&self, project_id: &ProjectId) -> bool {
        self.lock().contains_key(project_id)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ProjectId, Waiting>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Promise {
    /// Takes all rows of its project.
    pub(crate) fn take(mut self) -> Vec<LogRow> {
        self.is_kept = true;
        self.unlogged.take(&self.project_id)
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        if !self.is_kept
            && let Some(waiting) = self.unlogged.lock().get_mut(&self.project_id)
        {
            waiting.is_promised = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use reflect_core::{KeyId, Match, QuerySettings, Retrieval, RetrievalId, Timestamp};
    use uuid::Uuid;

    use super::*;

    fn row() -> LogRow {
        let settings = QuerySettings {
            limit: 1,
            lambda: 0.5,
            mmr_lambda: 0.7,
            matching: Match::Both,
            similarity_threshold: None,
            metadata_filter: None,
        };
        let retrieval = Retrieval {
            id: RetrievalId::from_uuid(Uuid::nil()),
            key_id: KeyId::MASTER,
            task: "refund".into(),
            settings,
            shown: Vec::new(),
            sat_out: Vec::new(),
            draw: None,
            mixed: None,
            slate: None,
            created_at: Timestamp::from_micros(0),
        };
        LogRow::of(retrieval).unwrap()
    }

    #[test]
    fn the_first_one_promises_and_whoever_goes_away_leaves_that_to_the_next() {
        let (unlogged, project) = (Arc::new(Unlogged::default()), "shop".parse().unwrap());
        let Pushed::First(promise) = unlogged.push(&project, row()) else { panic!("it is the first") };
        assert!(matches!(unlogged.push(&project, row()), Pushed::Joined));
        drop(promise);
        let Pushed::First(promise) = unlogged.push(&project, row()) else { panic!("nobody has promised any more") };
        assert!(matches!(unlogged.push(&project, row()), Pushed::Joined));
        assert_eq!(promise.take().len(), 4);
        assert!(!unlogged.holds(&project) && matches!(unlogged.push(&project, row()), Pushed::First(_)));
    }

    #[test]
    fn those_after_too_many_wait() {
        let (unlogged, project) = (Arc::new(Unlogged::default()), "shop".parse().unwrap());
        let _promised = unlogged.push(&project, row());
        for _ in 2..MOST {
            assert!(matches!(unlogged.push(&project, row()), Pushed::Joined));
        }
        assert!(matches!(unlogged.push(&project, row()), Pushed::TooMany));
    }
}
