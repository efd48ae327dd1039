//! Queries that were answered and are still to be logged.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
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
pub(crate) enum Pushed<'a> {
    /// Nothing: it will be written with others.
    Joined,
    /// To hand over a write that takes all of them.
    First(Promise<'a>),
    /// To wait until they are written.
    TooMany,
}

/// That a write will be handed over. Whoever goes away before it is leaves that to the next one.
pub(crate) struct Promise<'a> {
    unlogged: &'a Unlogged,
    project_id: &'a ProjectId,
    is_kept: bool,
}

impl Unlogged {
    /// Puts a row behind the others of its project.
    pub(crate) fn push<'a>(&'a self, project_id: &'a ProjectId, row: LogRow) -> Pushed<'a> {
        let mut projects = self.lock();
        let waiting = projects.entry(project_id.clone()).or_default();
        waiting.rows.push(row);
        if !std::mem::replace(&mut waiting.is_promised, true) {
            return Pushed::First(Promise { unlogged: self, project_id, is_kept: false });
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

impl Promise<'_> {
    /// It was handed over.
    pub(crate) fn keep(mut self) {
        self.is_kept = true;
    }
}

impl Drop for Promise<'_> {
    fn drop(&mut self) {
        if let Some(waiting) = self.unlogged.lock().get_mut(self.project_id)
            && !self.is_kept
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
            draw: None,
            mixed: None,
            slate: None,
            created_at: Timestamp::from_micros(0),
        };
        LogRow::of(retrieval).unwrap()
    }

    #[test]
    fn the_first_one_promises_and_whoever_goes_away_leaves_that_to_the_next() {
        let (unlogged, project) = (Unlogged::default(), "shop".parse().unwrap());
        let Pushed::First(promise) = unlogged.push(&project, row()) else { panic!("it is the first") };
        assert!(matches!(unlogged.push(&project, row()), Pushed::Joined));
        drop(promise);
        let Pushed::First(promise) = unlogged.push(&project, row()) else { panic!("nobody has promised any more") };
        promise.keep();
        assert!(matches!(unlogged.push(&project, row()), Pushed::Joined));
        assert_eq!(unlogged.take(&project).len(), 4);
        assert!(!unlogged.holds(&project) && matches!(unlogged.push(&project, row()), Pushed::First(_)));
    }

    #[test]
    fn those_after_too_many_wait() {
        let (unlogged, project) = (Unlogged::default(), "shop".parse().unwrap());
        if let Pushed::First(promise) = unlogged.push(&project, row()) {
            promise.keep();
        }
        for _ in 2..MOST {
            assert!(matches!(unlogged.push(&project, row()), Pushed::Joined));
        }
        assert!(matches!(unlogged.push(&project, row()), Pushed::TooMany));
    }
}
