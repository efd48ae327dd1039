//! Projects.

use reflect_core::{EmbedderId, EmbedderSwitch, Project, ProjectId, ProjectSettings};
use rusqlite::{Connection, OptionalExtension, Row};
use serde::{Deserialize, Serialize};

use crate::{Store, StoreResult, keys, keys::KeyInsert, rows, writer::Write};

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
const SELECT: &str = "SELECT project_id, incarnation, settings, embedder, created_at, target, started_at
                      FROM projects LEFT JOIN embedder_switches USING (project_id)";

impl Store {
    /// The project of that name.
    pub async fn get_project(&self, project_id: ProjectId) -> StoreResult<Option<Project>> {
        self.readers.read(move |read| get(read, &project_id)).await
    }

    /// The project of that name; `project` itself, now stored, if there was none.
    pub async fn get_or_insert_project(&self, project: Project) -> StoreResult<Project> {
        self.writer
            .write(move |write| {
                if let Some(found) = get(write, &project.id)? {
                    return Ok(found);
                }
                insert(write, &project)?;
                Ok(project)
            })
            .await
    }

    /// Stores a new project together with its first key. Answers `false`, and stores nothing, if the name is taken.
    pub async fn insert_project_with_key(&self, project: Project, key: KeyInsert) -> StoreResult<bool> {
        self.writer
            .write(move |write| {
                if get(write, &project.id)?.is_some() {
                    return Ok(false);
                }
                insert(write, &project)?;
                keys::insert(write, &key)?;
                Ok(true)
            })
            .await
    }

    /// All projects by name.
    pub async fn list_projects(&self) -> StoreResult<Vec<Project>> {
        self.readers
            .read(|read| {
                let sql = format!("{SELECT} ORDER BY project_id");
                read.prepare_cached(&sql)?.query_and_then([], project)?.collect()
            })
            .await
    }

    /// Changes a project's settings. Answers `None` if there is no such project.
    pub async fn update_project_settings(
        &self,
        project_id: ProjectId,
        change: impl FnOnce(ProjectSettings) -> ProjectSettings + Send + 'static,
    ) -> StoreResult<Option<Project>> {
        self.writer
            .write(move |write| {
                let Some(mut project) = get(write, &project_id)? else {
                    return Ok(None);
                };
                project.settings = change(project.settings);
                write
                    .prepare_cached("UPDATE projects SET settings = ?2 WHERE project_id = ?1")?
                    .execute((project_id.as_str(), rows::to_json("settings", &project.settings)?))?;
                Ok(Some(project))
            })
            .await
    }

    /// Removes a project with everything in it, its keys and its jobs included. Answers `None` if there is none.
    pub async fn delete_project(&self, project_id: ProjectId) -> StoreResult<Option<DeletedProject>> {
        self.writer.write(move |write| delete(write, &project_id)).await
    }
}

pub(crate) fn exists(read: &Connection, project_id: &ProjectId) -> StoreResult<bool> {
    Ok(read.prepare_cached("SELECT 1 FROM projects WHERE project_id = ?1")?.exists([project_id.as_str()])?)
}

pub(crate) fn get(read: &Connection, project_id: &ProjectId) -> StoreResult<Option<Project>> {
    let sql = format!("{SELECT} WHERE project_id = ?1");
    read.prepare_cached(&sql)?.query_and_then([project_id.as_str()], project)?.next().transpose()
}

fn insert(write: &Write, project: &Project) -> StoreResult<()> {
    write
        .prepare_cached(
            "INSERT INTO projects (project_id, incarnation, settings, embedder, created_at) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute((
            project.id.as_str(),
            project.incarnation,
            rows::to_json("settings", &project.settings)?,
            project.embedder.as_str(),
            project.created_at.as_micros(),
        ))?;
    Ok(())
}

fn delete(write: &Write, project_id: &ProjectId) -> StoreResult<Option<DeletedProject>> {
    if !exists(write, project_id)? {
        return Ok(None);
    }
    let id = [project_id.as_str()];
    let live = |table: &str, condition: &str| {
        let sql = format!("SELECT count(*) FROM {table} WHERE project_id = ?1 AND {condition}");
        write.query_row(&sql, id, |row| row.get::<_, usize>(0))
    };
    let memories = live("memories", "deleted_at IS NULL")?;
    let reviews = live("reviews", "removed_at IS NULL")?;
    let remove = |table: &str| write.execute(&format!("DELETE FROM {table} WHERE project_id = ?1"), id);
    let deleted = DeletedProject {
        traces: remove("traces")?,
        memories,
        reviews,
        api_keys: remove("api_keys")?,
        jobs: remove("jobs")?,
    };
    remove("memories")?;
    remove("reviews")?;
    for table in UNCOUNTED {
        remove(table)?;
    }
    Ok(Some(deleted))
}

fn project(row: &Row<'_>) -> StoreResult<Project> {
    let name: String = row.get("project_id")?;
    let started_at = rows::maybe_time(row, "started_at")?;
    let switch = |(target, started_at)| EmbedderSwitch { target, started_at };
    Ok(Project {
        id: name.try_into().map_err(|error| crate::StoreError::damaged("project_id", error))?,
        incarnation: row.get("incarnation")?,
        settings: rows::json(row, "settings")?,
        embedder: EmbedderId(row.get("embedder")?),
        embedder_switch: row.get::<_, Option<String>>("target")?.map(EmbedderId).zip(started_at).map(switch),
        created_at: rows::time(row, "created_at")?,
    })
}

/// The embedder of a project and the one that it is on the way to, if there is such a project.
pub(crate) fn embedders(
    read: &Connection,
    project_id: &ProjectId,
) -> StoreResult<Option<(EmbedderId, Option<EmbedderId>)>> {
    let sql =
        "SELECT embedder, target FROM projects LEFT JOIN embedder_switches USING (project_id) WHERE project_id = ?1";
    let mut statement = read.prepare_cached(sql)?;
    let found = statement.query_row([project_id.as_str()], |row| {
        Ok((EmbedderId(row.get(0)?), row.get::<_, Option<String>>(1)?.map(EmbedderId)))
    });
    Ok(found.optional()?)
}
