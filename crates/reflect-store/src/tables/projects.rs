//! Rows of projects.

use reflect_core::{EmbedderId, EmbedderSwitch, Project, ProjectId};
use serde::{Deserialize, Serialize};

use crate::{
    error::StoreResult,
    sql::{Query, Read, Row, Transaction, params, to_json},
};

/// What a deleted project had held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeletedProject {
    /// Traces.
    pub traces: usize,
    /// Memories.
    pub memories: usize,
    /// Reviews that counted.
    pub reviews: usize,
    /// Keys, which open nothing any more.
    pub api_keys: usize,
    /// Lessons that were still to be written, and now are not.
    pub jobs: usize,
}

/// Tables that a project's rows are simply removed from, beside those that are counted.
const UNCOUNTED: &[&str] = &[
    "memories",
    "reviews",
    "trajectories",
    "memory_revisions",
    "vectors",
    "leftover_vectors",
    "embedder_switches",
    "credits",
    "retrievals",
    "skills",
    "idempotency",
    "judgements",
    "projects",
];

/// A project with the switch that it may be in.
pub(crate) const SELECT: &str = "SELECT project_id, incarnation, settings, embedder, created_at, target, started_at
                                 FROM projects LEFT JOIN embedder_switches USING (project_id)";

pub(crate) fn exists(read: &dyn Read, project_id: &ProjectId) -> StoreResult<bool> {
    read.exists("SELECT 1 FROM projects WHERE project_id = ?1", params![project_id])
}

pub(crate) fn get(read: &dyn Read, project_id: &ProjectId) -> StoreResult<Option<Project>> {
    read.query_opt(&format!("{SELECT} WHERE project_id = ?1"), params![project_id], project)
}

pub(crate) fn insert(write: &dyn Transaction, project: &Project) -> StoreResult<()> {
    write.execute(
        "INSERT INTO projects (project_id, incarnation, settings, embedder, created_at) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![
            &project.id,
            project.incarnation,
            to_json("settings", &project.settings)?,
            &project.embedder,
            project.created_at,
        ],
    )?;
    Ok(())
}

pub(crate) fn delete(write: &dyn Transaction, project_id: &ProjectId) -> StoreResult<Option<DeletedProject>> {
    if !exists(write, project_id)? {
        return Ok(None);
    }
    let live = |table: &str, condition: &str| {
        let sql = format!("SELECT count(*) AS live FROM {table} WHERE project_id = ?1 AND {condition}");
        write.query_one(&sql, params![project_id], |row| row.get("live"))
    };
    let remove =
        |table: &str| write.execute(&format!("DELETE FROM {table} WHERE project_id = ?1"), params![project_id]);
    let deleted = DeletedProject {
        traces: remove("traces")?,
        memories: live("memories", "deleted_at IS NULL")?,
        reviews: live("reviews", "removed_at IS NULL")?,
        api_keys: remove("api_keys")?,
        jobs: remove("jobs")?,
    };
    for table in UNCOUNTED {
        remove(table)?;
    }
    Ok(Some(deleted))
}

pub(crate) fn project(row: &dyn Row) -> StoreResult<Project> {
    let switch = |(target, started_at)| EmbedderSwitch { target, started_at };
    Ok(Project {
        id: row.get("project_id")?,
        incarnation: row.get("incarnation")?,
        settings: row.json("settings")?,
        embedder: row.get("embedder")?,
        embedder_switch: row.get::<Option<EmbedderId>>("target")?.zip(row.get("started_at")?).map(switch),
        created_at: row.get("created_at")?,
    })
}

/// The embedder of a project and the one that it is on the way to, if there is such a project.
pub(crate) fn embedders(
    read: &dyn Read,
    project_id: &ProjectId,
) -> StoreResult<Option<(EmbedderId, Option<EmbedderId>)>> {
    read.query_opt(
        "SELECT embedder, target FROM projects LEFT JOIN embedder_switches USING (project_id) WHERE project_id = ?1",
        params![project_id],
        |row| Ok((row.get("embedder")?, row.get("target")?)),
    )
}
