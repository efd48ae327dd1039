//! Writing a lesson down: a first memory for its trace, or a new revision of the one that is there.

use reflect_core::{
    EmbedderId, MemoryId, MemoryStatus, Outcome, ProjectId, Tally, Tells, Timestamp, TraceId, WrittenLesson,
};

use super::{checksums::checksum_of, memories, projects, same_words};
use crate::{
    error::{StoreError, StoreResult},
    sql::{Query, Read, Transaction, params, to_json, vector_to_blob},
};

/// A lesson that is ready to be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct LessonInsert {
    /// The id of the memory, should this be its first revision.
    pub memory_id: MemoryId,
    /// What it says, and who wrote it.
    pub written: WrittenLesson,
    /// By the project's embedder, and by the embedder that it is on the way to.
    pub vectors: Vec<MemoryVectors>,
}

/// What a memory is found by.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryVectors {
    /// What made them.
    pub embedder: EmbedderId,
    /// The task as a vector.
    pub task: Vec<f32>,
    /// What the lesson says, as a vector.
    pub lesson: Vec<f32>,
}

/// The reviewed run that a lesson is about.
pub(crate) struct ReviewedTrace {
    pub(crate) trace_id: TraceId,
    pub(crate) outcome: Outcome,
    /// How many attempts the lesson took; 0 if it came along with the review.
    pub(crate) attempts: u32,
    pub(crate) now: Timestamp,
}

/// What a memory says from now on.
pub(crate) struct Revision<'a> {
    pub(crate) written: &'a WrittenLesson,
    pub(crate) success: Option<bool>,
    pub(crate) now: Timestamp,
    /// Of these words. Where there is none of the project's embedder, one is made later.
    pub(crate) vectors: &'a [MemoryVectors],
}

/// Stores the lesson, and finishes its trace: reviewed, with the memory's id on it, which is answered.
pub(crate) fn store(
    write: &dyn Transaction,
    project_id: &ProjectId,
    about: &ReviewedTrace,
    insert: &LessonInsert,
) -> StoreResult<MemoryId> {
    let memory_id = match existing(write, project_id, about.trace_id)? {
        Some(memory_id) => {
            let success = Some(about.outcome.is_pass());
            let (written, vectors) = (&insert.written, insert.vectors.as_slice());
            let revision = Revision { written, success, now: about.now, vectors };
            revise(write, project_id, memory_id, &revision)?;
            memory_id
        }
        None => {
            // One that was deleted while this lesson was written knows the run no more.
            forget_deleted(write, project_id, about.trace_id)?;
            insert_memory(write, project_id, about, insert)?;
            insert.memory_id
        }
    };
    write.submit(
        "UPDATE traces SET review_status = 'reviewed', created_memory_id = ?3, ingest_attempts = ?4
         WHERE project_id = ?1 AND trace_id = ?2",
        params![project_id, about.trace_id, memory_id, about.attempts],
    )?;
    Ok(memory_id)
}

/// Says that the lesson of a trace will be stored.
pub(crate) fn prefetch(read: &dyn Read, project_id: &ProjectId, trace_id: TraceId) -> StoreResult<()> {
    read.prefetch(CREATED, params![project_id, trace_id])?;
    read.prefetch(DELETED, params![project_id, trace_id])?;
    projects::prefetch_embedders(read, project_id)
}

const DELETED: &str =
    "SELECT memory_id FROM memories WHERE project_id = ?1 AND trace_id = ?2 AND deleted_at IS NOT NULL";

const CREATED: &str = "SELECT created_memory_id FROM traces WHERE project_id = ?1 AND trace_id = ?2";

/// The memory that a trace has, unless it was deleted.
fn existing(read: &dyn Read, project_id: &ProjectId, trace_id: TraceId) -> StoreResult<Option<MemoryId>> {
    let created = read.query_opt(CREATED, params![project_id, trace_id], |row| row.get("created_memory_id"))?;
    let Some(memory_id) = created.flatten() else { return Ok(None) };
    let sql = "SELECT 1 FROM memories WHERE project_id = ?1 AND memory_id = ?2 AND deleted_at IS NULL";
    Ok(read.exists(sql, params![project_id, memory_id])?.then_some(memory_id))
}

/// Gives a memory a new lesson and keeps the old one among its revisions.
pub(crate) fn revise(
    write: &dyn Transaction,
    project_id: &ProjectId,
    memory_id: MemoryId,
    revision: &Revision<'_>,
) -> StoreResult<()> {
    write.submit(
        "INSERT INTO memory_revisions (project_id, memory_id, revision, lesson, success, written_by, created_at, checksum)
         SELECT project_id, memory_id, revision, lesson, success, written_by, updated_at, checksum FROM memories
         WHERE project_id = ?1 AND memory_id = ?2",
        params![project_id, memory_id],
    )?;
    let lesson = to_json("lesson", &revision.written.lesson)?;
    let task = "SELECT task FROM memories WHERE project_id = ?1 AND memory_id = ?2";
    let same_words = same_words::number(write, &revision.written.lesson, (task, params![project_id, memory_id]))?;
    write.submit(
        "UPDATE memories SET revision = revision + 1, lesson = ?3, success = ?4, written_by = ?5, updated_at = ?6,
                             changed = ?7, checksum = ?8, tells = ?9, same_words = ?10
         WHERE project_id = ?1 AND memory_id = ?2",
        params![
            project_id,
            memory_id,
            &lesson,
            revision.success,
            to_json("written_by", &revision.written.written_by)?,
            revision.now,
            write.next_change(project_id)?,
            checksum_of(&lesson),
            revision.written.lesson.tells.map(Tells::as_str),
            same_words,
        ],
    )?;
    replace_lesson_vectors(write, project_id, memory_id, revision)
}

/// Puts the vectors of new words in the place of the old ones. If the project's embedder made none, the project is sent to the embedder
/// that it has, unless it is on a way already: whatever lacks a vector gets one on it.
fn replace_lesson_vectors(
    write: &dyn Transaction,
    project_id: &ProjectId,
    memory_id: MemoryId,
    revision: &Revision<'_>,
) -> StoreResult<()> {
    for MemoryVectors { embedder, lesson, .. } in revision.vectors {
        let lesson = vector_to_blob(lesson);
        let checksum = checksum_of(&lesson);
        write.submit(
            "UPDATE vectors SET lesson_vector = ?4, lesson_checksum = ?5, lesson_revision =
                 (SELECT revision FROM memories WHERE project_id = ?1 AND memory_id = ?2)
             WHERE project_id = ?1 AND memory_id = ?2 AND embedder = ?3",
            params![project_id, memory_id, embedder, lesson, checksum],
        )?;
    }
    let Some((current, _)) = projects::embedders(write, project_id)? else {
        return Ok(());
    };
    if revision.vectors.iter().all(|vectors| vectors.embedder != current) {
        write.submit(
            "INSERT INTO embedder_switches (project_id, target, started_at) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
            params![project_id, &current, revision.now],
        )?;
    }
    Ok(())
}

/// Hides a memory and erases what it says. Its ledger stays, and so does its row, so that indexes learn of it. While its run is there the vector of that
/// run's task stays, too: what is usual for a task is known from runs.
pub(crate) fn delete(
    write: &dyn Transaction,
    project_id: &ProjectId,
    memory_id: MemoryId,
    now: Timestamp,
) -> StoreResult<bool> {
    let deleted = write.execute(
        "UPDATE memories SET deleted_at = ?3, task = '', lesson = '{}', tells = NULL, same_words = NULL, metadata = '{}', checksum = NULL,
                             changed = ?4
         WHERE project_id = ?1 AND memory_id = ?2 AND deleted_at IS NULL",
        params![project_id, memory_id, now, write.next_change(project_id)?],
    )?;
    if deleted == 0 {
        return Ok(false);
    }
    let this = params![project_id, memory_id];
    write.submit("DELETE FROM memory_revisions WHERE project_id = ?1 AND memory_id = ?2", this)?;
    write.submit(
        "DELETE FROM vectors WHERE project_id = ?1 AND memory_id = ?2 AND NOT EXISTS (
             SELECT 1 FROM memories m JOIN reviews r ON r.project_id = m.project_id AND r.trace_id = m.trace_id
             WHERE m.project_id = ?1 AND m.memory_id = ?2 AND r.removed_at IS NULL)",
        this,
    )?;
    write.submit(
        "UPDATE vectors SET lesson_vector = NULL, lesson_checksum = NULL, lesson_revision = NULL
         WHERE project_id = ?1 AND memory_id = ?2",
        this,
    )?;
    Ok(true)
}

/// Removes what is left of the deleted memories of a run: its review or its trace goes, or another memory is about to know it.
pub(crate) fn forget_deleted(write: &dyn Transaction, project_id: &ProjectId, trace_id: TraceId) -> StoreResult<()> {
    for memory_id in list_deleted(write, project_id, trace_id)? {
        let sql = "DELETE FROM vectors WHERE project_id = ?1 AND memory_id = ?2";
        write.submit(sql, params![project_id, memory_id])?;
        memories::touch(write, project_id, memory_id)?;
    }
    Ok(())
}

/// The deleted memories of a run.
pub(crate) fn list_deleted(read: &dyn Read, project_id: &ProjectId, trace_id: TraceId) -> StoreResult<Vec<MemoryId>> {
    read.query_all(DELETED, params![project_id, trace_id], |row| row.get("memory_id"))
}

/// Keeps how a run went with the memory that was learned from it: its trace goes.
pub(crate) fn outlive_run(write: &dyn Transaction, project_id: &ProjectId, trace_id: TraceId) -> StoreResult<()> {
    let created = write.query_opt(CREATED, params![project_id, trace_id], |row| row.get("created_memory_id"))?;
    let Some(memory_id): Option<MemoryId> = created.flatten() else { return Ok(()) };
    write.submit(
        "UPDATE memories
         SET (run_score, run_added) = (
             SELECT coalesce(score, CASE result WHEN 'pass' THEN 1.0 ELSE 0.0 END), added FROM reviews
             WHERE project_id = ?1 AND trace_id = ?3 AND removed_at IS NULL)
         WHERE project_id = ?1 AND memory_id = ?2",
        params![project_id, memory_id, trace_id],
    )
}

fn insert_memory(
    write: &dyn Transaction,
    project_id: &ProjectId,
    about: &ReviewedTrace,
    insert: &LessonInsert,
) -> StoreResult<()> {
    let lesson = to_json("lesson", &insert.written.lesson)?;
    let task = "SELECT task FROM traces WHERE project_id = ?1 AND trace_id = ?2";
    let same_words = same_words::number(write, &insert.written.lesson, (task, params![project_id, about.trace_id]))?;
    write.submit(
        "INSERT INTO memories (project_id, memory_id, trace_id, task, lesson, success, status, revision, written_by,
                               q_value, uses, passes, fails, next_position, metadata, created_at, updated_at, changed,
                               checksum, tells, same_words, has_run)
         SELECT project_id, ?3, trace_id, task, ?4, ?5, ?6, 1, ?7, ?8, 0, 0, 0, 0, metadata, ?9, ?9, ?10, ?11, ?12, CAST(?13 AS BIGINT),
                CASE WHEN final_response <> '' OR retrieval_id IS NOT NULL OR retrieved_memory_ids <> '[]' OR EXISTS (
                    SELECT 1 FROM trajectories y
                    WHERE y.project_id = ?1 AND y.trace_id = ?2 AND octet_length(y.trajectory) > 2
                ) THEN 1 ELSE 0 END
         FROM traces WHERE project_id = ?1 AND trace_id = ?2",
        params![
            project_id,
            about.trace_id,
            insert.memory_id,
            &lesson,
            about.outcome.is_pass(),
            MemoryStatus::Active.as_str(),
            to_json("written_by", &insert.written.written_by)?,
            Tally::default().learned().average,
            about.now,
            write.next_change(project_id)?,
            checksum_of(&lesson),
            insert.written.lesson.tells.map(Tells::as_str),
            same_words,
        ],
    )?;
    insert_vectors(write, project_id, insert)
}

/// Stores the vectors that somebody will compare. They were made before this transaction began, so the project may have
/// got another embedder since: a memory that nobody could find is not stored at all.
fn insert_vectors(write: &dyn Transaction, project_id: &ProjectId, insert: &LessonInsert) -> StoreResult<()> {
    let Some((current, target)) = projects::embedders(write, project_id)? else {
        return Ok(());
    };
    let mut comparable = false;
    for MemoryVectors { embedder, task, lesson } in &insert.vectors {
        if *embedder == current || Some(embedder) == target.as_ref() {
            let (task, lesson) = (vector_to_blob(task), vector_to_blob(lesson));
            let (checksum, lesson_checksum) = (checksum_of(&task), checksum_of(&lesson));
            write.submit(
                "INSERT INTO vectors (project_id, memory_id, embedder, vector, checksum, lesson_vector, lesson_checksum,
                                      lesson_revision)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 1)",
                params![project_id, insert.memory_id, embedder, task, checksum, lesson, lesson_checksum],
            )?;
            comparable = true;
        }
    }
    if comparable { Ok(()) } else { Err(StoreError::OtherEmbedder(current)) }
}
