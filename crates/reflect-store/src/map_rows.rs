//! What a map of a project's memories is made of.

use reflect_core::{MemoryId, MemoryStatus, ProjectId, worth::LearningRule};
use uuid::Uuid;

use crate::{
    error::StoreResult,
    sql::{Query, params},
    store::Store,
    tables::credits,
};

/// Characters of a task that a map shows.
const TASK_LENGTH: usize = 120;

/// A memory that queries may answer with, and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct MapRow {
    /// The memory.
    pub memory_id: MemoryId,
    /// Its task, cut.
    pub task: String,
    /// How well it has served.
    pub utility: f64,
    /// How many reviewed runs saw it.
    pub uses: u32,
    /// Its task as a vector.
    pub vector: Vec<f32>,
}

/// Which rows of a map are read, from the newest back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MapPage {
    /// By whose vectors.
    pub embedder: String,
    /// By which rule their utilities are.
    pub rule: LearningRule,
    /// Only memories older than this one.
    pub before: Option<MemoryId>,
    /// How many at most.
    pub limit: usize,
}

impl Store {
    /// The number of the newest change to any memory of the project, and how many memories queries may answer with.
    pub async fn count_changes(&self, project_id: ProjectId) -> StoreResult<(i64, u64)> {
        self.readers
            .read(move |read| {
                let newest = "SELECT coalesce(max(changed), 0) AS newest FROM memories WHERE project_id = ?1";
                let newest = read.query_one(newest, params![&project_id], |row| row.get("newest"))?;
                let active = "SELECT count(*) AS active FROM memories
                              WHERE project_id = ?1 AND deleted_at IS NULL AND status = ?2";
                let status = MemoryStatus::Active.as_str();
                Ok((newest, read.query_one(active, params![&project_id, status], |row| row.get("active"))?))
            })
            .await
    }

    /// A page of what a map is made of, newest first. Memories without a vector of the embedder are passed over.
    pub async fn list_map_rows(&self, project_id: ProjectId, page: MapPage) -> StoreResult<Vec<MapRow>> {
        let sql = "SELECT m.memory_id, substr(m.task, 1, ?4) AS task, m.q_value, m.worth_q_value, m.uses, v.vector FROM memories m
                   JOIN vectors v ON v.project_id = m.project_id AND v.memory_id = m.memory_id AND v.embedder = ?2
                   WHERE m.project_id = ?1 AND m.memory_id < ?3 AND m.deleted_at IS NULL AND m.status = ?5
                   ORDER BY m.memory_id DESC LIMIT ?6";
        self.readers
            .read(move |read| {
                let before = page.before.map_or(Uuid::max(), MemoryId::as_uuid);
                let status = MemoryStatus::Active.as_str();
                let params = params![&project_id, &page.embedder, before, TASK_LENGTH, status, page.limit];
                read.query_all(sql, params, |row| {
                    Ok(MapRow {
                        memory_id: row.get("memory_id")?,
                        task: row.get("task")?,
                        utility: row.get(credits::utility_column(page.rule))?,
                        uses: row.get("uses")?,
                        vector: row.maybe_vector("vector")?.unwrap_or_default(),
                    })
                })
            })
            .await
    }
}
