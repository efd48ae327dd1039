//! What an in-memory index reads: what changed since it last looked, and the words of the few that it found.

use std::path::Path;

use reflect_core::{EmbedderId, IndexEntry, IndexRow, Lesson, LessonWords, Memory, MemoryId, MemoryStatus, ProjectId};
use rusqlite::Row;

use crate::{
    Store, StoreError, StoreResult, credits,
    memories::{COLUMNS, memory},
    readers::Readers,
    rows, schema,
};

/// A memory with the change that it reflects, to be held against what an index knew.
#[derive(Debug, Clone, PartialEq)]
pub struct StampedMemory {
    /// The memory.
    pub memory: Memory,
    /// The newest change to it.
    pub changed: i64,
}

/// Reads what indexes are made of, also from a database that another process may have open.
#[derive(Clone)]
pub struct IndexReader {
    readers: Readers,
}

/// What makes an [`IndexRow`], with the vectors of the embedder `?2`.
const SELECT: &str = "SELECT m.memory_id, m.changed, m.deleted_at, m.status, m.q_value, m.uses, m.passes, m.fails, m.metadata, m.lesson, v.vector
                      FROM memories m
                      LEFT JOIN vectors v
                        ON v.project_id = m.project_id AND v.memory_id = m.memory_id AND v.embedder = ?2";

impl IndexReader {
    /// Opens a database that is there.
    pub async fn open(path: &Path) -> StoreResult<Self> {
        let readers = Readers::open(path)?;
        readers.read(schema::refuse_newer).await?;
        Ok(Self { readers })
    }

    /// All projects with the embedders whose vectors their queries compare, by name.
    pub async fn list_projects(&self) -> StoreResult<Vec<(ProjectId, EmbedderId)>> {
        self.readers
            .read(|read| {
                read.prepare_cached("SELECT project_id, embedder FROM projects ORDER BY project_id")?
                    .query_and_then([], project_and_embedder)?
                    .collect()
            })
            .await
    }

    /// See [`Store::list_changed_memories`].
    pub async fn list_changed(
        &self,
        project_id: ProjectId,
        embedder: String,
        since: i64,
        limit: usize,
    ) -> StoreResult<Vec<IndexRow>> {
        self.readers
            .read(move |read| {
                let sql = format!("{SELECT} WHERE m.project_id = ?1 AND m.changed > ?3 ORDER BY m.changed LIMIT ?4");
                read.prepare_cached(&sql)?
                    .query_and_then((project_id.as_str(), embedder, since, limit), index_row)?
                    .collect()
            })
            .await
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
                let sql =
                    format!("{SELECT} WHERE m.project_id = ?1 AND m.memory_id > ?3 ORDER BY m.memory_id LIMIT ?4");
                read.prepare_cached(&sql)?
                    .query_and_then((project_id.as_str(), embedder, after.as_uuid(), limit), index_row)?
                    .collect()
            })
            .await
    }
}

impl Store {
    /// Reads what indexes are made of.
    pub fn index_reader(&self) -> IndexReader {
        IndexReader { readers: self.readers.clone() }
    }

    /// The memories of a project that changed after `since`, in the order of their changes, at most `limit`, with their
    /// vectors by `embedder`. Nothing else is ever compared, so a memory without such a vector is no entry.
    pub async fn list_changed_memories(
        &self,
        project_id: ProjectId,
        embedder: String,
        since: i64,
        limit: usize,
    ) -> StoreResult<Vec<IndexRow>> {
        self.index_reader().list_changed(project_id, embedder, since, limit).await
    }

    /// The memories with these ids that queries may answer with, in the order of the ids; others are passed over.
    pub async fn get_stamped_memories(
        &self,
        project_id: ProjectId,
        memory_ids: Vec<MemoryId>,
    ) -> StoreResult<Vec<StampedMemory>> {
        self.readers
            .read(move |read| {
                let sql = format!(
                    "SELECT {COLUMNS}, changed FROM memories
                     WHERE project_id = ?1 AND memory_id = ?2 AND deleted_at IS NULL AND status = ?3"
                );
                let mut statement = read.prepare_cached(&sql)?;
                let mut found = Vec::with_capacity(memory_ids.len());
                for memory_id in memory_ids {
                    let key = (project_id.as_str(), memory_id.as_uuid(), MemoryStatus::Active.as_str());
                    found.extend(statement.query_and_then(key, stamped_memory)?.next().transpose()?);
                }
                Ok(found)
            })
            .await
    }
}

fn index_row(row: &Row<'_>) -> StoreResult<IndexRow> {
    let memory_id = MemoryId::from_uuid(row.get("memory_id")?);
    let changed = row.get("changed")?;
    let deleted = row.get::<_, Option<i64>>("deleted_at")?.is_some();
    let vector = row.get_ref("vector")?.as_blob_or_null().map_err(|error| StoreError::damaged("vector", error))?;
    let entry = match vector {
        Some(vector) if !deleted && rows::named::<MemoryStatus>(row, "status")? == MemoryStatus::Active => {
            Some(IndexEntry {
                utility: credits::tally(row)?.utility(),
                metadata: rows::raw_json(row, "metadata")?,
                // One that cannot be read is reported by whoever reads the memory itself.
                lesson: rows::json::<Lesson>(row, "lesson").map(|lesson| LessonWords::of(&lesson)).unwrap_or_default(),
                vector: rows::vector_from_blob(vector),
            })
        }
        _ => None,
    };
    Ok(IndexRow { memory_id, changed, entry })
}

fn stamped_memory(row: &Row<'_>) -> StoreResult<StampedMemory> {
    Ok(StampedMemory { memory: memory(row)?, changed: row.get("changed")? })
}

fn project_and_embedder(row: &Row<'_>) -> StoreResult<(ProjectId, EmbedderId)> {
    let project_id: String = row.get("project_id")?;
    let project_id = project_id.try_into().map_err(|error| StoreError::damaged("project_id", error))?;
    Ok((project_id, EmbedderId(row.get("embedder")?)))
}
