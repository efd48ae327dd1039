//! Projects.

use reflect_core::{Project, ProjectId, ProjectSettings};

use crate::{
    error::StoreResult,
    sql::{Lane, Query, params, to_json},
    store::Store,
    tables::{
        keys::{self, KeyInsert},
        projects::{self, DeletedProject, SELECT},
        unfolded_memories,
    },
};

impl Store {
    /// The project of that name.
    pub async fn get_project(&self, project_id: ProjectId) -> StoreResult<Option<Project>> {
        self.readers.ask(move |read| projects::get(read, &project_id)).await
    }

    /// The project of that name; `project` itself, now stored, if there was none.
    pub async fn get_or_insert_project(&self, project: Project) -> StoreResult<Project> {
        self.writer
            .write(Lane::of(&project.id), move |write| {
                if let Some(found) = projects::get(write, &project.id)? {
                    return Ok(found);
                }
                projects::insert(write, &project)?;
                Ok(project)
            })
            .await
    }

    /// Stores a new project together with its first key. Answers `false`, and stores nothing, if the name is taken.
    pub async fn insert_project_with_key(&self, project: Project, key: KeyInsert) -> StoreResult<bool> {
        self.writer
            .write(Lane::of(&project.id), move |write| {
                if projects::exists(write, &project.id)? {
                    return Ok(false);
                }
                projects::insert(write, &project)?;
                keys::insert(write, &key)?;
                Ok(true)
            })
            .await
    }

    /// All projects by name.
    pub async fn list_projects(&self) -> StoreResult<Vec<Project>> {
        self.readers
            .read(|read| read.query_all(&format!("{SELECT} ORDER BY project_id"), params![], projects::project))
            .await
    }

    /// Changes a project's settings. Answers `None` if there is no such project. Memories are folded again if their evidence ages at another
    /// pace from now on; a process that dies meanwhile goes on with that when it is started again.
    pub async fn update_project_settings(
        &self,
        project_id: ProjectId,
        change: impl FnOnce(ProjectSettings) -> ProjectSettings + Send + 'static,
    ) -> StoreResult<Option<Project>> {
        let name = project_id.clone();
        let changed = self
            .writer
            .write(Lane::of(&project_id), move |write| {
                let Some(mut project) = projects::get(write, &name)? else {
                    return Ok(None);
                };
                let half_life = project.settings.half_life_days;
                project.settings = change(project.settings);
                write.submit(
                    "UPDATE projects SET settings = ?2 WHERE project_id = ?1",
                    params![&name, to_json("settings", &project.settings)?],
                )?;
                let ages_otherwise = project.settings.half_life_days != half_life;
                if ages_otherwise {
                    unfolded_memories::insert_all(write, &name)?;
                }
                Ok(Some((project, ages_otherwise)))
            })
            .await?;
        let Some((project, ages_otherwise)) = changed else { return Ok(None) };
        if ages_otherwise {
            self.fold_memories(&project_id).await?;
        }
        Ok(Some(project))
    }

    /// Takes a project out of sight with everything in it, its keys included, and answers what it held; `None` if there is none. Its
    /// rows are left to [`Store::erase_some`].
    pub async fn delete_project(&self, project_id: ProjectId) -> StoreResult<Option<DeletedProject>> {
        let counted = project_id.clone();
        // Counting takes longer than deleting, so it keeps no writer waiting.
        let held = self.readers.read(move |read| projects::count(read, &counted)).await?;
        let Some(held) = held else { return Ok(None) };
        // First, so that there is no moment in which it can be seen without its row.
        let marked = self.erasing.insert(project_id.clone());
        let name = project_id.clone();
        let deleted = self.writer.write(Lane::of(&name), move |write| projects::delete(write, &name)).await;
        match deleted {
            Ok(true) => drop(self.erasing.insert(project_id)),
            _ if marked => self.erasing.remove(&project_id),
            _ => {}
        }
        Ok(deleted?.then_some(held))
    }
}
