//! The names of projects that are being erased.

use std::{
    collections::BTreeSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

use reflect_core::ProjectId;

use crate::{
    error::StoreResult,
    sql::{Query, Read, params},
};

/// The projects that are being erased, as their table has them: whoever asks about a project looks here first.
#[derive(Debug, Default)]
pub(crate) struct Erasing(Mutex<BTreeSet<ProjectId>>);

impl Erasing {
    pub(crate) fn read(read: &dyn Read) -> StoreResult<BTreeSet<ProjectId>> {
        let sql = "SELECT project_id FROM deleted_projects";
        Ok(read.query_all(sql, params![], |row| row.get("project_id"))?.into_iter().collect())
    }

    pub(crate) fn new(names: BTreeSet<ProjectId>) -> Self {
        Self(Mutex::new(names))
    }

    pub(crate) fn replace(&self, names: BTreeSet<ProjectId>) {
        *self.lock() = names;
    }

    /// Says whether it was not there before.
    pub(crate) fn insert(&self, project_id: ProjectId) -> bool {
        self.lock().insert(project_id)
    }

    pub(crate) fn remove(&self, project_id: &ProjectId) {
        self.lock().remove(project_id);
    }

    pub(crate) fn contains(&self, project_id: &ProjectId) -> bool {
        self.lock().contains(project_id)
    }

    pub(crate) fn list(&self) -> Vec<ProjectId> {
        self.lock().iter().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<ProjectId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
