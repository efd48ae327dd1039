//! Erasing deleted projects little by little.
//!
//! A deleted project is out of sight at once: its own row and its keys go, and its name is written down. Its rows in the other tables
//! are removed a moment at a time, so that other writers never wait for a large project; until that is done nobody can use the name
//! again. A process that dies goes on where it was.

use std::{
    collections::BTreeSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

use reflect_core::ProjectId;

use crate::{
    error::StoreResult,
    sql::{Progress, Query, Read, params},
    store::Store,
    tables::projects,
};

/// The projects that are being erased, as their table has them: whoever asks about a project looks here first.
#[derive(Debug, Default)]
pub(crate) struct Erasing(Mutex<BTreeSet<ProjectId>>);

impl Erasing {
    pub(crate) fn read(read: &dyn Read) -> StoreResult<Self> {
        let sql = "SELECT project_id FROM deleted_projects";
        let names = read.query_all(sql, params![], |row| row.get("project_id"))?;
        Ok(Self(Mutex::new(names.into_iter().collect())))
    }

    /// Says whether it was not there before.
    pub(crate) fn insert(&self, project_id: ProjectId) -> bool {
        self.lock().insert(project_id)
    }

    pub(crate) fn remove(&self, project_id: &ProjectId) {
        self.lock().remove(project_id);
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<ProjectId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store {
    /// Whether a project of this name was deleted and still has rows.
    pub fn is_being_erased(&self, project_id: &ProjectId) -> bool {
        self.erasing.lock().contains(project_id)
    }

    /// The projects that were deleted and still have rows.
    pub fn list_being_erased(&self) -> Vec<ProjectId> {
        self.erasing.lock().iter().cloned().collect()
    }

    /// Removes rows of a deleted project for a moment. Its name is free again once nothing is left.
    pub async fn erase_some(&self, project_id: ProjectId) -> StoreResult<Progress> {
        let name = project_id.clone();
        let progress = self.writer.write_some(move |write| projects::erase_some(write, &name)).await?;
        if progress.done {
            self.erasing.remove(&project_id);
        }
        Ok(progress)
    }
}
