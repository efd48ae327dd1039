//! The retrieval log, and joining a run to what it was shown.

use std::collections::BTreeSet;

use reflect_core::{
    KeyId, MemoryId, NewTrace, ProjectId, RETRIEVAL_LOOK_BACK, RetrievalId, RetrievalLink, ShownClaim, ShownMemory,
};

use super::credits::Showing;
use crate::{
    error::StoreResult,
    sql::{Query, Read, params},
};

/// What a trace was shown, and what looks wrong about it.
pub(crate) struct Link {
    pub(crate) retrieval_id: Option<RetrievalId>,
    /// What that query answered, if it had to be read.
    pub(crate) answer: Option<Vec<ShownMemory>>,
    pub(crate) warnings: Vec<String>,
}

/// A run that was sent, and by whom.
pub(crate) struct SentTrace<'a> {
    pub(crate) key_id: KeyId,
    pub(crate) trace: &'a NewTrace,
}

/// Finds the query behind a trace.
pub(crate) fn link(
    read: &dyn Read,
    project_id: &ProjectId,
    SentTrace { key_id, trace }: SentTrace<'_>,
    memory_ids: &BTreeSet<MemoryId>,
) -> StoreResult<Link> {
    let known = known_among(read, project_id, memory_ids)?;
    let claim = ShownClaim { retrieval_id: trace.retrieval_id, memory_ids: &trace.retrieved_memory_ids, known: &known };
    let newest = if claim.is_empty() { newest_answer(read, project_id, key_id, &trace.task)? } else { Vec::new() };
    let (retrieval_id, answer) = match claim.link() {
        RetrievalLink::Named(named) => (Some(named), None),
        RetrievalLink::Newest => newest_that_fits(read, project_id, key_id, &claim)?.unzip(),
        RetrievalLink::None => (None, None),
    };
    Ok(Link { retrieval_id, answer, warnings: claim.warnings(&newest) })
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
        _ => Vec::new(),
    };
    Ok(Showing { memory_ids, retrieval_id, answer })
}

/// What a query answered; nothing if it is not known any more.
pub(crate) fn get_answer(
    read: &dyn Read,
    project_id: &ProjectId,
    retrieval_id: RetrievalId,
) -> StoreResult<Vec<ShownMemory>> {
    let sql = "SELECT shown FROM retrievals WHERE project_id = ?1 AND retrieval_id = ?2";
    Ok(read.query_opt(sql, params![project_id, retrieval_id], |row| row.json("shown"))?.unwrap_or_default())
}

/// What the newest query of a key answered; nothing if that was about another task.
fn newest_answer(read: &dyn Read, project_id: &ProjectId, key_id: KeyId, task: &str) -> StoreResult<Vec<ShownMemory>> {
    let shown = read.query_opt(
        "SELECT shown FROM (SELECT task, shown FROM retrievals WHERE project_id = ?1 AND key_id = ?2
                            ORDER BY retrieval_id DESC LIMIT 1) AS newest
         WHERE task = ?3",
        params![project_id, key_id, task],
        |row| row.json("shown"),
    )?;
    Ok(shown.unwrap_or_default())
}

fn known_among(
    read: &dyn Read,
    project_id: &ProjectId,
    memory_ids: &BTreeSet<MemoryId>,
) -> StoreResult<BTreeSet<MemoryId>> {
    let sql = "SELECT 1 FROM memories WHERE project_id = ?1 AND memory_id = ?2 AND deleted_at IS NULL";
    let mut known = BTreeSet::new();
    for &memory_id in memory_ids {
        if read.exists(sql, params![project_id, memory_id])? {
            known.insert(memory_id);
        }
    }
    Ok(known)
}

fn newest_that_fits(
    read: &dyn Read,
    project_id: &ProjectId,
    key_id: KeyId,
    claim: &ShownClaim<'_>,
) -> StoreResult<Option<(RetrievalId, Vec<ShownMemory>)>> {
    read.find_row(
        "SELECT retrieval_id, shown FROM retrievals WHERE project_id = ?1 AND key_id = ?2
         ORDER BY retrieval_id DESC LIMIT ?3",
        params![project_id, key_id, RETRIEVAL_LOOK_BACK],
        |row| {
            let shown: Vec<ShownMemory> = row.json("shown")?;
            Ok(if claim.fits(&shown) { Some((row.get("retrieval_id")?, shown)) } else { None })
        },
    )
}
