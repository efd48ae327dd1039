//! Memories: reading, editing, deleting.

use std::{ops::ControlFlow, time::Duration};

use reflect_core::{
    Credit, Direction, Lesson, Memory, MemoryCursor, MemoryId, MemoryOrder, MemoryRevision, MemoryStatus, ProjectId,
    Timestamp, WrittenBy, WrittenLesson,
    worth::{LearningRule, Viewpoint},
};

use crate::{
    error::StoreResult,
    sql::{Lane, Query, Read, Row, params},
    store::Store,
    tables::{
        credits::{self, CreditPage},
        lessons::{self, MemoryVectors, Revision},
        memories, traces,
    },
    text_checks::TextCheck,
    text_search::Search,
};

/// A page ends early once its memories have this many bytes.
pub(crate) const PAGE_BYTES: usize = 4 << 20;

/// Which memories a list holds.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryFilter {
    /// By whether they are shown.
    pub status: Option<MemoryStatus>,
    /// By words that all occur in the task or the lesson, in any order and whatever the case of their letters.
    pub text: Option<String>,
    /// What they are listed by.
    pub order: MemoryOrder,
    /// Only those that queries leave out.
    pub only_retired: bool,
    /// How their project sees them.
    pub viewpoint: Viewpoint,
    /// From which end on.
    pub direction: Direction,
    /// Only those after this one.
    pub after: Option<MemoryCursor>,
    /// How many at most.
    pub limit: usize,
}

/// A page of memories that was looked up and has not been read yet.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MemoryPlan {
    /// As many as were asked for, or fewer once they have 4 MiB.
    pub memory_ids: Vec<MemoryId>,
    /// How many bytes their texts have.
    pub bytes: usize,
    /// Whether there are more after the last one.
    pub has_more: bool,
}

impl Default for MemoryFilter {
    fn default() -> Self {
        Self {
            status: None,
            text: None,
            order: MemoryOrder::Created,
            only_retired: false,
            viewpoint: Viewpoint::default(),
            direction: Direction::Desc,
            after: None,
            limit: 0,
        }
    }
}

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
    /// A page of a project's memories, measured and not read. One that looks for words may have to look at every memory: it is given
    /// up after `patience`, and as soon as nobody waits for it.
    pub async fn plan_memories(
        &self,
        project_id: ProjectId,
        filter: MemoryFilter,
        patience: Duration,
    ) -> StoreResult<MemoryPlan> {
        if filter.text.is_some() {
            let owner = project_id.clone();
            self.scans.scan(&owner, patience, move |read| plan(read, &project_id, &filter)).await
        } else {
            self.readers.read(move |read| plan(read, &project_id, &filter)).await
        }
    }

    /// The memories with these ids, in their order and as their project sees them; those that are gone are passed over.
    pub async fn get_memories(
        &self,
        project_id: ProjectId,
        memory_ids: Vec<MemoryId>,
        viewpoint: Viewpoint,
    ) -> StoreResult<Vec<Memory>> {
        self.readers
            .read(move |read| {
                let found = memories::get_all(read, &project_id, &memory_ids)?;
                Ok(found.into_iter().map(|memory| memory.seen_from(&viewpoint)).collect())
            })
            .await
    }

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

/// An index has everything which memories are ordered by; of the memories themselves only the heads of their rows are looked at.
fn plan(read: &dyn Read, project_id: &ProjectId, filter: &MemoryFilter) -> StoreResult<MemoryPlan> {
    let mut found: Vec<MemoryId> = Vec::new();
    filter.search(project_id).each(read, |row| {
        found.push(row.get("memory_id")?);
        Ok(())
    })?;
    let has_more = found.len() > filter.limit;
    found.truncate(filter.limit);
    let mut plan = MemoryPlan { has_more, ..MemoryPlan::default() };
    for (memory_id, bytes) in memories::measure_all(read, project_id, &found)? {
        if plan.bytes >= PAGE_BYTES {
            plan.has_more = true;
            break;
        }
        plan.memory_ids.push(memory_id);
        plan.bytes += bytes;
    }
    Ok(plan)
}

impl MemoryFilter {
    /// One more than the page may have, which tells whether there are more.
    fn search<'a>(&'a self, project_id: &'a ProjectId) -> Search<'a> {
        let mut params = params![project_id, self.status.map(MemoryStatus::as_str)].to_vec();
        let mut conditions =
            String::from("project_id = ?1 AND deleted_at IS NULL AND (CAST(?2 AS TEXT) IS NULL OR status = ?2)");
        let (descending, beyond) = match self.direction {
            Direction::Desc => (" DESC", '<'),
            Direction::Asc => ("", '>'),
        };
        let column = match self.order {
            MemoryOrder::Created => "memory_id",
            MemoryOrder::Updated => "updated_at",
            MemoryOrder::Utility => credits::utility_column(self.viewpoint.rule),
            MemoryOrder::Uses => "uses",
        };
        match (self.after, self.order) {
            (Some(MemoryCursor { id, .. }), MemoryOrder::Created) => {
                conditions += &format!(" AND memory_id {beyond} ?3");
                params.push(id.into());
            }
            (Some(MemoryCursor { value, id }), _) => {
                // A cursor that does not say where its memory stood means where it stands now.
                let stands = format!("SELECT {column} FROM memories WHERE project_id = ?1 AND memory_id = ?4");
                conditions += &format!(" AND ({column}, memory_id) {beyond} (coalesce(?3, ({stands})), ?4)");
                params.extend(params![value, id].to_vec());
            }
            (None, _) => {}
        }
        if self.only_retired {
            // Constant steps retire nothing.
            let today = (self.viewpoint.rule == LearningRule::Worth).then_some(self.viewpoint.today);
            conditions += &format!(" AND pinned = 0 AND retired_until > ?{}", params.len() + 1);
            params.push(today.into());
        }
        let ties = if self.order == MemoryOrder::Created { String::new() } else { format!(", memory_id{descending}") };
        let order = format!("{column}{descending}{ties}");
        let checks = self.text.iter().map(|text| TextCheck::lesson_words(text)).collect();
        let (tables, limit) = ("FROM memories", self.limit + 1);
        Search { id: "memory_id", tables, conditions, params, checks, order, limit }
    }

    /// Where a page that ends with this memory goes on.
    pub fn cursor_after(&self, memory: &Memory) -> MemoryCursor {
        #[expect(clippy::cast_precision_loss, reason = "microseconds are below 2^53 until the year 2255")]
        let value = match self.order {
            MemoryOrder::Created => None,
            MemoryOrder::Updated => Some(memory.updated_at.as_micros() as f64),
            MemoryOrder::Utility => Some(memory.tally.utility()),
            MemoryOrder::Uses => Some(f64::from(memory.tally.uses())),
        };
        MemoryCursor { value, id: memory.id }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::plan_of;

    #[test]
    fn memories_in_any_order_are_found_in_an_index() {
        let project_id = "p".parse().unwrap();
        for order in MemoryOrder::ALL {
            let filter = MemoryFilter { order: *order, ..MemoryFilter::default() };
            let plan = plan_of(&filter.search(&project_id).select().unwrap());
            assert!(plan.contains("USING COVERING INDEX memories_figures (project_id=?)"), "{order}: {plan}");
        }
    }
}
