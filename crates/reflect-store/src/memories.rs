//! Memories: reading, editing, deleting. Lists of them are read in `memory_list.rs`.

use std::ops::ControlFlow;

use reflect_core::{
    Credit, Lesson, Memory, MemoryId, MemoryRevision, MemoryStatus, ProjectId, Timestamp, WrittenBy, WrittenLesson,
};

use crate::{
    error::StoreResult,
    memory_list::PAGE_BYTES,
    sql::{Lane, Query, Row, params},
    store::Store,
    tables::{
        credits::{self, CreditPage},
        lessons::{self, MemoryVectors, Revision},
        memories, traces,
    },
};

/// Turns the lesson that is there into the one that should be.
pub type EditLesson = Box<dyn FnOnce(Lesson) -> Lesson + Send>;

/// What to change about a memory. What is `None` stays.
#[derive(Default)]
pub struct MemoryEdit {
    /// Show it or not.
    pub status: Option<MemoryStatus>,
    /// Whether it is never left out.
    pub pinned: Option<bool>,
    /// Whether what it was believed to add is forgotten, so that it is tried again.
    pub bring_back: bool,
    /// How the lesson changes, and who says so: a new revision, if it does change.
    pub lesson: Option<(EditLesson, WrittenBy)>,
    /// The vectors of what it is expected to say afterwards. Should it say something else, they are made later.
    pub embedded: Option<EmbeddedWords>,
}

/// What a lesson says, as vectors.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbeddedWords {
    /// The words.
    pub words: String,
    /// By the project's embedder, and by the embedder that it is on the way to.
    pub vectors: Vec<MemoryVectors>,
}

impl Store {
    /// What a memory says and said before, newest first, up to the one with which a page is full. `None` if there is no such memory.
    pub async fn list_memory_revisions(
        &self,
        project_id: ProjectId,
        memory_id: MemoryId,
    ) -> StoreResult<Option<Vec<MemoryRevision>>> {
        self.readers
            .read(move |read| {
                let Some(memory) = memories::get(read, &project_id, memory_id)? else {
                    return Ok(None);
                };
                let mut revisions = vec![MemoryRevision {
                    revision: memory.revision,
                    lesson: memory.lesson,
                    success: memory.success,
                    written_by: memory.written_by,
                    created_at: memory.updated_at,
                }];
                let sql = "SELECT revision, lesson, success, written_by, created_at FROM memory_revisions
                           WHERE project_id = ?1 AND memory_id = ?2 ORDER BY revision DESC";
                let mut bytes = 0;
                read.walk(sql, params![&project_id, memory_id], &mut |row| {
                    bytes += row.get::<String>("lesson")?.len();
                    revisions.push(revision(row)?);
                    Ok(if bytes < PAGE_BYTES { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
                })?;
                Ok(Some(revisions))
            })
            .await
    }

    /// A page of a memory's live credits, newest first. `None` if there is no such memory.
    pub async fn list_credits(
        &self,
        project_id: ProjectId,
        memory_id: MemoryId,
        page: CreditPage,
    ) -> StoreResult<Option<Vec<Credit>>> {
        Ok(self.get_memory(project_id, memory_id, page).await?.map(|(_, credits)| credits))
    }

    /// One memory, and a page of its live credits, newest first.
    pub async fn get_memory(
        &self,
        project_id: ProjectId,
        memory_id: MemoryId,
        page: CreditPage,
    ) -> StoreResult<Option<(Memory, Vec<Credit>)>> {
        self.readers
            .read(move |read| {
                let Some(memory) = memories::get(read, &project_id, memory_id)? else {
                    return Ok(None);
                };
                let credits = credits::list_live(read, &project_id, memory_id, &page)?;
                Ok(Some((memory.seen_from(&page.viewpoint), credits)))
            })
            .await
    }

    /// How many bytes a memory has, if it is there. It is not read for it.
    pub async fn measure_memory(&self, project_id: ProjectId, memory_id: MemoryId) -> StoreResult<Option<usize>> {
        self.readers.read(move |read| memories::measure(read, &project_id, memory_id)).await
    }

    /// Changes a memory. `None` if there is no such memory.
    pub async fn update_memory(
        &self,
        project_id: ProjectId,
        memory_id: MemoryId,
        edit: MemoryEdit,
        now: Timestamp,
    ) -> StoreResult<Option<Memory>> {
        self.writer
            .write(Lane::of(&project_id), move |write| {
                let Some(memory) = memories::get(write, &project_id, memory_id)? else {
                    return Ok(None);
                };
                if let Some(status) = edit.status {
                    write.submit(
                        "UPDATE memories SET status = ?3, changed = ?4 WHERE project_id = ?1 AND memory_id = ?2",
                        params![&project_id, memory_id, status.as_str(), write.next_change(&project_id)?],
                    )?;
                }
                if let Some(pinned) = edit.pinned {
                    write.submit(
                        "UPDATE memories SET pinned = ?3, changed = ?4 WHERE project_id = ?1 AND memory_id = ?2",
                        params![&project_id, memory_id, pinned, write.next_change(&project_id)?],
                    )?;
                }
                if edit.bring_back {
                    credits::begin_anew(write, &project_id, memory_id)?;
                }
                if let Some((edit_lesson, written_by)) = edit.lesson {
                    let written = WrittenLesson { lesson: edit_lesson(memory.lesson.clone()), written_by };
                    if written.lesson != memory.lesson {
                        let embedded = edit.embedded.filter(|embedded| embedded.words == written.lesson.words());
                        let vectors = embedded.map(|embedded| embedded.vectors).unwrap_or_default();
                        let (success, vectors) = (memory.success, vectors.as_slice());
                        let revision = Revision { written: &written, success, now, vectors };
                        lessons::revise(write, &project_id, memory_id, &revision)?;
                        traces::settle_stand_in(write, &project_id, memory.trace_id)?;
                    }
                }
                memories::get(write, &project_id, memory_id)
            })
            .await
    }

    /// Deletes a memory; its ledger stays. `false` if there is no such memory.
    pub async fn delete_memory(&self, project_id: ProjectId, memory_id: MemoryId, now: Timestamp) -> StoreResult<bool> {
        self.writer
            .write(Lane::of(&project_id), move |write| {
                let sql =
                    "SELECT trace_id FROM memories WHERE project_id = ?1 AND memory_id = ?2 AND deleted_at IS NULL";
                let of = write.query_opt(sql, params![&project_id, memory_id], |row| row.get("trace_id"))?;
                let Some(trace_id) = of else { return Ok(false) };
                traces::settle_stand_in(write, &project_id, trace_id)?;
                write.submit(
                    "UPDATE traces SET created_memory_id = NULL
                     WHERE project_id = ?1 AND trace_id = ?3 AND created_memory_id = ?2",
                    params![&project_id, memory_id, trace_id],
                )?;
                lessons::delete(write, &project_id, memory_id, now)
            })
            .await
    }
}

fn revision(row: &dyn Row) -> StoreResult<MemoryRevision> {
    Ok(MemoryRevision {
        revision: row.get("revision")?,
        lesson: row.json("lesson")?,
        success: row.get("success")?,
        written_by: row.json("written_by")?,
        created_at: row.get("created_at")?,
    })
}
