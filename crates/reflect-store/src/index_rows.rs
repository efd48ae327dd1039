//! What an in-memory index reads: what changed since it last looked, and the words of the few that it found.

use std::{collections::HashMap, path::Path};

use reflect_core::{
    EmbedderId, IndexEntry, IndexRow, Lesson, Memory, MemoryId, MemoryStatus, Outcome, ProjectId, RunScore, SameWords,
    Timestamp,
};

use crate::{
    backend::Readers,
    error::StoreResult,
    sql::{Dialect, Query, Read, Row, Value, params},
    sqlite,
    store::Store,
    tables::{
        credits,
        memories::{BYTES, COLUMNS, memory},
    },
};

/// A memory with the change that it reflects, to be held against what an index knew.
#[derive(Debug, Clone, PartialEq)]
pub struct StampedMemory {
    /// The memory.
    pub memory: Memory,
    /// The newest change to it.
    pub changed: i64,
    /// How many bytes it has.
    pub bytes: usize,
}

/// How many memories PostgreSQL is asked for at once.
const AT_ONCE: usize = 32;

/// Reads what indexes are made of, also from a database that another process may have open.
#[derive(Clone)]
pub struct IndexReader {
    readers: Readers,
}

/// What makes an [`IndexRow`], with the vectors of the embedder `?2`.
pub(crate) const SELECT: &str =
    "SELECT m.memory_id, m.changed, m.deleted_at, m.status, m.pinned, m.q_value, m.uses, m.passes, m.fails, m.worth_sum,
                             m.worth_runs, m.worth_day, m.tells, m.task, m.lesson, m.has_run, m.run_score, m.run_added, m.metadata,
                             r.result, r.score, r.added,
                             v.vector, CASE WHEN v.lesson_revision = m.revision THEN v.lesson_vector END AS lesson_vector
                      FROM memories m
                      LEFT JOIN vectors v
                        ON v.project_id = m.project_id AND v.memory_id = m.memory_id AND v.embedder = ?2
                      LEFT JOIN reviews r
                        ON r.project_id = m.project_id AND r.trace_id = m.trace_id AND r.removed_at IS NULL";

/// At most `?4` rows, which PostgreSQL's planner is not to know. It thinks a project tiny that has just been filled; with a limit beyond that it would
/// join and sort all of the project for every page. Of an unknown limit it expects a tenth of the rows, and goes by the index.
const LIMIT: &str = "LIMIT (SELECT CAST(?4 AS BIGINT))";

impl IndexReader {
    /// Opens a SQLite database that is there.
    pub async fn open(path: &Path) -> StoreResult<Self> {
        Ok(Self { readers: Readers::Sqlite(sqlite::Readers::open_foreign(path)?) })
    }

    /// All projects with the embedders whose vectors their queries compare, by name.
    pub async fn list_projects(&self) -> StoreResult<Vec<(ProjectId, EmbedderId)>> {
        let sql = "SELECT project_id, embedder FROM projects ORDER BY project_id";
        self.readers
            .read(|read| read.query_all(sql, params![], |row| Ok((row.get("project_id")?, row.get("embedder")?))))
            .await
    }

    /// The memories of a project that changed after `since`, in the order of their changes, at most `limit`, with their
    /// vectors by `embedder`. Nothing else is ever compared, so a memory without such a vector is no entry.
    pub async fn list_changed(
        &self,
        project_id: ProjectId,
        embedder: String,
        since: i64,
        limit: usize,
    ) -> StoreResult<Vec<IndexRow>> {
        if self.newest_change(project_id.clone()).await?.is_none_or(|newest| newest <= since) {
            return Ok(Vec::new());
        }
        self.readers
            .read(move |read| {
                let sql = format!("{SELECT} WHERE m.project_id = ?1 AND m.changed > ?3 ORDER BY m.changed {LIMIT}");
                read.query_all(&sql, params![&project_id, &embedder, since, limit], index_row)
            })
            .await
    }

    /// Most look for changes in vain, and joins take PostgreSQL a millisecond to plan and to begin. Asked for the last one it goes by the index;
    /// asked for any after another it would expect a third of all and read until it finds one.
    async fn newest_change(&self, project_id: ProjectId) -> StoreResult<Option<i64>> {
        let sql = "SELECT changed FROM memories WHERE project_id = ?1 ORDER BY changed DESC LIMIT 1";
        self.readers.ask(move |read| read.query_opt(sql, params![&project_id], |row| row.get("changed"))).await
    }

    /// The same rows by id rather than by change, from after `after` on: what an index is checked against.
    pub async fn list_by_id(
        &self,
        project_id: ProjectId,
        embedder: String,
        after: MemoryId,
        limit: usize,
    ) -> StoreResult<Vec<IndexRow>> {
        self.readers
            .read(move |read| {
                let sql = format!("{SELECT} WHERE m.project_id = ?1 AND m.memory_id > ?3 ORDER BY m.memory_id {LIMIT}");
                read.query_all(&sql, params![&project_id, &embedder, after, limit], index_row)
            })
            .await
    }
}

impl Store {
    /// Reads what indexes are made of.
    pub fn index_reader(&self) -> IndexReader {
        IndexReader { readers: self.readers.clone() }
    }

    /// The memories with these ids that queries may answer with, in the order of the ids; others are passed over. No further id is
    /// looked at once they have `enough_bytes`.
    pub async fn get_stamped_memories(
        &self,
        project_id: ProjectId,
        memory_ids: Vec<MemoryId>,
        enough_bytes: usize,
    ) -> StoreResult<Vec<StampedMemory>> {
        let is_one_question = memory_ids.len() <= AT_ONCE;
        let read = move |read: &dyn Read| in_order(read, &project_id, &memory_ids, enough_bytes);
        if is_one_question { self.readers.ask(read).await } else { self.readers.read(read).await }
    }
}

/// The memories with these ids that queries may answer with, in the order of the ids. No further id is looked at once they have `enough_bytes`.
pub(crate) fn in_order(
    read: &dyn Read,
    project_id: &ProjectId,
    memory_ids: &[MemoryId],
    enough_bytes: usize,
) -> StoreResult<Vec<StampedMemory>> {
    let (mut found, mut bytes) = (Vec::with_capacity(memory_ids.len()), 0);
    for ids in memory_ids.chunks(if read.dialect() == Dialect::Sqlite { 1 } else { AT_ONCE }) {
        let mut stamped = stamped_memories(read, project_id, ids)?;
        for stamped in ids.iter().filter_map(|id| stamped.remove(id)) {
            bytes += stamped.bytes;
            found.push(stamped);
            if bytes >= enough_bytes {
                return Ok(found);
            }
        }
    }
    Ok(found)
}

/// In SQLite a statement costs next to nothing, and one memory at a time is held. PostgreSQL takes several times as long for a statement as for a row.
fn stamped_memories(
    read: &dyn Read,
    project_id: &ProjectId,
    ids: &[MemoryId],
) -> StoreResult<HashMap<MemoryId, StampedMemory>> {
    let (wanted, ids) = match (read.dialect(), ids) {
        (Dialect::Sqlite, [id]) => ("?2", Value::from(*id)),
        _ => {
            let ids: Vec<u8> = ids.iter().flat_map(|id| id.as_uuid().into_bytes()).collect();
            ("ANY(CAST(?2 AS uuid[]))", Value::from(ids))
        }
    };
    let sql = format!(
        "SELECT {COLUMNS}, changed, {BYTES} AS bytes FROM memories
         WHERE project_id = ?1 AND memory_id = {wanted} AND deleted_at IS NULL AND status = ?3"
    );
    let params = [Value::from(project_id), ids, Value::from(MemoryStatus::Active.as_str())];
    let stamped = read.query_all(&sql, &params, stamped_memory)?;
    Ok(stamped.into_iter().map(|stamped| (stamped.memory.id, stamped)).collect())
}

pub(crate) fn index_row(row: &dyn Row) -> StoreResult<IndexRow> {
    let (memory_id, changed) = (row.get("memory_id")?, row.get("changed")?);
    let is_deleted = row.get::<Option<Timestamp>>("deleted_at")?.is_some();
    let is_hidden = is_deleted || row.named::<MemoryStatus>("status")? != MemoryStatus::Active;
    let run = run_score(row)?;
    let vector = row.maybe_vector("vector")?.filter(|_| !is_hidden || run.is_some());
    let Some(vector) = vector else {
        return Ok(IndexRow { memory_id, changed, entry: None });
    };
    if is_hidden {
        let entry = IndexEntry { run, is_hidden, ..IndexEntry::new(vector) };
        return Ok(IndexRow { memory_id, changed, entry: Some(entry) });
    }
    let lesson = Lesson { tells: row.maybe_named("tells")?, ..row.json("lesson")? };
    let entry = IndexEntry {
        learned: *credits::tally(row)?.learned(),
        run,
        is_hidden,
        is_pinned: row.get("pinned")?,
        tells: lesson.tells,
        same: SameWords::of_lesson(&lesson, &row.get::<String>("task")?),
        metadata: row.raw_json("metadata")?,
        vector,
        lesson_vector: row.maybe_vector("lesson_vector")?,
    };
    Ok(IndexRow { memory_id, changed, entry: Some(entry) })
}

/// By the run's review, or by what is left of it once the trace is gone.
fn run_score(row: &dyn Row) -> StoreResult<Option<RunScore>> {
    if !row.get::<bool>("has_run")? {
        return Ok(None);
    }
    let (score, added): (Option<f64>, Option<f64>) = match row.maybe_named::<Outcome>("result")? {
        Some(result) => (row.get::<Option<f64>>("score")?.or(Some(result.reward())), row.get("added")?),
        None => (row.get("run_score")?, row.get("run_added")?),
    };
    Ok(score.map(|score| RunScore { score, added: added.unwrap_or_default() }))
}

fn stamped_memory(row: &dyn Row) -> StoreResult<StampedMemory> {
    Ok(StampedMemory { memory: memory(row)?, changed: row.get("changed")?, bytes: row.get("bytes")? })
}
