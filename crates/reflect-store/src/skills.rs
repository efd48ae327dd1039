//! Skills, version by version.

use reflect_core::{ProjectId, Skill};
use rusqlite::Row;

use crate::{Store, StoreResult, rows};

impl Store {
    /// The newest version of a project's skill.
    pub async fn get_skill(&self, project_id: ProjectId) -> StoreResult<Option<Skill>> {
        self.readers
            .read(move |read| {
                read.prepare_cached(
                    "SELECT version, content, name, description, n_passed, n_failed, memory_ids, written_by, created_at
                     FROM skills WHERE project_id = ?1 ORDER BY version DESC LIMIT 1",
                )?
                .query_and_then([project_id.as_str()], skill)?
                .next()
                .transpose()
            })
            .await
    }

    /// One version of a project's skill.
    pub async fn get_skill_version(&self, project_id: ProjectId, version: u32) -> StoreResult<Option<Skill>> {
        self.readers
            .read(move |read| {
                read.prepare_cached(
                    "SELECT version, content, name, description, n_passed, n_failed, memory_ids, written_by, created_at
                     FROM skills WHERE project_id = ?1 AND version = ?2",
                )?
                .query_and_then((project_id.as_str(), version), skill)?
                .next()
                .transpose()
            })
            .await
    }

    /// The versions of a project's skill, newest first: those below `before`, at most `limit`.
    pub async fn list_skills(
        &self,
        project_id: ProjectId,
        before: Option<u32>,
        limit: usize,
    ) -> StoreResult<Vec<Skill>> {
        self.readers
            .read(move |read| {
                read.prepare_cached(
                    "SELECT version, content, name, description, n_passed, n_failed, memory_ids, written_by, created_at
                     FROM skills WHERE project_id = ?1 AND version < ?2 ORDER BY version DESC LIMIT ?3",
                )?
                .query_and_then((project_id.as_str(), before.map_or(i64::MAX, i64::from), limit), skill)?
                .collect()
            })
            .await
    }

    /// Stores a version. A version that is there already stays as it is, and the answer is `false`; so it is if the project
    /// is gone.
    pub async fn insert_skill(&self, project_id: ProjectId, skill: Skill) -> StoreResult<bool> {
        self.writer
            .write(move |write| {
                let inserted = write
                    .prepare_cached(
                        "INSERT INTO skills (project_id, version, content, name, description, n_passed, n_failed,
                                             memory_ids, written_by, created_at)
                         SELECT project_id, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10 FROM projects WHERE project_id = ?1
                         ON CONFLICT DO NOTHING",
                    )?
                    .execute((
                        project_id.as_str(),
                        skill.version,
                        &skill.content,
                        &skill.name,
                        &skill.description,
                        skill.n_passed,
                        skill.n_failed,
                        rows::to_json("memory_ids", &skill.memory_ids)?,
                        skill.written_by.as_ref().map(|by| rows::to_json("written_by", by)).transpose()?,
                        skill.created_at.as_micros(),
                    ))?;
                Ok(inserted == 1)
            })
            .await
    }
}

fn skill(row: &Row<'_>) -> StoreResult<Skill> {
    Ok(Skill {
        content: row.get("content")?,
        version: row.get("version")?,
        name: row.get("name")?,
        description: row.get("description")?,
        n_passed: row.get("n_passed")?,
        n_failed: row.get("n_failed")?,
        memory_ids: rows::json(row, "memory_ids")?,
        written_by: rows::maybe_json(row, "written_by")?,
        created_at: rows::time(row, "created_at")?,
    })
}
