//! The memories that a run was shown, in the words that it saw.

use std::collections::BTreeMap;

use reflect_core::{Memory, MemoryId, ProjectId, RetrievalId, ReviewId};

use crate::{
    error::StoreResult,
    sql::{Query, Read, params},
    store::Store,
    tables::{memories, retrievals},
};

/// Which run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownTo {
    /// The memories that it says it was shown.
    pub memory_ids: Vec<MemoryId>,
    /// The query that showed them, where it is known.
    pub retrieval_id: Option<RetrievalId>,
    /// The review of the run.
    pub review_id: ReviewId,
}

impl Store {
    /// The memories that a run was shown, in their order; those that are gone are passed over. One that has been rewritten since
    /// comes as it was: in the revision that the query showed, else the one that stood when the run was reviewed.
    pub async fn get_shown_memories(&self, project_id: ProjectId, shown_to: ShownTo) -> StoreResult<Vec<Memory>> {
        self.readers
            .read(move |read| {
                let answer = match shown_to.retrieval_id {
                    Some(retrieval_id) => retrievals::get_answer(read, &project_id, retrieval_id)?.shown,
                    None => Vec::new(),
                };
                let by_query: BTreeMap<MemoryId, u32> =
                    answer.into_iter().map(|shown| (shown.memory_id, shown.revision)).collect();
                let mut memories = Vec::with_capacity(shown_to.memory_ids.len());
                for memory_id in shown_to.memory_ids {
                    let Some(memory) = memories::get(read, &project_id, memory_id)? else { continue };
                    let revision = match by_query.get(&memory_id) {
                        Some(revision) => Some(*revision),
                        None => revision_by_credit(read, &project_id, memory_id, shown_to.review_id)?,
                    };
                    memories.push(match revision {
                        Some(revision) if revision < memory.revision => {
                            in_revision(read, &project_id, memory, revision)?
                        }
                        _ => memory,
                    });
                }
                Ok(memories)
            })
            .await
    }
}

/// From the newest credit back: the one that is looked for is hardly ever far from the end.
fn revision_by_credit(
    read: &dyn Read,
    project_id: &ProjectId,
    memory_id: MemoryId,
    review_id: ReviewId,
) -> StoreResult<Option<u32>> {
    read.query_opt(
        "SELECT memory_revision FROM credits WHERE project_id = ?1 AND memory_id = ?2 AND review_id = ?3
         ORDER BY position DESC LIMIT 1",
        params![project_id, memory_id, review_id],
        |row| row.get("memory_revision"),
    )
}

fn in_revision(read: &dyn Read, project_id: &ProjectId, memory: Memory, revision: u32) -> StoreResult<Memory> {
    let found = read.query_opt(
        "SELECT lesson, success, written_by FROM memory_revisions
         WHERE project_id = ?1 AND memory_id = ?2 AND revision = ?3",
        params![project_id, memory.id, revision],
        |row| Ok((row.json("lesson")?, row.get("success")?, row.json("written_by")?)),
    )?;
    Ok(match found {
        Some((lesson, success, written_by)) => Memory { lesson, success, written_by, revision, ..memory },
        None => memory,
    })
}
