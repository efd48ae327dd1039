//! How much room the retrieval log of each project has left.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use reflect_core::ProjectId;

/// Counts what is logged, so that a log is measured only when its bound may have been reached.
#[derive(Debug, Default)]
pub(crate) struct RetrievalLogs {
    /// In bytes; negative once a log has to be measured.
    room: Mutex<HashMap<ProjectId, i64>>,
}

impl RetrievalLogs {
    /// A query of a project was logged. Of a log that has not been measured yet, nothing is known.
    pub(crate) fn add(&self, project_id: &ProjectId, bytes: usize) {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        let mut room = self.lock();
        match room.get_mut(project_id) {
            Some(room) => *room = room.saturating_sub(bytes),
            None => drop(room.insert(project_id.clone(), -1)),
        }
    }

    /// The projects whose logs have to be measured.
    pub(crate) fn due(&self) -> Vec<ProjectId> {
        let room = self.lock();
        room.iter().filter(|(_, room)| **room < 0).map(|(project_id, _)| project_id.clone()).collect()
    }

    /// A log was measured.
    pub(crate) fn set_room(&self, project_id: &ProjectId, room: usize) {
        self.lock().insert(project_id.clone(), i64::try_from(room).unwrap_or(i64::MAX));
    }

    /// A project is gone.
    pub(crate) fn forget(&self, project_id: &ProjectId) {
        self.lock().remove(project_id);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ProjectId, i64>> {
        self.room.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
