//! The retrieval log, and joining a run to what it was shown.

use std::collections::BTreeSet;

use reflect_core::{
    FORGOTTEN_LOOK_BACK, FORGOTTEN_MILLIS, KeyId, MemoryId, NewTrace, ProjectId, RETRIEVAL_LOOK_BACK, Retrieval,
    RetrievalId, RetrievalLink, ShownClaim, ShownMemory, Slate, Timestamp, logged_task,
};
use uuid::Uuid;

use super::{
    drawn_queries, projects,
    showing::{LoggedAnswer, Showing},
};
use crate::{
    error::{StoreError, StoreResult},
    sql::{Query, Read, Row, Transaction, Value, params, to_json},
};

/// What a trace was shown, and what looks wrong about it.
pub(crate) struct Link {
    pub(crate) retrieval_id: Option<RetrievalId>,
    /// The query that it follows. It may be known by the task alone, where the run names neither a query nor memories.
    pub(crate) follows: Option<RetrievalId>,
    /// What that query answered, if it had to be read.
    pub(crate) answer: Option<LoggedAnswer>,
    pub(crate) warnings: Vec<String>,
}

/// A run that was sent, and by whom.
pub(crate) struct SentTrace<'a> {
    pub(crate) key_id: KeyId,
    pub(crate) trace: &'a NewTrace,
    pub(crate) now: Timestamp,
}

/// An answered query on its way into the log.
pub(crate) struct LogRow {
    retrieval: Retrieval,
    settings: String,
    shown: Vec<u8>,
    worths: Option<Vec<u8>>,
    sat_out: Option<String>,
}

/// What a row takes beside its own bytes: ids, and their place in two indexes.
const ROW_OVERHEAD: usize = 150;

const INSERT: &str = "INSERT INTO retrievals (project_id, key_id, retrieval_id, task, settings, shown, created_at, bytes, worths, \
     usual, unit, probability, rule_version, sat_out) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)";

impl LogRow {
    pub(crate) fn of(retrieval: Retrieval) -> StoreResult<Self> {
        let (settings, shown) = (to_json("settings", &retrieval.settings)?, pack_shown(&retrieval.shown));
        let worths = retrieval.slate.map(|_| pack_worths(&retrieval.shown));
        let sat_out = (!retrieval.sat_out.is_empty()).then(|| to_json("sat_out", &retrieval.sat_out)).transpose()?;
        Ok(Self { retrieval, settings, shown, worths, sat_out })
    }

    /// How much it takes.
    pub(crate) fn bytes(&self) -> usize {
        let worths = self.worths.as_ref().map_or(0, Vec::len);
        let sat_out = self.sat_out.as_ref().map_or(0, String::len);
        ROW_OVERHEAD + self.retrieval.task.len() + self.settings.len() + self.shown.len() + worths + sat_out
    }

    fn params<'a>(&'a self, project_id: &'a ProjectId) -> Vec<Value<'a>> {
        let Retrieval { id, key_id, task, created_at, slate, .. } = &self.retrieval;
        vec![
            Value::from(project_id),
            Value::from(*key_id),
            Value::from(*id),
            Value::from(task),
            Value::from(&self.settings),
            Value::from(self.shown.as_slice()),
            Value::from(*created_at),
            Value::from(self.bytes()),
            Value::from(self.worths.as_deref()),
            Value::from(slate.map(|slate| slate.usual)),
            Value::from(slate.map(|slate| slate.unit)),
            Value::from(slate.map(|slate| slate.probability)),
            Value::from(slate.map(|slate| slate.rule_version)),
            Value::from(self.sat_out.as_deref()),
        ]
    }
}

/// Logs answered queries of a project, unless it is gone.
pub(crate) fn insert(write: &dyn Transaction, project_id: &ProjectId, rows: &[LogRow]) -> StoreResult<()> {
    if rows.is_empty() || !projects::exists(write, project_id)? {
        return Ok(());
    }
    let params: Vec<_> = rows.iter().map(|row| row.params(project_id)).collect();
    write.insert_all(INSERT, &params)?;
    rows.iter().try_for_each(|row| drawn_queries::insert(write, project_id, &row.retrieval))
}

const ANSWER: &str = "SELECT shown, worths, usual, unit, probability, rule_version FROM retrievals
     WHERE project_id = ?1 AND retrieval_id = ?2";

const LATELY: &str = "SELECT retrieval_id, shown, worths, usual, unit, probability, rule_version FROM retrievals
     WHERE project_id = ?1 AND key_id = ?2 ORDER BY retrieval_id DESC LIMIT ?3";

const NEWEST: &str = "SELECT retrieval_id, shown FROM (
         SELECT retrieval_id, task, shown, created_at FROM retrievals
         WHERE project_id = ?1 AND key_id = ?2 ORDER BY retrieval_id DESC LIMIT ?3) AS newest
     WHERE task = ?4 AND created_at > ?5 ORDER BY retrieval_id DESC LIMIT 1";

const KNOWN: &str = "SELECT memory_id FROM memories WHERE project_id = ?1 AND memory_id = ?2 AND deleted_at IS NULL";

impl SentTrace<'_> {
    fn looked_back_to(&self) -> Timestamp {
        self.now.plus_millis(-FORGOTTEN_MILLIS)
    }
}

/// Says what finding the query behind a trace will ask.
pub(crate) fn prefetch_link(
    read: &dyn Read,
    project_id: &ProjectId,
    sent: &SentTrace<'_>,
    memory_ids: &BTreeSet<MemoryId>,
) -> StoreResult<()> {
    for memory_id in memory_ids {
        read.prefetch(KNOWN, params![project_id, *memory_id])?;
    }
    match sent.trace.retrieval_id {
        Some(retrieval_id) => read.prefetch(ANSWER, params![project_id, retrieval_id]),
        None if memory_ids.is_empty() => {
            let task = logged_task(&sent.trace.task);
            let newest = params![project_id, sent.key_id, FORGOTTEN_LOOK_BACK, &*task, sent.looked_back_to()];
            read.prefetch(NEWEST, newest)
        }
        None => read.prefetch(LATELY, params![project_id, sent.key_id, RETRIEVAL_LOOK_BACK]),
    }
}

/// Finds the query behind a trace.
pub(crate) fn link(
    read: &dyn Read,
    project_id: &ProjectId,
    sent: SentTrace<'_>,
    memory_ids: &BTreeSet<MemoryId>,
) -> StoreResult<Link> {
    let SentTrace { key_id, trace, .. } = sent;
    let known = known_among(read, project_id, memory_ids)?;
    let claim = ShownClaim { retrieval_id: trace.retrieval_id, memory_ids: &trace.retrieved_memory_ids, known: &known };
    let newest = if claim.is_empty() { newest_answer(read, project_id, &sent)? } else { None };
    let (by_task, newest) = newest.unzip();
    let (retrieval_id, answer) = match claim.link() {
        RetrievalLink::Named(named) => (Some(named), None),
        RetrievalLink::Newest => newest_that_fits(read, project_id, key_id, &claim)?.unzip(),
        RetrievalLink::None => (None, None),
    };
    let warnings = claim.warnings(&newest.unwrap_or_default());
    Ok(Link { retrieval_id, follows: retrieval_id.or(by_task), answer, warnings })
}

/// How a run was shown its memories.
pub(crate) fn showing(
    read: &dyn Read,
    project_id: &ProjectId,
    retrieval_id: Option<RetrievalId>,
    memory_ids: BTreeSet<MemoryId>,
) -> StoreResult<Showing> {
    let answer = match retrieval_id {
        Some(retrieval_id) if !memory_ids.is_empty() => get_answer(read, project_id, retrieval_id)?,
        _ => LoggedAnswer::default(),
    };
    Ok(Showing { memory_ids, retrieval_id, answer })
}

/// What a query answered; nothing if it is not known any more.
pub(crate) fn get_answer(
    read: &dyn Read,
    project_id: &ProjectId,
    retrieval_id: RetrievalId,
) -> StoreResult<LoggedAnswer> {
    Ok(read.query_opt(ANSWER, params![project_id, retrieval_id], answer)?.unwrap_or_default())
}

/// The newest query of the sender about the same task, lately, and what it answered. A few rows of the primary key are read at most, and
/// only for runs that name no memories.
fn newest_answer(
    read: &dyn Read,
    project_id: &ProjectId,
    sent: &SentTrace<'_>,
) -> StoreResult<Option<(RetrievalId, Vec<ShownMemory>)>> {
    let task = logged_task(&sent.trace.task);
    read.query_opt(
        NEWEST,
        params![project_id, sent.key_id, FORGOTTEN_LOOK_BACK, &*task, sent.looked_back_to()],
        |row| Ok((row.get("retrieval_id")?, shown(row)?)),
    )
}

fn known_among(
    read: &dyn Read,
    project_id: &ProjectId,
    memory_ids: &BTreeSet<MemoryId>,
) -> StoreResult<BTreeSet<MemoryId>> {
    let keys: Vec<Vec<Value<'_>>> = memory_ids.iter().map(|id| params![project_id, *id].to_vec()).collect();
    Ok(read.query_all_of(KNOWN, &keys, |row| row.get("memory_id"))?.into_iter().collect())
}

fn newest_that_fits(
    read: &dyn Read,
    project_id: &ProjectId,
    key_id: KeyId,
    claim: &ShownClaim<'_>,
) -> StoreResult<Option<(RetrievalId, LoggedAnswer)>> {
    read.find_row(LATELY, params![project_id, key_id, RETRIEVAL_LOOK_BACK], |row| {
        let fits = claim.fits(&shown(row)?);
        Ok(if fits { Some((row.get("retrieval_id")?, answer(row)?)) } else { None })
    })
}

/// Bytes of a memory that was shown: its id, its revision, its similarity, its utility to seven digits. Its rank is where it stands.
const SHOWN_BYTES: usize = 32;

/// What was shown, as it is kept.
pub(crate) fn pack_shown(shown: &[ShownMemory]) -> Vec<u8> {
    let mut packed = Vec::with_capacity(shown.len() * SHOWN_BYTES);
    for memory in shown {
        packed.extend_from_slice(memory.memory_id.as_uuid().as_bytes());
        packed.extend_from_slice(&memory.revision.to_le_bytes());
        packed.extend_from_slice(&memory.similarity.to_le_bytes());
        #[expect(clippy::cast_possible_truncation, reason = "seven digits say enough")]
        packed.extend_from_slice(&(memory.q_value as f32).to_le_bytes());
    }
    packed
}

/// What was expected of each memory that was shown, as it is kept: its worth and its probability, to seven digits each.
pub(crate) fn pack_worths(shown: &[ShownMemory]) -> Vec<u8> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "seven digits say enough, and all that follows starts from them"
    )]
    let packed = |figure: Option<f64>| (figure.unwrap_or_default() as f32).to_le_bytes();
    shown.iter().flat_map(|memory| [packed(memory.worth), packed(memory.probability)]).flatten().collect()
}

/// What was shown with what was expected of it, from a row of the log.
pub(crate) fn answer(row: &dyn Row) -> StoreResult<LoggedAnswer> {
    let mut shown = shown(row)?;
    let Some(usual) = row.get::<Option<f64>>("usual")? else {
        return Ok(LoggedAnswer { shown, slate: None });
    };
    let worths: Vec<u8> = row.get("worths")?;
    let (figures, _) = worths.as_chunks::<4>();
    let mut figures = figures.iter().map(|bytes| f64::from(f32::from_le_bytes(*bytes)));
    for memory in &mut shown {
        (memory.worth, memory.probability) = (figures.next(), figures.next());
    }
    let (unit, probability) = (row.get("unit")?, row.get("probability")?);
    let slate = Some(Slate { usual, unit, probability, rule_version: row.get("rule_version")? });
    Ok(LoggedAnswer { shown, slate })
}

/// What was shown, from a row of the log.
pub(crate) fn shown(row: &dyn Row) -> StoreResult<Vec<ShownMemory>> {
    let packed: Vec<u8> = row.get("shown")?;
    let (memories, rest) = packed.as_chunks::<SHOWN_BYTES>();
    if !rest.is_empty() {
        return Err(StoreError::damaged("shown", "it ends in the middle of a memory"));
    }
    Ok((1..).zip(memories).map(|(rank, packed)| unpack(rank, packed)).collect())
}

fn unpack(rank: u32, packed: &[u8; SHOWN_BYTES]) -> ShownMemory {
    let [memory_id @ .., _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _] = *packed;
    let [.., r0, r1, r2, r3, s0, s1, s2, s3, s4, s5, s6, s7, q0, q1, q2, q3] = *packed;
    ShownMemory {
        memory_id: MemoryId::from_uuid(Uuid::from_bytes(memory_id)),
        revision: u32::from_le_bytes([r0, r1, r2, r3]),
        rank,
        similarity: f64::from_le_bytes([s0, s1, s2, s3, s4, s5, s6, s7]),
        q_value: f32::from_le_bytes([q0, q1, q2, q3]).into(),
        worth: None,
        probability: None,
    }
}
