//! Skills, version by version.

use reflect_core::{ProjectId, Skill};

use crate::{
    error::StoreResult,
    sql::{Lane, Query, Row, Transaction, params, to_json},
    store::Store,
    tables::idempotency::{self, IdempotencyKey, Once, Request},
};

const SELECT: &str =
    "SELECT version, content, name, description, n_passed, n_failed, memory_ids, written_by, created_at
                      FROM skills WHERE project_id = ?1";

impl Store {
    /// The newest version of a project's skill.
    pub async fn get_skill(&self, project_id: ProjectId) -> StoreResult<Option<Skill>> {
        let newest = self.list_skills(project_id, None, 1).await?;
        Ok(newest.into_iter().next())
    }

    /// One version of a project's skill.
    pub async fn get_skill_version(&self, project_id: ProjectId, version: u32) -> StoreResult<Option<Skill>> {
        self.readers
            .read(move |read| {
                read.query_opt(&format!("{SELECT} AND version = ?2"), params![&project_id, version], skill)
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
                let sql = format!("{SELECT} AND version < ?2 ORDER BY version DESC LIMIT ?3");
                read.query_all(&sql, params![&project_id, before.map_or(i64::MAX, i64::from), limit], skill)
            })
            .await
    }

    /// Stores a version and answers its number, or that of an earlier request with the same key. A version that is there already
    /// stays as it is, and the answer is `None`; so it is if the project is gone.
    pub async fn insert_skill(
        &self,
        project_id: ProjectId,
        skill: Skill,
        idempotency: Option<IdempotencyKey>,
    ) -> StoreResult<Option<Once<u32>>> {
        self.writer
            .write(Lane::of(&project_id), move |write| {
                let request = Request { project_id: &project_id, key: idempotency.as_ref(), now: skill.created_at };
                let stored = request.once(write, || {
                    let is_new = insert(write, &project_id, &skill)?;
                    Ok(if is_new { Ok(skill.version) } else { Err(()) })
                })?;
                Ok(stored.ok())
            })
            .await
    }

    /// The version that an earlier request with this key made, if there was one.
    pub async fn find_skill_of_request(
        &self,
        project_id: ProjectId,
        key: IdempotencyKey,
    ) -> StoreResult<Option<Once<u32>>> {
        self.readers.read(move |read| idempotency::seen(read, &project_id, &key)).await
    }
}

fn insert(write: &dyn Transaction, project_id: &ProjectId, skill: &Skill) -> StoreResult<bool> {
    let inserted = write.execute(
        "INSERT INTO skills (project_id, version, content, name, description, n_passed, n_failed, memory_ids, written_by,
                             created_at)
         SELECT project_id, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10 FROM projects WHERE project_id = ?1
         ON CONFLICT DO NOTHING",
        params![
            project_id,
            skill.version,
            &skill.content,
            &skill.name,
            &skill.description,
            skill.n_passed,
            skill.n_failed,
            to_json("memory_ids", &skill.memory_ids)?,
            skill.written_by.as_ref().map(|by| to_json("written_by", by)).transpose()?,
            skill.created_at,
        ],
    )?;
    Ok(inserted == 1)
}

fn skill(row: &dyn Row) -> StoreResult<Skill> {
    Ok(Skill {
        content: row.get("content")?,
        version: row.get("version")?,
        name: row.get("name")?,
        description: row.get("description")?,
        n_passed: row.get("n_passed")?,
        n_failed: row.get("n_failed")?,
        memory_ids: row.json("memory_ids")?,
        written_by: row.maybe_json("written_by")?,
        created_at: row.get("created_at")?,
    })
}
