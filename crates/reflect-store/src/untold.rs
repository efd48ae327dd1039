//! Lessons that do not say how much they tell: their release did not know it yet, or their writer did not say it.

use reflect_core::{MemoryId, ProjectId, Tells, TraceId, WrittenBy};

use crate::{
    error::StoreResult,
    sql::{Lane, Query, params},
    store::Store,
    tables::same_words,
};

/// A memory whose lesson does not say how much it tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Untold {
    /// The memory.
    pub memory_id: MemoryId,
    /// The run that it was learned from, which may be gone.
    pub trace_id: TraceId,
    /// Who wrote its present revision.
    pub written_by: WrittenBy,
}

impl Store {
    /// A project's memories whose lessons do not say how much they tell, oldest first: at most `limit` of those after that one.
    pub async fn list_untold(
        &self,
        project_id: ProjectId,
        after: Option<MemoryId>,
        limit: usize,
    ) -> StoreResult<Vec<Untold>> {
        self.readers
            .read(move |read| {
                read.query_all(
                    "SELECT memory_id, trace_id, written_by FROM memories
                     WHERE project_id = ?1 AND memory_id > ?2 AND tells IS NULL AND deleted_at IS NULL
                     ORDER BY memory_id LIMIT ?3",
                    params![&project_id, after.unwrap_or(MemoryId::from_uuid(uuid::Uuid::nil())), limit],
                    |row| {
                        Ok(Untold {
                            memory_id: row.get("memory_id")?,
                            trace_id: row.get("trace_id")?,
                            written_by: row.json("written_by")?,
                        })
                    },
                )
            })
            .await
    }

    /// Notes how much lessons tell that did not say so; answers how many those were. Their words stay.
    pub async fn set_tells(&self, project_id: ProjectId, told: Vec<(MemoryId, Tells)>) -> StoreResult<usize> {
        self.writer
            .write(Lane::of(&project_id), move |write| {
                let mut noted = 0;
                for (memory_id, tells) in &told {
                    noted += write.execute(
                        "UPDATE memories SET tells = ?3, changed = ?4
                         WHERE project_id = ?1 AND memory_id = ?2 AND tells IS NULL AND deleted_at IS NULL",
                        params![&project_id, *memory_id, tells.as_str(), write.next_change(&project_id)?],
                    )?;
                    // An answer is found by its task.
                    same_words::keep(write, &project_id, *memory_id)?;
                }
                Ok(noted)
            })
            .await
    }
}
