//! Changing the embedder of a project: beginning, adding vectors, the flip.
//!
//! Every step may be repeated, and a process may die between any two of them. How far a switch has come is told from the
//! vectors that are there.

use reflect_core::{EmbedderId, EmbedderSwitch, Project, ProjectId, Timestamp};

use crate::{
    error::StoreResult,
    sql::{Lane, Query, Read, Row, Transaction, params, vector_to_blob},
    store::Store,
    tables::{checksums::checksum_of, leftover_vectors, projects},
    unembedded::{NewVectors, UNEMBEDDED},
};

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
    /// The project has the embedder that it had, and no memory lacks a vector of it any more.
    Completed,
    /// There are memories that lack a vector of it; nothing changed.
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
        self.writer.write(Lane::of(&project_id), move |write| start(write, &project_id, &target, now)).await
    }

    /// All switches, the oldest first.
    pub async fn list_embedder_switches(&self) -> StoreResult<Vec<PendingSwitch>> {
        let sql = "SELECT project_id, target, started_at FROM embedder_switches ORDER BY started_at, project_id";
        self.readers.read(|read| read.query_all(sql, params![], pending)).await
    }

    /// Adds vectors of a switch's target, as changes that indexes will see. Memories that are gone, or have them, are passed
    /// over; one that says something else by now lacks a vector still. Answers how many were added; `None`, and nothing is, if the switch no longer stands.
    pub async fn insert_vectors(&self, pending: PendingSwitch, vectors: Vec<NewVectors>) -> StoreResult<Option<usize>> {
        self.writer.write(Lane::of(&pending.project_id), move |write| insert_vectors(write, &pending, &vectors)).await
    }

    /// Makes the target of a switch the project's embedder, if every memory has a vector of it. Those that have not
    /// changed since `seen` are known to. What the old embedder made is left to [`Store::delete_leftover_vectors`].
    pub async fn finish_embedder_switch(&self, pending: PendingSwitch, seen: i64) -> StoreResult<SwitchEnd> {
        self.writer.write(Lane::of(&pending.project_id), move |write| finish(write, &pending, seen)).await
    }

    /// Removes vectors that no query compares any more, looking at `limit` at most. Answers how many are gone; `None` if
    /// nothing was left to look at.
    pub async fn delete_leftover_vectors(&self, limit: usize) -> StoreResult<Option<usize>> {
        let Some(project_id) = self.readers.read(leftover_vectors::find_project).await? else { return Ok(None) };
        let lane = Lane::of(&project_id);
        self.writer.write(lane, move |write| leftover_vectors::delete_some(write, &project_id, limit)).await.map(Some)
    }
}

fn start(
    write: &dyn Transaction,
    project_id: &ProjectId,
    target: &EmbedderId,
    now: Timestamp,
) -> StoreResult<Option<Project>> {
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
    leftover_vectors::keep(write, project_id, target)?;
    write.submit(
        "INSERT INTO embedder_switches (project_id, target, started_at) VALUES (?1, ?2, ?3)
         ON CONFLICT (project_id) DO UPDATE SET target = excluded.target, started_at = excluded.started_at",
        params![project_id, target, now],
    )?;
    projects::get(write, project_id)
}

fn insert_vectors(
    write: &dyn Transaction,
    pending: &PendingSwitch,
    vectors: &[NewVectors],
) -> StoreResult<Option<usize>> {
    if !stands(write, pending)? {
        return Ok(None);
    }
    let (project_id, target) = (&pending.project_id, &pending.switch.target);
    let mut added = 0;
    for new in vectors {
        if insert_pair(write, project_id, target, new)? {
            write.submit(
                "UPDATE memories SET changed = ?3 WHERE project_id = ?1 AND memory_id = ?2",
                params![project_id, new.memory_id, write.next_change(project_id)?],
            )?;
            added += 1;
        }
    }
    Ok(Some(added))
}

/// Adds what a memory lacks, and says whether it lacked anything.
fn insert_pair(
    write: &dyn Transaction,
    project_id: &ProjectId,
    target: &EmbedderId,
    new: &NewVectors,
) -> StoreResult<bool> {
    let lesson = vector_to_blob(&new.lesson);
    let lesson_checksum = checksum_of(&lesson);
    if let Some(task) = &new.task {
        let task = vector_to_blob(task);
        let checksum = checksum_of(&task);
        let inserted = write.execute(
            "INSERT INTO vectors (project_id, memory_id, embedder, vector, checksum, lesson_vector, lesson_checksum,
                                  lesson_revision)
             SELECT project_id, memory_id, ?3, ?4, ?5, ?6, ?7, ?8 FROM memories
             WHERE project_id = ?1 AND memory_id = ?2 AND deleted_at IS NULL
             ON CONFLICT DO NOTHING",
            params![
                project_id,
                new.memory_id,
                target,
                task,
                checksum,
                lesson.as_slice(),
                lesson_checksum,
                new.revision
            ],
        )?;
        if inserted > 0 {
            return Ok(true);
        }
    }
    let updated = write.execute(
        "UPDATE vectors SET lesson_vector = ?4, lesson_checksum = ?5, lesson_revision = ?6
         WHERE project_id = ?1 AND memory_id = ?2 AND embedder = ?3 AND lesson_revision IS DISTINCT FROM ?6
           AND ?6 = (SELECT revision FROM memories WHERE project_id = ?1 AND memory_id = ?2 AND deleted_at IS NULL)",
        params![project_id, new.memory_id, target, lesson, lesson_checksum, new.revision],
    )?;
    Ok(updated > 0)
}

fn finish(write: &dyn Transaction, pending: &PendingSwitch, seen: i64) -> StoreResult<SwitchEnd> {
    if !stands(write, pending)? {
        return Ok(SwitchEnd::Gone);
    }
    let (project_id, target) = (&pending.project_id, &pending.switch.target);
    // A memory that came or changed since `seen` has a higher change number, so none can be missed and few are looked at.
    let sql = format!("SELECT 1 FROM memories m WHERE m.project_id = ?1 AND m.changed > ?3 AND {UNEMBEDDED} LIMIT 1");
    if write.exists(&sql, params![project_id, target, seen])? {
        return Ok(SwitchEnd::Incomplete);
    }
    let Some((old, _)) = projects::embedders(write, project_id)? else {
        return Ok(SwitchEnd::Gone);
    };
    write.submit("UPDATE projects SET embedder = ?2 WHERE project_id = ?1", params![project_id, target])?;
    write.submit("DELETE FROM embedder_switches WHERE project_id = ?1", params![project_id])?;
    if old == *target {
        return Ok(SwitchEnd::Completed);
    }
    leftover_vectors::leave(write, project_id, &old)?;
    Ok(SwitchEnd::Flipped)
}

/// Whether this very switch is still under way.
fn stands(read: &dyn Read, pending: &PendingSwitch) -> StoreResult<bool> {
    let PendingSwitch { project_id, switch } = pending;
    read.exists(
        "SELECT 1 FROM embedder_switches WHERE project_id = ?1 AND target = ?2 AND started_at = ?3",
        params![project_id, &switch.target, switch.started_at],
    )
}

fn pending(row: &dyn Row) -> StoreResult<PendingSwitch> {
    let switch = EmbedderSwitch { target: row.get("target")?, started_at: row.get("started_at")? };
    Ok(PendingSwitch { project_id: row.get("project_id")?, switch })
}
