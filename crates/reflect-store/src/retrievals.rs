//! The retrieval log, and joining a run to what it was shown.

use std::collections::BTreeSet;

use reflect_core::{
    KeyId, MemoryId, ProjectId, RETRIEVAL_LOOK_BACK, Retrieval, RetrievalId, RetrievalLink, ShownClaim, ShownMemory,
    Timestamp,
};

use rusqlite::Connection;

use crate::{Store, StoreResult, TraceInsert, credits::Showing, rows, writer::Write};

impl Store {
    /// Logs an answered query. Nobody waits for it; later writes see it.
    pub async fn insert_retrieval(&self, project_id: ProjectId, retrieval: Retrieval) -> StoreResult<()> {
        self.writer
            .write_lazily(move |write| {
                write
                    .prepare_cached(
                        "INSERT INTO retrievals (project_id, key_id, retrieval_id, task, settings, shown, created_at)
                         SELECT project_id, ?2, ?3, ?4, ?5, ?6, ?7 FROM projects WHERE project_id = ?1",
                    )?
                    .execute((
                        project_id.as_str(),
                        retrieval.key_id.as_uuid(),
                        retrieval.id.as_uuid(),
                        &retrieval.task,
                        rows::to_json("settings", &retrieval.settings)?,
                        rows::to_json("shown", &retrieval.shown)?,
                        retrieval.created_at.as_micros(),
                    ))?;
                Ok(())
            })
            .await
    }

    /// One logged query of a project.
    pub async fn get_retrieval(&self, project_id: ProjectId, id: RetrievalId) -> StoreResult<Option<Retrieval>> {
        self.readers
            .read(move |read| {
                read.prepare_cached(
                    "SELECT key_id, task, settings, shown, created_at FROM retrievals
                     WHERE project_id = ?1 AND retrieval_id = ?2",
                )?
                .query_and_then((project_id.as_str(), id.as_uuid()), |row| {
                    Ok(Retrieval {
                        id,
                        key_id: KeyId::from_uuid(row.get("key_id")?),
                        task: row.get("task")?,
                        settings: rows::json(row, "settings")?,
                        shown: rows::json(row, "shown")?,
                        created_at: rows::time(row, "created_at")?,
                    })
                })?
                .next()
                .transpose()
            })
            .await
    }

    /// Forgets retrievals and idempotency keys from before these times. Answers how many of each.
    pub async fn prune(&self, retrievals_before: Timestamp, keys_before: Timestamp) -> StoreResult<(usize, usize)> {
        self.writer
            .write(move |write| {
                // Rows are in the order of their time, so the first one to be kept ends the search.
                let retrievals = write
                    .prepare_cached(
                        "DELETE FROM retrievals WHERE rowid < coalesce(
                             (SELECT rowid FROM retrievals WHERE created_at >= ?1 ORDER BY rowid LIMIT 1),
                             9223372036854775807)",
                    )?
                    .execute([retrievals_before.as_micros()])?;
                let keys = write
                    .prepare_cached("DELETE FROM idempotency WHERE created_at < ?1")?
                    .execute([keys_before.as_micros()])?;
                Ok((retrievals, keys))
            })
            .await
    }
}

/// What a trace was shown, and what looks wrong about it.
pub(crate) struct Shown {
    pub(crate) retrieval_id: Option<RetrievalId>,
    /// What that query answered, if it had to be read.
    pub(crate) answer: Option<Vec<ShownMemory>>,
    pub(crate) warnings: Vec<String>,
}

/// Finds the query behind a trace.
pub(crate) fn link(
    write: &Write,
    project_id: &ProjectId,
    insert: &TraceInsert,
    memory_ids: &BTreeSet<MemoryId>,
) -> StoreResult<Shown> {
    let known = known_among(write, project_id, memory_ids)?;
    let trace = &insert.trace;
    let claim = ShownClaim { retrieval_id: trace.retrieval_id, memory_ids: &trace.retrieved_memory_ids, known: &known };
    let forgotten = claim.says_nothing() && was_shown_something(write, project_id, insert)?;
    let (retrieval_id, answer) = match claim.link() {
        RetrievalLink::Named(named) => (Some(named), None),
        RetrievalLink::Newest => newest_that_fits(write, project_id, insert.key_id, &claim)?.unzip(),
        RetrievalLink::None => (None, None),
    };
    Ok(Shown { retrieval_id, answer, warnings: claim.warnings(forgotten) })
}

/// What a query answered; nothing if it is not known any more.
pub(crate) fn get_answer(
    read: &Connection,
    project_id: &ProjectId,
    retrieval_id: RetrievalId,
) -> StoreResult<Vec<ShownMemory>> {
    let mut statement =
        read.prepare_cached("SELECT shown FROM retrievals WHERE project_id = ?1 AND retrieval_id = ?2")?;
    let mut found = statement.query((project_id.as_str(), retrieval_id.as_uuid()))?;
    match found.next()? {
        Some(row) => rows::json(row, "shown"),
        None => Ok(Vec::new()),
    }
}

/// How a stored run was shown its memories.
pub(crate) fn showing(
    read: &Connection,
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

fn was_shown_something(write: &Write, project_id: &ProjectId, insert: &TraceInsert) -> StoreResult<bool> {
    Ok(write
        .prepare_cached(
            "SELECT 1 FROM (SELECT task, shown FROM retrievals WHERE project_id = ?1 AND key_id = ?2
                            ORDER BY retrieval_id DESC LIMIT 1)
             WHERE task = ?3 AND shown <> '[]'",
        )?
        .exists((project_id.as_str(), insert.key_id.as_uuid(), &insert.trace.task))?)
}

fn known_among(
    write: &Write,
    project_id: &ProjectId,
    memory_ids: &BTreeSet<MemoryId>,
) -> StoreResult<BTreeSet<MemoryId>> {
    let mut statement = write
        .prepare_cached("SELECT 1 FROM memories WHERE project_id = ?1 AND memory_id = ?2 AND deleted_at IS NULL")?;
    let mut known = BTreeSet::new();
    for &memory_id in memory_ids {
        if statement.exists((project_id.as_str(), memory_id.as_uuid()))? {
            known.insert(memory_id);
        }
    }
    Ok(known)
}

fn newest_that_fits(
    write: &Write,
    project_id: &ProjectId,
    key_id: KeyId,
    claim: &ShownClaim<'_>,
) -> StoreResult<Option<(RetrievalId, Vec<ShownMemory>)>> {
    let mut statement = write.prepare_cached(
        "SELECT retrieval_id, shown FROM retrievals WHERE project_id = ?1 AND key_id = ?2
         ORDER BY retrieval_id DESC LIMIT ?3",
    )?;
    let mut found = statement.query((project_id.as_str(), key_id.as_uuid(), RETRIEVAL_LOOK_BACK))?;
    while let Some(row) = found.next()? {
        let shown: Vec<ShownMemory> = rows::json(row, "shown")?;
        if claim.fits(&shown) {
            return Ok(Some((RetrievalId::from_uuid(row.get("retrieval_id")?), shown)));
        }
    }
    Ok(None)
}
