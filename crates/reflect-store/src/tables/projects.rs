//! Rows of projects.

use reflect_core::{EmbedderId, EmbedderSwitch, Project, ProjectId, ProjectSettings, worth::WorthConstants};
use serde::{Deserialize, Serialize};

use super::search_tables;
use crate::{
    error::{StoreError, StoreResult},
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

/// Where a deleted project still has rows, with the keys of those tables, in the order in which they are emptied: jobs first, so that
/// no more lessons are written; memories before credits and traces before
/// trajectories, so that nothing looks damaged meanwhile.
const ERASED: &[(&str, &str)] = &[
    ("jobs", "project_id, trace_id"),
    ("memories", "project_id, memory_id"),
    ("vectors", "project_id, memory_id, embedder"),
    ("memory_revisions", "project_id, memory_id, revision"),
    ("unfolded_memories", "project_id, memory_id"),
    ("credits", "project_id, memory_id, position, review_id"),
    ("reporters", "project_id, reporter"),
    ("retrievals", "project_id, key_id, retrieval_id"),
    ("drawn_queries", "project_id, retrieval_id"),
    ("judgements", "project_id, trace_id"),
    ("reviews", "project_id, trace_id, review_id"),
    ("traces", "project_id, trace_id"),
    ("trajectories", "project_id, trace_id"),
    ("skills", "project_id, version"),
    ("idempotency", "project_id, idempotency_key"),
];

/// How many rows are removed before the clock is looked at. One may have megabytes.
const ERASED_AT_ONCE: usize = 4;

/// A project with the switch that it may be in.
pub(crate) const SELECT: &str = "SELECT project_id, incarnation, settings, embedder, created_at, target, started_at
                                 FROM projects LEFT JOIN embedder_switches USING (project_id)";

const EXISTS: &str = "SELECT 1 FROM projects WHERE project_id = ?1";

pub(crate) fn exists(read: &dyn Read, project_id: &ProjectId) -> StoreResult<bool> {
    read.exists(EXISTS, params![project_id])
}

const STAYS: &str = "SELECT 1 FROM projects WHERE project_id = ?1 /* keep */";

/// [`exists`], and nobody deletes it before the transaction ends, also where that does not have the project for itself.
pub(crate) fn stays(write: &dyn Transaction, project_id: &ProjectId) -> StoreResult<bool> {
    write.exists(STAYS, params![project_id])
}

/// Says that [`stays`] comes.
pub(crate) fn prefetch_stays(read: &dyn Read, project_id: &ProjectId) -> StoreResult<()> {
    read.prefetch(STAYS, params![project_id])
}

/// Says that [`get`] comes.
pub(crate) fn prefetch(read: &dyn Read, project_id: &ProjectId) -> StoreResult<()> {
    read.prefetch(&format!("{SELECT} WHERE project_id = ?1"), params![project_id])
}

pub(crate) fn get(read: &dyn Read, project_id: &ProjectId) -> StoreResult<Option<Project>> {
    read.query_opt(&format!("{SELECT} WHERE project_id = ?1"), params![project_id], project)
}

const LEARNING: &str = "SELECT settings FROM projects WHERE project_id = ?1";

/// Says that [`worth_constants`] will be asked for.
pub(crate) fn prefetch_worth_constants(read: &dyn Read, project_id: &ProjectId) -> StoreResult<()> {
    read.prefetch(LEARNING, params![project_id])
}

/// The constants that the memories of a project learn by.
pub(crate) fn worth_constants(read: &dyn Read, project_id: &ProjectId) -> StoreResult<WorthConstants> {
    let settings: Option<ProjectSettings> =
        read.query_opt(LEARNING, params![project_id], |row| row.json("settings"))?;
    Ok(WorthConstants::with_half_life(settings.and_then(|settings| settings.half_life_days)))
}

/// Refuses the name of a project of which rows are left: they would be taken for those of a new one.
pub(crate) fn refuse_erased(read: &dyn Read, project_id: &ProjectId) -> StoreResult<()> {
    if read.exists("SELECT 1 FROM deleted_projects WHERE project_id = ?1", params![project_id])? {
        return Err(StoreError::BeingErased(project_id.clone()));
    }
    Ok(())
}

/// Stores a project.
pub(crate) fn insert(write: &dyn Transaction, project: &Project) -> StoreResult<()> {
    refuse_erased(write, &project.id)?;
    write.submit(
        "INSERT INTO projects (project_id, incarnation, settings, embedder, created_at) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![
            &project.id,
            project.incarnation,
            to_json("settings", &project.settings)?,
            &project.embedder,
            project.created_at,
        ],
    )
}

/// What a project holds, if there is such a project.
pub(crate) fn count(read: &dyn Read, project_id: &ProjectId) -> StoreResult<Option<DeletedProject>> {
    if !exists(read, project_id)? {
        return Ok(None);
    }
    let count = |table: &str, condition: &str| {
        let sql = format!("SELECT count(*) AS rows FROM {table} WHERE project_id = ?1 AND {condition}");
        read.query_one(&sql, params![project_id], |row| row.get("rows"))
    };
    Ok(Some(DeletedProject {
        traces: count("traces", "1 = 1")?,
        memories: count("memories", "deleted_at IS NULL")?,
        reviews: count("reviews", "removed_at IS NULL")?,
        api_keys: count("api_keys", "1 = 1")?,
        jobs: count("jobs", "1 = 1")?,
    }))
}

/// Takes a project out of sight, and notes that its rows are to be erased. Says whether there was such a project.
pub(crate) fn delete(write: &dyn Transaction, project_id: &ProjectId) -> StoreResult<bool> {
    write.keep_additions_out(project_id)?;
    let remove = |table: &str| {
        let sql = format!("DELETE FROM {table} WHERE project_id = ?1");
        write.execute(&sql, params![project_id])
    };
    if remove("projects")? == 0 {
        return Ok(false);
    }
    for table in ["api_keys", "embedder_switches", "leftover_vectors"] {
        remove(table)?;
    }
    write.submit("INSERT INTO deleted_projects (project_id) VALUES (?1)", params![project_id])?;
    Ok(true)
}

/// Removes some rows of a deleted project; once there are none, its name is free again. Answers how many. A project that was not deleted, or
/// whose deletion came to nothing, keeps all of its own.
pub(crate) fn erase_some(write: &dyn Transaction, project_id: &ProjectId) -> StoreResult<usize> {
    if exists(write, project_id)? {
        return Ok(0);
    }
    for (table, key) in ERASED {
        let sql =
            format!("DELETE FROM {table} WHERE ({key}) IN (SELECT {key} FROM {table} WHERE project_id = ?1 LIMIT ?2)");
        let removed = write.execute(&sql, params![project_id, ERASED_AT_ONCE])?;
        if removed > 0 {
            return Ok(removed);
        }
    }
    search_tables::erase(write, project_id)?;
    write.submit("DELETE FROM deleted_projects WHERE project_id = ?1", params![project_id])?;
    Ok(0)
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

const EMBEDDERS: &str =
    "SELECT embedder, target FROM projects LEFT JOIN embedder_switches USING (project_id) WHERE project_id = ?1";

/// Says that [`embedders`] will be asked for.
pub(crate) fn prefetch_embedders(read: &dyn Read, project_id: &ProjectId) -> StoreResult<()> {
    read.prefetch(EMBEDDERS, params![project_id])
}

/// The embedder of a project and the one that it is on the way to, if there is such a project.
pub(crate) fn embedders(
    read: &dyn Read,
    project_id: &ProjectId,
) -> StoreResult<Option<(EmbedderId, Option<EmbedderId>)>> {
    read.query_opt(EMBEDDERS, params![project_id], |row| Ok((row.get("embedder")?, row.get("target")?)))
}
