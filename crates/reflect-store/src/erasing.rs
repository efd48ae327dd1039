//! Erasing deleted projects little by little.
//!
//! A deleted project is out of sight at once: its own row and its keys go, and its name is written down. Its rows in the other tables
//! are removed a moment at a time, so that other writers never wait for a large project; until that is done nobody can use the name
//! again. A process that dies goes on where it was.

use reflect_core::ProjectId;

use crate::{
    being_erased::Erasing,
    error::StoreResult,
    sql::{Lane, Progress},
    store::Store,
    tables::projects,
};

impl Store {
    /// Whether a project of this name was deleted and still has rows.
    pub fn is_being_erased(&self, project_id: &ProjectId) -> bool {
        self.erasing.contains(project_id)
    }

    /// The projects that were deleted and still have rows.
    pub fn list_being_erased(&self) -> Vec<ProjectId> {
        self.erasing.list()
    }

    /// Looks which projects other processes have deleted, or have finished erasing.
    pub async fn refresh_being_erased(&self) -> StoreResult<()> {
        self.erasing.replace(self.readers.read(Erasing::read).await?);
        Ok(())
    }

    /// Removes rows of a deleted project for a moment. Its name is free again once nothing is left.
    pub async fn erase_some(&self, project_id: ProjectId) -> StoreResult<Progress> {
        let name = project_id.clone();
        let progress = self.writer.write_some(Lane::of(&name), move |write| projects::erase_some(write, &name)).await?;
        if progress.done {
            self.erasing.remove(&project_id);
        }
        Ok(progress)
    }
}
