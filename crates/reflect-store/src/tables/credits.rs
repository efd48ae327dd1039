//! The ledger: one row for every step of a utility.

use std::{collections::BTreeSet, ops::ControlFlow};

use reflect_core::{
    Circumstances, Credit, MemoryId, Outcome, ProjectId, RetrievalId, ReviewId, ShownMemory, Step, Tally, Timestamp,
    TraceId,
};

use crate::{
    error::StoreResult,
    sql::{Query, Read, Row, Transaction, Value, params},
};

/// What a review is worth to the memories that its run was shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reward {
    pub(crate) trace_id: TraceId,
    pub(crate) review_id: ReviewId,
    pub(crate) result: Outcome,
    pub(crate) score: Option<f64>,
    pub(crate) alpha: f64,
    pub(crate) now: Timestamp,
}

impl Reward {
    fn step(&self) -> Step {
        Step::new(self.result, self.score, self.alpha)
    }
}

/// A review whose credits another one takes over.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Replacement {
    pub(crate) replaced: ReviewId,
    pub(crate) reward: Reward,
}

/// A review that no longer counts, and since when.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Removal {
    pub(crate) review_id: ReviewId,
    pub(crate) now: Timestamp,
}

/// The memories that a run was shown, and how.
pub(crate) struct Showing {
    pub(crate) memory_ids: BTreeSet<MemoryId>,
    pub(crate) retrieval_id: Option<RetrievalId>,
    /// What that query answered; empty where it is not known.
    pub(crate) answer: Vec<ShownMemory>,
}

/// Where in a memory's order a credit stands, and what is known of how its run saw the memory. A correction takes it over.
struct Slot {
    position: i64,
    revision: u32,
    circumstances: Circumstances,
}

/// How a memory stands before it is credited.
const STANDING: &str = "SELECT memory_id, revision, next_position, q_value, uses, passes, fails FROM memories
     WHERE project_id = ?1 AND memory_id = ?2 AND deleted_at IS NULL";

/// Says what crediting these memories will ask.
pub(crate) fn prefetch(read: &dyn Read, project_id: &ProjectId, memory_ids: &BTreeSet<MemoryId>) -> StoreResult<()> {
    memory_ids.iter().try_for_each(|memory_id| read.prefetch(STANDING, params![project_id, *memory_id]))
}

/// Appends one credit to each of the project's memories that were shown, and extends their tallies. Unknown and deleted ones are
/// passed over.
pub(crate) fn append(
    write: &dyn Transaction,
    project_id: &ProjectId,
    showing: &Showing,
    reward: Reward,
) -> StoreResult<()> {
    let keys: Vec<Vec<Value<'_>>> = showing.memory_ids.iter().map(|id| params![project_id, *id].to_vec()).collect();
    let mut found: Vec<(MemoryId, u32, i64, Tally)> = Vec::with_capacity(keys.len());
    write.each_row_of_all(STANDING, &keys, &mut |row| {
        found.push((row.get("memory_id")?, row.get("revision")?, row.get("next_position")?, tally(row)?));
        Ok(ControlFlow::Continue(()))
    })?;
    for (memory_id, revision, position, tally) in found {
        let circumstances = Circumstances::in_answer(memory_id, showing.retrieval_id, &showing.answer);
        let slot = Slot { position, revision, circumstances };
        let ledger = Ledger { write, project_id, memory_id };
        ledger.insert(&slot, reward)?;
        ledger.set_tally(tally.with(reward.step()), position + 1)?;
    }
    Ok(())
}

/// Puts `reward` into the slots that the credits of `replaced` have, and folds each memory again.
pub(crate) fn replace(
    write: &dyn Transaction,
    project_id: &ProjectId,
    memory_ids: &BTreeSet<MemoryId>,
    Replacement { replaced, reward }: Replacement,
) -> StoreResult<()> {
    for &memory_id in memory_ids {
        let ledger = Ledger { write, project_id, memory_id };
        if let Some(slot) = ledger.remove(replaced, reward.now)? {
            ledger.insert(&slot, reward)?;
            ledger.refold()?;
        }
    }
    Ok(())
}

/// Takes the credits of a review out of the count, and folds each memory again.
pub(crate) fn remove(
    write: &dyn Transaction,
    project_id: &ProjectId,
    memory_ids: &BTreeSet<MemoryId>,
    Removal { review_id, now }: Removal,
) -> StoreResult<()> {
    for &memory_id in memory_ids {
        let ledger = Ledger { write, project_id, memory_id };
        if ledger.remove(review_id, now)?.is_some() {
            ledger.refold()?;
        }
    }
    Ok(())
}

/// Folds a memory's ledger again.
pub(crate) fn refold(write: &dyn Transaction, project_id: &ProjectId, memory_id: MemoryId) -> StoreResult<()> {
    Ledger { write, project_id, memory_id }.refold()
}

/// A memory's live credits as steps, in the order of their positions.
pub(crate) fn live_steps(read: &dyn Read, project_id: &ProjectId, memory_id: MemoryId) -> StoreResult<Vec<Step>> {
    read.query_all(
        "SELECT result, score, alpha FROM credits
         WHERE project_id = ?1 AND memory_id = ?2 AND removed_at IS NULL ORDER BY position",
        params![project_id, memory_id],
        step,
    )
}

/// Which live credits of a memory are read, from the newest back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CreditPage {
    /// Only those before this position.
    pub before: Option<i64>,
    /// How many at most.
    pub limit: usize,
}

/// A page of a memory's live credits, newest first. What the utility was after each is folded from the first one on.
pub(crate) fn list_live(
    read: &dyn Read,
    project_id: &ProjectId,
    memory_id: MemoryId,
    page: CreditPage,
) -> StoreResult<Vec<Credit>> {
    let before = page.before.unwrap_or(i64::MAX);
    let steps = read.query_all(
        "SELECT result, score, alpha FROM credits
         WHERE project_id = ?1 AND memory_id = ?2 AND removed_at IS NULL AND position < ?3 ORDER BY position",
        params![project_id, memory_id, before],
        step,
    )?;
    let mut utilities = Tally::utilities(steps).into_iter().rev();
    read.query_all(
        "SELECT position, memory_revision, trace_id, review_id, result, score, alpha, retrieval_id, rank, similarity, probability,
                created_at, removed_at FROM credits
         WHERE project_id = ?1 AND memory_id = ?2 AND removed_at IS NULL AND position < ?3 ORDER BY position DESC LIMIT ?4",
        params![project_id, memory_id, before, page.limit],
        |row| credit(row, utilities.next().unwrap_or_default()),
    )
}

/// The cached fold on a memory.
pub(crate) fn tally(row: &dyn Row) -> StoreResult<Tally> {
    Ok(Tally::cached(row.get("q_value")?, row.get("uses")?, row.get("passes")?, row.get("fails")?))
}

/// The ledger of one memory.
struct Ledger<'a> {
    write: &'a dyn Transaction,
    project_id: &'a ProjectId,
    memory_id: MemoryId,
}

impl Ledger<'_> {
    fn insert(&self, slot: &Slot, reward: Reward) -> StoreResult<()> {
        let circumstances = &slot.circumstances;
        self.write.submit(
            "INSERT INTO credits (project_id, memory_id, position, review_id, trace_id, memory_revision, result, alpha,
                                  created_at, retrieval_id, rank, similarity, probability, score)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
            params![
                self.project_id,
                self.memory_id,
                slot.position,
                reward.review_id,
                reward.trace_id,
                slot.revision,
                reward.result.as_str(),
                reward.alpha,
                reward.now,
                circumstances.retrieval_id,
                circumstances.rank,
                circumstances.similarity,
                circumstances.probability,
                reward.score,
            ],
        )
    }

    /// Takes the live credit of a review out of the count; answers its slot, if there was one.
    fn remove(&self, review_id: ReviewId, now: Timestamp) -> StoreResult<Option<Slot>> {
        self.write.query_opt(
            "UPDATE credits SET removed_at = ?4
             WHERE project_id = ?1 AND memory_id = ?2 AND review_id = ?3 AND removed_at IS NULL
             RETURNING position, memory_revision, retrieval_id, rank, similarity, probability",
            params![self.project_id, self.memory_id, review_id, now],
            |row| {
                let circumstances = circumstances(row)?;
                Ok(Slot { position: row.get("position")?, revision: row.get("memory_revision")?, circumstances })
            },
        )
    }

    /// Writes a tally onto the memory, as a change that indexes will see.
    fn set_tally(&self, tally: Tally, next_position: i64) -> StoreResult<()> {
        self.write.submit(
            "UPDATE memories SET q_value = ?3, uses = ?4, passes = ?5, fails = ?6, next_position = ?7, changed = ?8
             WHERE project_id = ?1 AND memory_id = ?2",
            params![
                self.project_id,
                self.memory_id,
                tally.utility(),
                tally.uses(),
                tally.passes(),
                tally.fails(),
                next_position,
                self.write.next_change(self.project_id)?,
            ],
        )
    }

    fn refold(&self) -> StoreResult<()> {
        let tally = Tally::of(live_steps(self.write, self.project_id, self.memory_id)?);
        let next_position = self.write.query_opt(
            "SELECT next_position FROM memories WHERE project_id = ?1 AND memory_id = ?2",
            params![self.project_id, self.memory_id],
            |row| row.get("next_position"),
        )?;
        match next_position {
            Some(next_position) => self.set_tally(tally, next_position),
            None => Ok(()),
        }
    }
}

fn credit(row: &dyn Row, utility_after: f64) -> StoreResult<Credit> {
    let Step { result, reward, alpha } = step(row)?;
    Ok(Credit {
        position: row.get("position")?,
        memory_revision: row.get("memory_revision")?,
        trace_id: row.get("trace_id")?,
        review_id: row.get("review_id")?,
        result,
        reward,
        alpha,
        circumstances: circumstances(row)?,
        utility_after,
        created_at: row.get("created_at")?,
        removed_at: row.get("removed_at")?,
    })
}

fn step(row: &dyn Row) -> StoreResult<Step> {
    Ok(Step::new(row.named("result")?, row.get("score")?, row.get("alpha")?))
}

fn circumstances(row: &dyn Row) -> StoreResult<Circumstances> {
    Ok(Circumstances {
        retrieval_id: row.get("retrieval_id")?,
        rank: row.get("rank")?,
        similarity: row.get("similarity")?,
        probability: row.get("probability")?,
    })
}
