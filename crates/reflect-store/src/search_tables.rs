//! Searching a project in the database that does not fit in memory: in tables that have every memory's vectors in halves of floats, what filters
//! find it by, and its utilities. PostgreSQL can, where its extension `vector` is installed.
//!
//! The tables follow the others as an index in memory does, by change numbers, so that whoever writes a memory knows nothing of them. They hold
//! nothing of their own: no copy and no export has them, and they can be dropped at any time.

use reflect_core::{EmbedderId, IndexRow, ListWish, ListedRow, MemoryId, ProjectId, SearchLists};

use crate::{
    error::{StoreError, StoreResult},
    index_rows,
    postgres::search_sql,
    sql::{Lane, Query, Read, Transaction, params},
    store::Store,
    tables::search_tables::{self as tables, SearchTables},
};

/// The largest dimension that a graph has.
const LARGEST_DIMENSION: usize = 4_000;

impl Store {
    /// Makes empty tables for a project, unless there are some. Says whether there are now: the database may not have what it takes.
    pub async fn insert_search_tables(
        &self,
        project_id: ProjectId,
        embedder: EmbedderId,
        dimension: usize,
    ) -> StoreResult<bool> {
        if !self.is_shared() || dimension > LARGEST_DIMENSION {
            return Ok(false);
        }
        if self.readers.read(tables::find_extension).await?.is_none() {
            let install = |write: &dyn Transaction| write.execute(search_sql::INSTALL, params![]).map(|_| ());
            // Not everybody may, and not every server has it.
            if let Err(error) = self.writer.write(Lane::SearchTables, install).await {
                tracing::debug!(%error, "the extension `vector` could not be installed");
            }
        }
        let insert = move |write: &dyn Transaction| tables::insert(write, &project_id, &embedder, dimension);
        self.writer.write(Lane::SearchTables, insert).await
    }

    /// The search tables of all projects.
    pub async fn list_search_tables(&self) -> StoreResult<Vec<SearchTables>> {
        if self.is_shared() { self.readers.read(tables::list).await } else { Ok(Vec::new()) }
    }

    /// Brings changes in, the newest of which is `filled_to`. Says whether the tables were as far as was thought; otherwise nothing changes.
    pub async fn fill_search_tables(
        &self,
        tables: SearchTables,
        rows: Vec<ListedRow>,
        filled_to: i64,
    ) -> StoreResult<bool> {
        self.writer.write(Lane::SearchTables, move |write| tables::fill(write, &tables, &rows, filled_to)).await
    }

    /// Makes the graph, unless there is one, once there are more than so many memories. Says whether it made it.
    pub async fn make_search_graph(&self, tables: SearchTables, more_than: usize) -> StoreResult<bool> {
        self.writer.write(Lane::SearchTables, move |write| tables::make_graph(write, &tables, more_than)).await
    }

    /// Lets searches read tables that have everything. From then on indexes remember at least the newest so many changes.
    pub async fn finish_search_tables(&self, tables: SearchTables, remembered: usize) -> StoreResult<()> {
        self.writer.write(Lane::SearchTables, move |write| tables::finish(write, &tables, remembered)).await
    }

    /// Removes the tables.
    pub async fn delete_search_tables(&self, tables: SearchTables) -> StoreResult<()> {
        self.writer.write(Lane::SearchTables, move |write| tables::delete(write, &tables)).await
    }

    /// The beginnings of the lists that a search reads; `None` if the tables are gone.
    pub async fn read_search_lists(&self, tables: &SearchTables, wish: ListWish) -> StoreResult<Option<SearchLists>> {
        let asked = tables.clone();
        match self.readers.read(move |read| tables::read_lists(read, &asked, &wish)).await {
            Ok(lists) => Ok(Some(lists)),
            Err(error @ StoreError::Database(_)) => {
                let is_there = self.list_search_tables().await?.iter().any(|there| there.number == tables.number);
                if is_there { Err(error) } else { Ok(None) }
            }
            Err(error) => Err(error),
        }
    }

    /// The memories of these ids as they are now, in no order.
    pub async fn list_index_rows(
        &self,
        tables: &SearchTables,
        memory_ids: Vec<MemoryId>,
    ) -> StoreResult<Vec<IndexRow>> {
        let (project_id, embedder) = (tables.project_id.clone(), tables.embedder.clone());
        let read = move |read: &dyn Read| {
            let ids: Vec<u8> = memory_ids.iter().flat_map(|id| id.as_uuid().into_bytes()).collect();
            let select = index_rows::SELECT;
            let sql = format!("{select} WHERE m.project_id = ?1 AND m.memory_id = ANY(CAST(?3 AS uuid[]))");
            read.query_all(&sql, params![&project_id, &embedder, ids], index_rows::index_row)
        };
        self.readers.read(read).await
    }
}
