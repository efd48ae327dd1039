//! What queries search: each project's vectors, utilities, metadata and which words its lessons have, in memory.
//!
//! The database is the truth. Every change to a memory there carries a number that only rises, so an index asks for what
//! is newer than it has, applies that, and then is as new as the question: a query that starts after a change was
//! acknowledged always sees it, and nothing has to be told to the index from outside.
//!
//! A search takes a snapshot and lets go of the lock, so it never waits for changes longer than a few of them take to be put in, and
//! they never wait for a search. It reads four bits of each coordinate of every row, and where these leave room for doubt four more
//! (`scan`), which gives each row two bounds that its score lies between (`bounds`); what may be among the best is then computed exactly (`search`). There is
//! no approximation anywhere: an answer is what the slow, obvious ranking of all rows would give, and tests hold it against that.
//!
//! What memories say is not in here. It is read from the database for the few that won.

mod block;
mod bounds;
mod candidates;
mod check;
mod encoding;
mod indexes;
mod kernels;
mod nibbles;
mod postings;
mod rows;
mod scan;
mod search;
mod similarity_rank;
mod task;
mod terms;
#[cfg(test)]
mod tests;

use std::sync::{Mutex, MutexGuard, PoisonError};

use reflect_core::{IndexRow, MemoryId, QuerySettings};
use serde_json::{Map, Value};

use postings::Selection;
use rows::{PreparedRow, Rows};

pub use check::{IndexReport, check_database};
pub use encoding::as_kept;
pub(crate) use indexes::Indexes;

/// How many changes are put in at a time before whoever waits for the lock gets it.
const APPLY_AT_ONCE: usize = 32;

/// A search takes one more thread for each share of this many rows. Reading memory is what takes the time, and where two threads are the
/// two halves of one core, a second one brought nothing at 100,000 rows.
const ROWS_A_THREAD: usize = 262_144;

/// One project's memories, ready to be searched.
#[derive(Default)]
pub struct Index {
    rows: Mutex<Rows>,
}

/// What is searched for.
#[derive(Debug, Clone, Copy)]
pub struct Search<'a> {
    /// The vector of the task.
    pub task: &'a [f32],
    /// Limit, weights and floor.
    pub settings: &'a QuerySettings,
    /// What the metadata must hold.
    pub filter: Option<&'a Map<String, Value>>,
    /// How many threads may work on it.
    pub threads: usize,
    /// Whether ranks by similarity are asked for.
    pub explain: bool,
}

/// A memory that a search found, with the figures that it was ranked by.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Which memory.
    pub memory_id: MemoryId,
    /// The newest change to it that the search knew of.
    pub changed: i64,
    /// Its utility.
    pub utility: f64,
    /// Its similarity to the task.
    pub similarity: f64,
    /// The blend of both.
    pub score: f64,
    /// What diversity took from it.
    pub mmr_penalty: f64,
    /// Its place by similarity alone among all that passed floor and filter, from 1, if that was asked for.
    pub similarity_rank: Option<u32>,
}

impl Index {
    /// Brings changes in, in their order. Searches go on meanwhile.
    pub fn apply(&self, changes: Vec<IndexRow>) {
        let mut changes = changes.into_iter();
        loop {
            // Worked out before the lock is taken.
            let prepared: Vec<PreparedRow> = changes.by_ref().take(APPLY_AT_ONCE).map(PreparedRow::new).collect();
            if prepared.is_empty() {
                return;
            }
            self.lock().apply(&mut prepared.into_iter());
        }
    }

    /// The best memories for a task, best first, after floor, filter and diversity.
    pub fn search(&self, search: &Search<'_>) -> Vec<Hit> {
        let wanted = search.filter.map(terms::wanted_by).unwrap_or_default();
        let (snapshot, postings) = {
            let rows = self.lock();
            (rows.snapshot().clone(), rows.find_postings(&wanted))
        };
        match postings {
            Some(postings) => {
                let selection = Selection::intersection(postings, snapshot.len());
                search::search(&snapshot, &selection, search)
            }
            None => Vec::new(),
        }
    }

    /// How many memories it has.
    pub fn len(&self) -> usize {
        self.lock().snapshot().len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Roughly how many bytes it takes.
    pub fn bytes(&self) -> usize {
        self.lock().bytes()
    }

    /// How many threads a search is worth.
    pub fn useful_threads(&self) -> usize {
        self.len().div_ceil(ROWS_A_THREAD).max(1)
    }

    /// The newest change that is in here.
    fn changed(&self) -> i64 {
        self.lock().changed()
    }

    fn lock(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The name of the instructions that scans use on this processor.
pub fn kernels_in_use() -> &'static str {
    kernels::Kernels::best().name
}
