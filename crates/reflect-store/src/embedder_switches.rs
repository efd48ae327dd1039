//! Changing the embedder of a project: beginning, adding vectors, the flip.
//!
//! Every step may be repeated, and a process may die between any two of them. How far a switch has come is told from the
//! vectors that are there.

use reflect_core::{EmbedderId, EmbedderSwitch, MemoryId, Project, ProjectId, Timestamp};
use rusqlite::{Connection, Row};

use crate::{Store, StoreError, StoreResult, leftover_vectors, projects, rows, unembedded::UNEMBEDDED, writer::Write};

/// A switch, and whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingSwitch {
    /// The project.
    pub project_id: ProjectId,
    /// Where it is going.
    pub switch: EmbedderSwitch,
}

/// What became of the wish to end a switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SwitchEnd {
    /// Queries compare the vectors of the new embedder from now on.
    Flipped,
    /// There are memories without a vector of it; nothing changed.
    Incomplete,
    /// The switch was cancelled or replaced; nothing changed.
    Gone,
}

impl Store {
    /// Sends a project on the way to `target`. One that is on that way already stays as it is; any other way is left. The
    /// embedder that it has is a target, too: whatever memory lacks a vector of it gets one. `None` if there is no such
    /// project.
    pub async fn start_embedder_switch(
        &self,
        project_id: ProjectId,
        target: EmbedderId,
        now: Timestamp,
    ) -> StoreResult<Option<Project>> {
        self.writer.write(move |write| start(write, &project_id, &target, now)).await
    }

    /// All switches, the oldest first.
    pub async fn list_embedder_switches(&self) -> StoreResult<Vec<PendingSwitch>> {
        self.readers
            .read(|read| {
                let sql =
                    "SELECT project_id, target, started_at FROM embedder_switches ORDER BY started_at, project_id";
                read.prepare_cached(sql)?.query_and_then([], pending)?.collect()
            })
            .await
    }

    /// Adds vectors of a switch's target, as changes that indexes will see. Memories that are gone, or have one, are passed
    /// over. Answers how many were added; `None`, and nothing is, if the switch no longer stands.
    pub async fn insert_vectors(
        &self,
        pending: PendingSwitch,
        vectors: Vec<(MemoryId, Vec<f32>)>,
    ) -> StoreResult<Option<usize>> {
        self.writer.write(move |write| insert_vectors(write, &pending, &vectors)).await
    }

    /// Makes the target of a switch the project's embedder, if every memory has a vector of it. Those that have not
    /// changed since `seen` are known to. What the old embedder made is left to [`Store::delete_leftover_vectors`].
    pub async fn finish_embedder_switch(&self, pending: PendingSwitch, seen: i64) -> StoreResult<SwitchEnd> {
        self.writer.write(move |write| finish(write, &pending, seen)).await
    }
}

fn start(write: &Write, project_id: &ProjectId, target: &EmbedderId, now: Timestamp) -> StoreResult<Option<Project>> {
    let Some(project) = projects::get(write, project_id)? else {
        return Ok(None);
    };
    if project.embedder_switch.as_ref().is_some_and(|switch| switch.target == *target) {
        return Ok(Some(project));
    }
    if let Some(left) = project.embedder_switch.filter(|switch| switch.target != project.embedder) {
        leftover_vectors::leave(write, project_id, &left.target)?;
    }
    // What is left of an earlier stay with this embedder is of use again.
    write
        .prepare_cached("DELETE FROM leftover_vectors WHERE project_id = ?1 AND embedder = ?2")?
        .execute((project_id.as_str(), target.as_str()))?;
    write
        .prepare_cached(
            "INSERT OR REPLACE INTO embedder_switches (project_id, target, started_at) VALUES (?1, ?2, ?3)",
        )?
        .execute((project_id.as_str(), target.as_str(), now.as_micros()))?;
    projects::get(write, project_id)
}

fn insert_vectors(
    write: &Write,
    pending: &PendingSwitch,
    vectors: &[(MemoryId, Vec<f32>)],
) -> StoreResult<Option<usize>> {
    if !stands(write, pending)? {
        return Ok(None);
    }
    let project_id = pending.project_id.as_str();
    let mut insert = write.prepare_cached(
        "INSERT INTO vectors (project_id, memory_id, embedder, vector)
         SELECT project_id, memory_id, ?3, ?4 FROM memories
         WHERE project_id = ?1 AND memory_id = ?2 AND deleted_at IS NULL
         ON CONFLICT DO NOTHING",
    )?;
    let mut tell = write.prepare_cached("UPDATE memories SET changed = ?3 WHERE project_id = ?1 AND memory_id = ?2")?;
    let mut added = 0;
    for (memory_id, vector) in vectors {
        let (memory_id, target) = (memory_id.as_uuid(), pending.switch.target.as_str());
        if insert.execute((project_id, memory_id, target, rows::vector_to_blob(vector)))? > 0 {
            tell.execute((project_id, memory_id, write.next_change()))?;
            added += 1;
        }
    }
    Ok(Some(added))
}

fn finish(write: &Write, pending: &PendingSwitch, seen: i64) -> StoreResult<SwitchEnd> {
    if !stands(write, pending)? {
        return Ok(SwitchEnd::Gone);
    }
    let (project_id, target) = (&pending.project_id, &pending.switch.target);
    // A memory that came or changed since `seen` has a higher change number, so none can be missed and few are looked at.
    let sql = format!("SELECT 1 FROM memories m WHERE m.project_id = ?1 AND m.changed > ?3 AND {UNEMBEDDED} LIMIT 1");
    if write.prepare_cached(&sql)?.exists((project_id.as_str(), target.as_str(), seen))? {
        return Ok(SwitchEnd::Incomplete);
    }
    let Some((old, _)) = projects::embedders(write, project_id)? else {
        return Ok(SwitchEnd::Gone);
    };
    write
        .prepare_cached("UPDATE projects SET embedder = ?2 WHERE project_id = ?1")?
        .execute((project_id.as_str(), target.as_str()))?;
    write.prepare_cached("DELETE FROM embedder_switches WHERE project_id = ?1")?.execute([project_id.as_str()])?;
    if old != *target {
        leftover_vectors::leave(write, project_id, &old)?;
    }
    Ok(SwitchEnd::Flipped)
}

/// Whether this very switch is still under way.
fn stands(read: &Connection, pending: &PendingSwitch) -> StoreResult<bool> {
    let sql = "SELECT 1 FROM embedder_switches WHERE project_id = ?1 AND target = ?2 AND started_at = ?3";
    let (project_id, switch) = (pending.project_id.as_str(), &pending.switch);
    Ok(read.prepare_cached(sql)?.exists((project_id, switch.target.as_str(), switch.started_at.as_micros()))?)
}

fn pending(row: &Row<'_>) -> StoreResult<PendingSwitch> {
    let name: String = row.get("project_id")?;
    Ok(PendingSwitch {
        project_id: name.try_into().map_err(|error| StoreError::damaged("project_id", error))?,
        switch: EmbedderSwitch { target: EmbedderId(row.get("target")?), started_at: rows::time(row, "started_at")? },
    })
}
