//! One project's index.

use std::sync::{Mutex, MutexGuard, PoisonError};

use reflect_core::IndexRow;

use crate::{
    hits::{Found, Search},
    layout::Layout,
    postings::Selection,
    rows::{PreparedRow, Rows, bytes_a_row},
    search::{Within, search_all},
    terms::wanted_by,
};

/// How many changes are put in at a time before whoever waits for the lock gets it.
const APPLY_AT_ONCE: usize = 32;

/// The same for what they can be filtered by, each of which is put into a list of its own.
const TERMS_AT_ONCE: usize = 2_048;

/// A search takes one more thread for each share of this many rows. Reading memory is what takes the time, and where two threads are the
/// two halves of one core, a second one brought nothing at 100,000 rows.
const ROWS_A_THREAD: usize = 262_144;

/// One project's memories, ready to be searched.
pub struct Index {
    rows: Mutex<Rows>,
}

impl Default for Index {
    fn default() -> Self {
        Self::new(Layout::default())
    }
}

impl Index {
    /// An empty index whose rows will lie like this.
    pub fn new(layout: Layout) -> Self {
        Self { rows: Mutex::new(Rows::new(layout, 0)) }
    }

    /// An empty index that will have the memories that change after this one.
    pub(crate) fn after(changed: i64) -> Self {
        Self { rows: Mutex::new(Rows::new(Layout::default(), changed)) }
    }

    /// Roughly how many bytes so many memories of this dimension take at least.
    pub const fn bytes_of(memories: usize, dimension: usize) -> usize {
        memories.saturating_mul(bytes_a_row(dimension))
    }

    /// Brings changes in, in their order. Searches go on meanwhile.
    pub fn apply(&self, changes: Vec<IndexRow>) {
        let mut changes = changes.into_iter().map(PreparedRow::new).peekable();
        while changes.peek().is_some() {
            // Worked out before the lock is taken.
            let mut terms = 0;
            let prepared: Vec<PreparedRow> = std::iter::from_fn(|| {
                let row = changes.next_if(|_| terms < TERMS_AT_ONCE)?;
                terms += row.entry.as_ref().map_or(0, |entry| entry.terms.len());
                Some(row)
            })
            .take(APPLY_AT_ONCE)
            .collect();
            self.lock().apply(&mut prepared.into_iter());
        }
    }

    /// The best memories for a task, best first, after floor, filter and diversity, found by so many threads.
    pub fn search(&self, search: &Search, threads: usize) -> Found {
        let wanted = search.settings.metadata_filter.as_ref().map(wanted_by).unwrap_or_default();
        let (snapshot, postings) = {
            let rows = self.lock();
            (rows.snapshot().clone(), rows.find_postings(&wanted))
        };
        match postings {
            Some(postings) => {
                let selection = Selection::intersection(postings, snapshot.len());
                let (around, unseen, shown) = (&snapshot, None, None);
                let within = Within { snapshot: &snapshot, around, unseen, selection: &selection, threads, shown };
                search_all(search, &within)
            }
            None => Found::default(),
        }
    }

    /// How many memories it has, those among them that are there for their runs alone.
    pub fn len(&self) -> usize {
        self.lock().snapshot().len()
    }

    /// How many of them queries may answer with. It looks at all of them.
    pub fn count_shown(&self) -> usize {
        let snapshot = self.lock().snapshot().clone();
        snapshot.blocks.iter().flat_map(|block| block.facts()).filter(|facts| !facts.is_hidden).count()
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
    pub(crate) fn changed(&self) -> i64 {
        self.lock().changed()
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
