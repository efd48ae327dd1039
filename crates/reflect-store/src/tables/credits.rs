//! The ledger: one row for every step of a utility.

use std::collections::BTreeSet;

use reflect_core::{
    Circumstances, Credit, History, KeyId, MemoryId, Outcome, ProjectId, ReviewId, Step, Tally, Timestamp, TraceId,
    weight_of_correction,
    worth::{Expectation, LearningRule, Viewpoint, Worth, WorthConstants},
};

use super::{
    projects,
    reporters::{self, Weights},
    showing::Showing,
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
    /// The key that brings the review.
    pub(crate) reporter: KeyId,
    pub(crate) now: Timestamp,
}

impl Reward {
    fn step(&self, slot: &Slot) -> Step {
        Step::new(self.result, self.score, self.alpha)
            .of_run(slot.day, slot.circumstances.expected)
            .weighing(slot.weight.unwrap_or(1.0))
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

/// Where in a memory's order a credit stands, and what is known of how its run saw the memory. A correction takes it over.
struct Slot {
    position: i64,
    revision: u32,
    /// The day of the run's first review.
    day: i64,
    /// Who brought that one, where it is known.
    reporter: Option<KeyId>,
    /// The share for which the run counts; none where its reporter teaches fully.
    weight: Option<f64>,
    alpha: f64,
    circumstances: Circumstances,
}

impl Slot {
    fn corrected_by(self, reward: &Reward) -> Self {
        let weight = self.weight.map(|weight| weight_of_correction(weight, self.alpha, reward.alpha));
        Self { weight, alpha: reward.alpha, ..self }
    }
}

/// How a memory stands before it is credited.
const STANDING: &str =
    "SELECT memory_id, revision, next_position, q_value, uses, passes, fails, worth_sum, worth_runs, worth_day
     FROM memories WHERE project_id = ?1 AND memory_id = ?2 AND deleted_at IS NULL";

/// Says what crediting these memories will ask.
pub(crate) fn prefetch(
    read: &dyn Read,
    project_id: &ProjectId,
    memory_ids: &BTreeSet<MemoryId>,
    reporter: KeyId,
) -> StoreResult<()> {
    if memory_ids.is_empty() {
        return Ok(());
    }
    projects::prefetch_worth_constants(read, project_id)?;
    reporters::prefetch(read, project_id, reporter)?;
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
    if showing.memory_ids.is_empty() {
        return Ok(());
    }
    // What was not known before is asked at once.
    prefetch(write, project_id, &showing.memory_ids, reward.reporter)?;
    let (sight, constants) = (showing.sight(), projects::worth_constants(write, project_id)?);
    let weights = Weights::of(write, project_id, reward.reporter, &showing.memory_ids)?;
    let keys: Vec<Vec<Value<'_>>> = showing.memory_ids.iter().map(|id| params![project_id, *id].to_vec()).collect();
    let standing =
        |row: &dyn Row| Ok((row.get("memory_id")?, row.get("revision")?, row.get("next_position")?, tally(row)?));
    let found: Vec<(MemoryId, u32, i64, Tally)> = write.query_all_of(STANDING, &keys, standing)?;
    let mut counts = false;
    for (memory_id, revision, position, tally) in found {
        let circumstances = Circumstances::of(memory_id, &sight);
        let weight = weights.of_run(memory_id, reward.alpha);
        counts |= weight.is_none_or(|weight| weight > 0.0);
        let (day, reporter) = (reward.now.day(), Some(reward.reporter));
        let slot = Slot { position, revision, day, reporter, weight, alpha: reward.alpha, circumstances };
        let ledger = Ledger { write, project_id, memory_id, constants: &constants };
        ledger.insert(&slot, reward)?;
        ledger.set_tally(tally.with(reward.step(&slot), &constants), position + 1)?;
    }
    if counts { reporters::count_run(write, project_id, reward.reporter) } else { Ok(()) }
}

/// Puts `reward` into the slots that the credits of `replaced` have, and folds each memory again.
pub(crate) fn replace(
    write: &dyn Transaction,
    project_id: &ProjectId,
    memory_ids: &BTreeSet<MemoryId>,
    Replacement { replaced, reward }: Replacement,
) -> StoreResult<()> {
    let constants = projects::worth_constants(write, project_id)?;
    for &memory_id in memory_ids {
        let ledger = Ledger { write, project_id, memory_id, constants: &constants };
        if let Some(slot) = ledger.remove(replaced, reward.now)? {
            ledger.insert(&slot.corrected_by(&reward), reward)?;
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
    let constants = projects::worth_constants(write, project_id)?;
    for &memory_id in memory_ids {
        let ledger = Ledger { write, project_id, memory_id, constants: &constants };
        if ledger.remove(review_id, now)?.is_some() {
            ledger.refold()?;
        }
    }
    Ok(())
}

/// Folds a memory's ledger again.
pub(crate) fn refold(write: &dyn Transaction, project_id: &ProjectId, memory_id: MemoryId) -> StoreResult<()> {
    let constants = projects::worth_constants(write, project_id)?;
    Ledger { write, project_id, memory_id, constants: &constants }.refold()
}

/// Forgets what a memory is believed to add: its worth begins anew with the next credit. Nothing is removed from its ledger.
pub(crate) fn begin_anew(write: &dyn Transaction, project_id: &ProjectId, memory_id: MemoryId) -> StoreResult<()> {
    write.submit(
        "UPDATE memories SET worth_from = next_position WHERE project_id = ?1 AND memory_id = ?2",
        params![project_id, memory_id],
    )?;
    refold(write, project_id, memory_id)
}

/// A memory's live credits before that position.
pub(crate) fn history(
    read: &dyn Read,
    project_id: &ProjectId,
    memory_id: MemoryId,
    before: i64,
) -> StoreResult<History> {
    let steps: Vec<(bool, Step)> = read.query_all(
        "SELECT c.position < m.worth_from AS before_return, result, score, alpha, usual, others, day, weight, c.created_at
         FROM credits c JOIN memories m ON m.project_id = c.project_id AND m.memory_id = c.memory_id
         WHERE c.project_id = ?1 AND c.memory_id = ?2 AND removed_at IS NULL AND position < ?3 ORDER BY position",
        params![project_id, memory_id, before],
        |row| Ok((row.get("before_return")?, step(row)?)),
    )?;
    let before_return = steps.iter().filter(|(is_before, _)| *is_before).count();
    Ok(History { steps: steps.into_iter().map(|(_, step)| step).collect(), before_return })
}

/// Which live credits of a memory are read, from the newest back.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CreditPage {
    /// Only those before this position.
    pub before: Option<i64>,
    /// How many at most.
    pub limit: usize,
    /// How their project sees what they taught.
    pub viewpoint: Viewpoint,
}

/// A page of a memory's live credits, newest first. What the utility was after each is folded from the first one on.
pub(crate) fn list_live(
    read: &dyn Read,
    project_id: &ProjectId,
    memory_id: MemoryId,
    page: &CreditPage,
) -> StoreResult<Vec<Credit>> {
    let before = page.before.unwrap_or(i64::MAX);
    let history = history(read, project_id, memory_id, before)?;
    let mut utilities = history.utilities(&page.viewpoint).into_iter().rev();
    read.query_all(
        "SELECT position, memory_revision, trace_id, review_id, result, score, alpha, retrieval_id, rank, similarity, probability,
                slate_probability, usual, others, unit, rule_version, day, reporter, weight, created_at, removed_at FROM credits
         WHERE project_id = ?1 AND memory_id = ?2 AND removed_at IS NULL AND position < ?3 ORDER BY position DESC LIMIT ?4",
        params![project_id, memory_id, before, page.limit],
        |row| credit(row, utilities.next().unwrap_or_default()),
    )
}

/// The column with a memory's utility by that rule.
pub(crate) const fn utility_column(rule: LearningRule) -> &'static str {
    match rule {
        LearningRule::Constant => "q_value",
        LearningRule::Worth => "worth_q_value",
    }
}

/// The cached fold on a memory.
pub(crate) fn tally(row: &dyn Row) -> StoreResult<Tally> {
    let worth = Worth::cached(row.get("worth_sum")?, row.get("worth_runs")?, row.get("worth_day")?);
    let average = row.get("q_value")?;
    Ok(Tally::cached(average, row.get("uses")?, row.get("passes")?, row.get("fails")?).with_worth(worth))
}

/// The ledger of one memory.
struct Ledger<'a> {
    write: &'a dyn Transaction,
    project_id: &'a ProjectId,
    memory_id: MemoryId,
    constants: &'a WorthConstants,
}

impl Ledger<'_> {
    fn insert(&self, slot: &Slot, reward: Reward) -> StoreResult<()> {
        let circumstances = &slot.circumstances;
        self.write.submit(
            "INSERT INTO credits (project_id, memory_id, position, review_id, trace_id, memory_revision, result, alpha,
                                  created_at, retrieval_id, rank, similarity, probability, score, usual, others, unit,
                                  slate_probability, rule_version, day, reporter, weight)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21,
                     ?22)",
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
                circumstances.expected.map(|expected| expected.baseline),
                circumstances.expected.map(|expected| expected.others),
                circumstances.unit,
                circumstances.slate_probability,
                circumstances.rule_version,
                slot.day,
                slot.reporter,
                slot.weight,
            ],
        )
    }

    /// Takes the live credit of a review out of the count; answers its slot, if there was one.
    fn remove(&self, review_id: ReviewId, now: Timestamp) -> StoreResult<Option<Slot>> {
        self.write.query_opt(
            "UPDATE credits SET removed_at = ?4
             WHERE project_id = ?1 AND memory_id = ?2 AND review_id = ?3 AND removed_at IS NULL
             RETURNING position, memory_revision, alpha, retrieval_id, rank, similarity, probability, slate_probability, usual,
                       others, unit, rule_version, day, reporter, weight, created_at",
            params![self.project_id, self.memory_id, review_id, now],
            |row| {
                let (position, revision) = (row.get("position")?, row.get("memory_revision")?);
                let (reporter, weight) = (row.get("reporter")?, row.get("weight")?);
                let (alpha, circumstances) = (row.get("alpha")?, circumstances(row)?);
                Ok(Slot { position, revision, day: day(row)?, reporter, weight, alpha, circumstances })
            },
        )
    }

    /// Writes a tally onto the memory, as a change that indexes will see.
    fn set_tally(&self, tally: Tally, next_position: i64) -> StoreResult<()> {
        let (worth_sum, worth_runs, worth_day) = tally.learned().worth.parts();
        self.write.submit(
            "UPDATE memories SET q_value = ?3, uses = ?4, passes = ?5, fails = ?6, next_position = ?7, changed = ?8,
                                 worth_sum = ?9, worth_runs = ?10, worth_day = ?11, worth_q_value = ?12,
                                 retired_until = ?13
             WHERE project_id = ?1 AND memory_id = ?2",
            params![
                self.project_id,
                self.memory_id,
                tally.learned().average,
                tally.uses(),
                tally.passes(),
                tally.fails(),
                next_position,
                self.write.next_change(self.project_id)?,
                worth_sum,
                worth_runs,
                worth_day,
                tally.under(LearningRule::Worth).utility(),
                tally.retired_until(self.constants),
            ],
        )
    }

    fn refold(&self) -> StoreResult<()> {
        let tally = history(self.write, self.project_id, self.memory_id, i64::MAX)?.tally(self.constants);
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
    let Step { result, evidence } = step(row)?;
    Ok(Credit {
        position: row.get("position")?,
        memory_revision: row.get("memory_revision")?,
        trace_id: row.get("trace_id")?,
        review_id: row.get("review_id")?,
        result,
        reward: evidence.score,
        alpha: evidence.alpha,
        reporter: row.get("reporter")?,
        weight: evidence.weight,
        circumstances: circumstances(row)?,
        utility_after,
        created_at: row.get("created_at")?,
        removed_at: row.get("removed_at")?,
    })
}

fn step(row: &dyn Row) -> StoreResult<Step> {
    let step = Step::new(row.named("result")?, row.get("score")?, row.get("alpha")?);
    let weight: Option<f64> = row.get("weight")?;
    Ok(step.of_run(day(row)?, expected(row)?).weighing(weight.unwrap_or(1.0)))
}

fn circumstances(row: &dyn Row) -> StoreResult<Circumstances> {
    Ok(Circumstances {
        retrieval_id: row.get("retrieval_id")?,
        rank: row.get("rank")?,
        similarity: row.get("similarity")?,
        probability: row.get("probability")?,
        slate_probability: row.get("slate_probability")?,
        expected: expected(row)?,
        unit: row.get("unit")?,
        rule_version: row.get("rule_version")?,
    })
}

fn expected(row: &dyn Row) -> StoreResult<Option<Expectation>> {
    let known: Option<f64> = row.get("usual")?;
    let others: Option<f64> = row.get("others")?;
    Ok(known.map(|baseline| Expectation { baseline, others: others.unwrap_or_default() }))
}

/// The day of the run's first review. Credits of an older export have that of their own.
fn day(row: &dyn Row) -> StoreResult<i64> {
    let day: Option<i64> = row.get("day")?;
    let created_at: Timestamp = row.get("created_at")?;
    Ok(day.unwrap_or(created_at.day()))
}
