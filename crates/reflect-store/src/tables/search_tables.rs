//! Tables in which a project is searched that does not fit in memory, and the list of them.
//!
//! Whoever changes any of them writes to the list first, so that no two can wait for each other.

use std::ops::ControlFlow;

use reflect_core::{EmbedderId, ListWish, ListedEntry, ListedRow, ProjectId, SearchList, SearchLists};

use crate::{
    error::StoreResult,
    postgres::{
        dialect::HAS_TABLE,
        search_sql::{self, SearchSql, Wanted},
    },
    sql::{Dialect, Query, Read, Row, Transaction, Value, params, vector_to_blob},
};

/// How many times as many changes as are to be remembered indexes remember before they begin anew.
const REMEMBERED_TIMES: usize = 3;

/// How far the tables of a project are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchState {
    /// Memories are missing.
    Filling,
    /// All memories are there, but for changes that indexes remember.
    Ready,
    /// The tables are not as they were made, and of no use.
    Broken,
}

/// The tables of one project, by the vectors of one embedder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchTables {
    /// Whose memories they have.
    pub project_id: ProjectId,
    /// By which vectors.
    pub embedder: EmbedderId,
    /// How many coordinates those have.
    pub dimension: usize,
    /// How far they are.
    pub state: SearchState,
    /// Whether similarities are looked up in a graph, which may pass memories over. Otherwise all vectors are looked at.
    pub has_graph: bool,
    /// The newest change that they have.
    pub filled_to: i64,
    /// Changes after this one are remembered by indexes. They have all up to it.
    pub remembered_from: i64,
    /// About how many memories they have.
    pub memories: usize,
    pub(crate) number: i64,
    extension: String,
}

impl SearchTables {
    pub(crate) fn sql(&self) -> SearchSql {
        SearchSql { number: self.number, extension: self.extension.clone() }
    }
}

pub(crate) fn find_extension(read: &dyn Read) -> StoreResult<Option<String>> {
    read.query_opt(search_sql::EXTENSION, params![], |row| row.get("schema"))
}

/// Makes empty tables, unless there are some. Says whether there are now.
pub(crate) fn insert(
    write: &dyn Transaction,
    project_id: &ProjectId,
    embedder: &EmbedderId,
    dimension: usize,
) -> StoreResult<bool> {
    let Some(extension) = find_extension(write)? else { return Ok(false) };
    write.execute(search_sql::MAKE_LIST, params![])?;
    let sql = "INSERT INTO search_tables (project_id, embedder, dimension) VALUES (?1, ?2, ?3)
               ON CONFLICT DO NOTHING RETURNING number";
    let made = write.query_opt(sql, params![project_id, embedder, dimension], |row| row.get("number"))?;
    for sql in made.map(|number| SearchSql { number, extension }.create(dimension)).unwrap_or_default() {
        write.execute(&sql, params![])?;
    }
    Ok(true)
}

pub(crate) fn list(read: &dyn Read) -> StoreResult<Vec<SearchTables>> {
    let Some(extension) = find_extension(read)? else { return Ok(Vec::new()) };
    if !read.exists(HAS_TABLE, params!["search_tables"])? {
        return Ok(Vec::new());
    }
    read.query_all(search_sql::SELECT, params![], |row| tables(row, &extension))
}

fn tables(row: &dyn Row, extension: &str) -> StoreResult<SearchTables> {
    let state = match (row.get("is_sound")?, row.get("is_filled")?) {
        (false, _) => SearchState::Broken,
        (true, false) => SearchState::Filling,
        (true, true) => SearchState::Ready,
    };
    Ok(SearchTables {
        project_id: row.get("project_id")?,
        embedder: row.get("embedder")?,
        dimension: row.get("dimension")?,
        state,
        has_graph: row.get("has_graph")?,
        filled_to: row.get("filled_to")?,
        remembered_from: row.get("remembered_from")?,
        memories: row.get("memories")?,
        number: row.get("number")?,
        extension: extension.to_owned(),
    })
}

/// Brings changes in. Says whether the tables were as far as was thought; otherwise nothing changes.
pub(crate) fn fill(
    write: &dyn Transaction,
    tables: &SearchTables,
    rows: &[ListedRow],
    filled_to: i64,
) -> StoreResult<bool> {
    let moved = write.execute(
        "UPDATE search_tables SET filled_to = ?3 WHERE number = ?1 AND filled_to = ?2",
        params![tables.number, tables.filled_to, filled_to],
    )?;
    if moved == 0 {
        return Ok(false);
    }
    let sql = tables.sql();
    let (delete, put_vectors, put_utilities) = (sql.delete(), sql.put_vectors(), sql.put_utilities());
    for ListedRow { memory_id, entry } in rows {
        let Some(ListedEntry { task, lesson, terms, average, worth }) = entry else {
            for delete in &delete {
                write.submit(delete, params![*memory_id])?;
            }
            continue;
        };
        let (task, lesson, terms) = (vector_to_blob(task), vector_to_blob(lesson), terms_to_blob(terms));
        write.submit(&put_vectors, params![*memory_id, task, lesson, terms])?;
        write.submit(&put_utilities, params![*memory_id, *average, *worth])?;
    }
    Ok(true)
}

/// Makes the graph, unless there is one, once there are more than so many memories. Says whether it made it.
pub(crate) fn make_graph(write: &dyn Transaction, tables: &SearchTables, more_than: usize) -> StoreResult<bool> {
    let sql = tables.sql();
    if tables.has_graph || !write.exists(&sql.has_more_than(more_than), params![])? {
        return Ok(false);
    }
    for column in search_sql::VECTORS {
        write.execute(&sql.make_graph(column), params![])?;
    }
    Ok(true)
}

/// Lets searches read tables that have everything. From then on indexes remember at least the newest so many changes.
pub(crate) fn finish(write: &dyn Transaction, tables: &SearchTables, remembered: usize) -> StoreResult<()> {
    let (project_id, from) = (&tables.project_id, tables.remembered_from);
    let sql = search_sql::HAS_MORE_CHANGES;
    let is_enough = write.exists(sql, params![project_id, from, remembered * REMEMBERED_TIMES])?;
    if tables.state == SearchState::Ready && !is_enough {
        return Ok(());
    }
    let sql = search_sql::CHANGE_BEFORE_NEWEST;
    let before = write.query_opt(sql, params![project_id, tables.filled_to, remembered], |row| row.get("changed"))?;
    write.execute(
        "UPDATE search_tables SET is_filled = true, remembered_from = ?2 WHERE number = ?1 AND filled_to >= ?2",
        params![tables.number, before.unwrap_or(0_i64)],
    )?;
    write.execute(&tables.sql().analyze(), params![]).map(|_| ())
}

pub(crate) fn delete(write: &dyn Transaction, tables: &SearchTables) -> StoreResult<()> {
    write.execute("DELETE FROM search_tables WHERE number = ?1", params![tables.number])?;
    write.execute(&tables.sql().drop(), params![]).map(|_| ())
}

/// Removes the tables of a project that is gone.
pub(crate) fn erase(write: &dyn Transaction, project_id: &ProjectId) -> StoreResult<()> {
    if write.dialect() == Dialect::Sqlite || !write.exists(HAS_TABLE, params!["search_tables"])? {
        return Ok(());
    }
    let sql = "DELETE FROM search_tables WHERE project_id = ?1 RETURNING number";
    for number in write.query_all(sql, params![project_id], |row| row.get("number"))? {
        write.execute(&SearchSql { number, extension: String::new() }.drop(), params![])?;
    }
    Ok(())
}

/// The beginnings of the lists that a search reads.
pub(crate) fn read_lists(read: &dyn Read, tables: &SearchTables, wish: &ListWish) -> StoreResult<SearchLists> {
    let (sql, depth, has_terms) = (tables.sql(), wish.depth, !wish.terms.is_empty());
    let terms = has_terms.then(|| Value::from(terms_to_blob(&wish.terms)));
    let list = |sql: &str, vector: Option<Value<'static>>| -> StoreResult<Vec<_>> {
        let params: Vec<Value<'_>> = vector.into_iter().chain(terms.clone()).collect();
        read.query_all(sql, &params, |row| Ok((row.get("memory_id")?, row.get("figure")?)))
    };
    let nearest = |column: &str, is_compared: bool| -> StoreResult<Option<SearchList>> {
        if !is_compared {
            return Ok(None);
        }
        let sql = sql.nearest(column, Wanted { depth, has_terms });
        let entries = list(&sql, Some(vector_to_blob(&wish.vector).into()))?;
        Ok(Some(SearchList { is_whole: !tables.has_graph && entries.len() < depth, entries }))
    };
    if tables.has_graph {
        read.each_row(&SearchSql::read_graph(depth), params![], &mut |_| Ok(ControlFlow::Break(())))?;
    }
    let by_utility = list(&sql.most_useful(wish.rule, Wanted { depth, has_terms }), None)?;
    let [task, lesson] = search_sql::VECTORS;
    Ok(SearchLists {
        by_task: nearest(task, wish.matching.task_handicap().is_some())?,
        by_lesson: nearest(lesson, wish.matching.lesson_handicap().is_some())?,
        by_utility: SearchList { is_whole: by_utility.len() < depth, entries: by_utility },
        by_graph: tables.has_graph,
    })
}

fn terms_to_blob(terms: &[u128]) -> Vec<u8> {
    terms.iter().flat_map(|term| term.to_be_bytes()).collect()
}
