//! The ledger: one row for every step of a utility.

use std::collections::BTreeSet;

use reflect_core::{
    Circumstances, Credit, MemoryId, Outcome, ProjectId, RetrievalId, ReviewId, ShownMemory, Tally, Timestamp, TraceId,
};
use rusqlite::{Connection, OptionalExtension, Row};

use crate::{StoreResult, rows, writer::Write};

/// What a review is worth to the memories that its run was shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reward {
    pub(crate) trace_id: TraceId,
    pub(crate) review_id: ReviewId,
    pub(crate) result: Outcome,
    pub(crate) alpha: f64,
    pub(crate) now: Timestamp,
}

/// The memories that a run was shown, and how.
pub(crate) struct Showing {
    pub(crate) memory_ids: BTreeSet<MemoryId>,
    pub(crate) retrieval_id: Option<RetrievalId>,
    /// What that query answered; empty where it is not known.
    pub(crate) answer: Vec<ShownMemory>,
}

/// Appends one credit to each of the project's memories that were shown, and extends their tallies. Unknown and deleted
/// ones are passed over.
pub(crate) fn append(write: &Write, project: &ProjectId, showing: &Showing, reward: Reward) -> StoreResult<()> {
    for &memory_id in &showing.memory_ids {
        let found = write
            .prepare_cached(
                "SELECT revision, next_position, q_value, uses, passes, fails FROM memories
                 WHERE project_id = ?1 AND memory_id = ?2 AND deleted_at IS NULL",
            )?
            .query_row((project.as_str(), memory_id.as_uuid()), |row| {
                Ok((row.get::<_, u32>("revision")?, row.get::<_, i64>("next_position")?, tally(row)?))
            })
            .optional()?;
        let Some((revision, position, tally)) = found else {
            continue;
        };
        let circumstances = Circumstances::in_answer(memory_id, showing.retrieval_id, &showing.answer);
        insert(write, project, memory_id, Slot { position, revision, circumstances }, reward)?;
        let tally = tally.with(reward.result, reward.alpha);
        set_tally(write, project, memory_id, tally, position + 1)?;
    }
    Ok(())
}

/// Puts `reward` into the slots that the credits of `replaced` have, and folds each memory again.
pub(crate) fn replace(
    write: &Write,
    project: &ProjectId,
    memories: &BTreeSet<MemoryId>,
    replaced: ReviewId,
    reward: Reward,
) -> StoreResult<()> {
    for &memory_id in memories {
        if let Some(slot) = remove_one(write, project, memory_id, replaced, reward.now)? {
            insert(write, project, memory_id, slot, reward)?;
            refold(write, project, memory_id)?;
        }
    }
    Ok(())
}

/// Takes the credits of a review out of the count, and folds each memory again.
pub(crate) fn remove(
    write: &Write,
    project: &ProjectId,
    memories: &BTreeSet<MemoryId>,
    review_id: ReviewId,
    now: Timestamp,
) -> StoreResult<()> {
    for &memory_id in memories {
        if remove_one(write, project, memory_id, review_id, now)?.is_some() {
            refold(write, project, memory_id)?;
        }
    }
    Ok(())
}

/// A memory's live credits as steps, in the order of their positions.
pub(crate) fn live_steps(read: &Connection, project_id: &str, memory_id: MemoryId) -> StoreResult<Vec<(Outcome, f64)>> {
    read.prepare_cached(
        "SELECT result, alpha FROM credits
         WHERE project_id = ?1 AND memory_id = ?2 AND removed_at IS NULL ORDER BY position",
    )?
    .query_and_then((project_id, memory_id.as_uuid()), |row| Ok((rows::named(row, "result")?, row.get("alpha")?)))?
    .collect()
}

/// A memory's newest live credits, newest first.
pub(crate) fn list_live(
    read: &Connection,
    project: &ProjectId,
    memory: MemoryId,
    limit: usize,
) -> StoreResult<Vec<Credit>> {
    read.prepare_cached(
        "SELECT position, memory_revision, trace_id, review_id, result, alpha, created_at, removed_at, retrieval_id, rank,
                similarity, probability FROM credits
         WHERE project_id = ?1 AND memory_id = ?2 AND removed_at IS NULL ORDER BY position DESC LIMIT ?3",
    )?
    .query_and_then((project.as_str(), memory.as_uuid(), limit), credit)?
    .collect()
}

/// Writes a tally onto its memory, as a change that indexes will see.
pub(crate) fn set_tally(
    write: &Write,
    project: &ProjectId,
    memory_id: MemoryId,
    tally: Tally,
    next_position: i64,
) -> StoreResult<()> {
    write
        .prepare_cached(
            "UPDATE memories SET q_value = ?3, uses = ?4, passes = ?5, fails = ?6, next_position = ?7, changed = ?8
             WHERE project_id = ?1 AND memory_id = ?2",
        )?
        .execute((
            project.as_str(),
            memory_id.as_uuid(),
            tally.utility(),
            tally.uses(),
            tally.passes(),
            tally.fails(),
            next_position,
            write.next_change(),
        ))?;
    Ok(())
}

pub(crate) fn refold(write: &Write, project: &ProjectId, memory_id: MemoryId) -> StoreResult<()> {
    let tally = Tally::of(live_steps(write, project.as_str(), memory_id)?);
    let next_position: Option<i64> = write
        .prepare_cached("SELECT next_position FROM memories WHERE project_id = ?1 AND memory_id = ?2")?
        .query_row((project.as_str(), memory_id.as_uuid()), |row| row.get(0))
        .optional()?;
    match next_position {
        Some(next_position) => set_tally(write, project, memory_id, tally, next_position),
        None => Ok(()),
    }
}

pub(crate) fn tally(row: &Row<'_>) -> rusqlite::Result<Tally> {
    Ok(Tally::cached(row.get("q_value")?, row.get("uses")?, row.get("passes")?, row.get("fails")?))
}

/// Where in a memory's order a credit stands, and what is known of how its run saw the memory. A correction takes it over.
struct Slot {
    position: i64,
    revision: u32,
    circumstances: Circumstances,
}

fn insert(write: &Write, project: &ProjectId, memory_id: MemoryId, slot: Slot, reward: Reward) -> StoreResult<()> {
    write
        .prepare_cached(
            "INSERT INTO credits (project_id, memory_id, position, review_id, trace_id, memory_revision, result, alpha,
                                  created_at, retrieval_id, rank, similarity, probability)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        )?
        .execute((
            project.as_str(),
            memory_id.as_uuid(),
            slot.position,
            reward.review_id.as_uuid(),
            reward.trace_id.as_uuid(),
            slot.revision,
            reward.result.as_str(),
            reward.alpha,
            reward.now.as_micros(),
            slot.circumstances.retrieval_id.map(RetrievalId::as_uuid),
            slot.circumstances.rank,
            slot.circumstances.similarity,
            slot.circumstances.probability,
        ))?;
    Ok(())
}

fn remove_one(
    write: &Write,
    project: &ProjectId,
    memory_id: MemoryId,
    review_id: ReviewId,
    now: Timestamp,
) -> StoreResult<Option<Slot>> {
    let slot = write
        .prepare_cached(
            "UPDATE credits SET removed_at = ?4
             WHERE project_id = ?1 AND memory_id = ?2 AND review_id = ?3 AND removed_at IS NULL
             RETURNING position, memory_revision, retrieval_id, rank, similarity, probability",
        )?
        .query_row((project.as_str(), memory_id.as_uuid(), review_id.as_uuid(), now.as_micros()), |row| {
            Ok(Slot { position: row.get(0)?, revision: row.get(1)?, circumstances: circumstances(row)? })
        })
        .optional()?;
    Ok(slot)
}

fn credit(row: &Row<'_>) -> StoreResult<Credit> {
    Ok(Credit {
        position: row.get("position")?,
        memory_revision: row.get("memory_revision")?,
        trace_id: TraceId::from_uuid(row.get("trace_id")?),
        review_id: ReviewId::from_uuid(row.get("review_id")?),
        result: rows::named(row, "result")?,
        alpha: row.get("alpha")?,
        circumstances: circumstances(row)?,
        created_at: rows::time(row, "created_at")?,
        removed_at: rows::maybe_time(row, "removed_at")?,
    })
}

fn circumstances(row: &Row<'_>) -> rusqlite::Result<Circumstances> {
    Ok(Circumstances {
        retrieval_id: row.get::<_, Option<_>>("retrieval_id")?.map(RetrievalId::from_uuid),
        rank: row.get("rank")?,
        similarity: row.get("similarity")?,
        probability: row.get("probability")?,
    })
}
