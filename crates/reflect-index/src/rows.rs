//! A project's rows, and how changes come into them.

use std::{collections::HashMap, sync::Arc};

use reflect_core::{
    IndexEntry, IndexRow, MemoryId, RunScore, SameWords, Tells,
    worth::{Learned, LearningRule},
};

use crate::{
    block::{Block, EncodedPair, RowFacts, Side, join},
    encoding::{EncodedRow, VectorView, padded},
    layout::Layout,
    postings::{Posting, Postings},
    retired::Retired,
    terms::{Term, terms_of},
};

/// A changed memory with everything about it worked out, so that putting it in takes no time.
pub(crate) struct PreparedRow {
    pub(crate) memory_id: MemoryId,
    pub(crate) changed: i64,
    pub(crate) entry: Option<PreparedEntry>,
}

pub(crate) struct PreparedEntry {
    pub(crate) learned: Learned,
    pub(crate) run: Option<RunScore>,
    pub(crate) is_hidden: bool,
    pub(crate) is_pinned: bool,
    pub(crate) tells: Option<Tells>,
    pub(crate) same: Option<SameWords>,
    pub(crate) pair: EncodedPair,
    pub(crate) terms: Box<[Term]>,
}

impl PreparedRow {
    /// A vector that nothing can be compared with makes no entry.
    pub(crate) fn new(row: IndexRow) -> Self {
        let (memory_id, changed) = (row.memory_id, row.changed);
        let entry = row.entry.and_then(|entry| match encode(&entry) {
            Some(pair) => {
                let IndexEntry { learned, run, is_hidden, is_pinned, tells, same, .. } = entry;
                Some(PreparedEntry { learned, run, is_hidden, is_pinned, tells, same, pair, terms: terms_of(&entry.metadata) })
            }
            None => {
                tracing::warn!(%memory_id, "left out of searches: its vector is empty or has a coordinate that is not a number");
                None
            }
        });
        Self { memory_id, changed, entry }
    }
}

/// Both vectors as they are kept. While there is no vector of the lesson, or none that could be compared, its task's stands in for it.
fn encode(entry: &IndexEntry) -> Option<EncodedPair> {
    let task = EncodedRow::encode(&entry.vector)?;
    let lesson = entry.lesson_vector.as_deref().and_then(EncodedRow::encode);
    let lesson = lesson.filter(|lesson| lesson.dimension == task.dimension).unwrap_or_else(|| task.clone());
    Some(EncodedPair { task, lesson })
}

/// All rows at one moment. Holding it keeps nobody from changing the index.
#[derive(Debug, Clone, Default)]
pub(crate) struct Snapshot {
    pub(crate) layout: Layout,
    pub(crate) blocks: Arc<Vec<Arc<Block>>>,
    /// How many coordinates every row has.
    pub(crate) dimension: usize,
    pub(crate) largest_norm: f32,
    /// No utility by worth is farther from 0.
    pub(crate) largest_utility: f64,
    pub(crate) retired: Retired,
}

impl Snapshot {
    pub(crate) fn len(&self) -> usize {
        self.blocks.last().map_or(0, |last| (self.blocks.len() - 1) * self.layout.block_rows.get() + last.len())
    }

    pub(crate) fn facts(&self, row: u32) -> Option<RowFacts> {
        let (block, slot) = self.find(row)?;
        block.facts().get(slot).copied()
    }

    pub(crate) fn vector(&self, side: Side, row: u32) -> Option<VectorView<'_>> {
        let (block, slot) = self.find(row)?;
        block.side(side).vector(slot)
    }

    /// The block that a row lies in, and where in it.
    pub(crate) fn find(&self, row: u32) -> Option<(&Block, usize)> {
        let (block, slot) = self.split(row);
        Some((self.blocks.get(block)?, slot))
    }

    /// Which block a row lies in, and where in it.
    pub(crate) fn split(&self, row: u32) -> (usize, usize) {
        let (row, block_rows) = (row as usize, self.layout.block_rows);
        (row / block_rows, row % block_rows)
    }
}

/// What the columns of a row of this dimension take.
pub(crate) const fn bytes_a_row(dimension: usize) -> usize {
    let vector = padded(dimension) + dimension + 3 * size_of::<f32>();
    2 * vector + size_of::<RowFacts>() + 2 * size_of::<f32>() + size_of::<f64>()
}

/// A project's rows with what is needed to change them. Every block but the last is full.
#[derive(Clone)]
pub(crate) struct Rows {
    snapshot: Snapshot,
    /// The newest change that is in here.
    changed: i64,
    /// How many blocks have been laid side by side; they come first.
    joined: usize,
    row_numbers: HashMap<MemoryId, u32>,
    /// By row.
    terms: Vec<Box<[Term]>>,
    postings: Postings,
}

impl Rows {
    /// None yet: those that changed after `changed` are to come.
    pub(crate) fn new(layout: Layout, changed: i64) -> Self {
        Self {
            snapshot: Snapshot { layout, ..Snapshot::default() },
            changed,
            joined: 0,
            row_numbers: HashMap::new(),
            terms: Vec::new(),
            postings: Postings::new(layout.bitmap_rows),
        }
    }

    pub(crate) fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    pub(crate) fn changed(&self) -> i64 {
        self.changed
    }

    pub(crate) fn find_postings(&self, terms: &[Term]) -> Option<Vec<Arc<Posting>>> {
        self.postings.find(terms)
    }

    pub(crate) fn find(&self, memory_id: MemoryId) -> Option<u32> {
        self.row_numbers.get(&memory_id).copied()
    }

    pub(crate) fn terms(&self, row: u32) -> &[Term] {
        self.terms.get(row as usize).map_or(&[], |terms| terms)
    }

    /// Whether filters find a row by a term.
    pub(crate) fn has_term(&self, row: u32, term: Term) -> bool {
        self.postings.find(&[term]).is_some_and(|found| found.iter().all(|posting| posting.contains(row)))
    }

    /// Roughly what they take.
    pub(crate) fn bytes(&self) -> usize {
        let numbers = self.row_numbers.capacity() * (size_of::<(MemoryId, u32)>() + 1) * 8 / 7;
        let lists = self.terms.capacity() * size_of::<Box<[Term]>>();
        self.snapshot.len() * bytes_a_row(self.snapshot.dimension) + numbers + lists + self.postings.bytes()
    }

    /// Applies changes in their order. Two queries may fetch overlapping changes; whoever comes second skips what is known.
    pub(crate) fn apply(&mut self, changes: &mut dyn Iterator<Item = PreparedRow>) {
        for row in changes {
            if row.changed <= self.changed {
                continue;
            }
            self.changed = row.changed;
            match row.entry.filter(|entry| self.takes(row.memory_id, &entry.pair.task)) {
                Some(entry) => self.put(row.memory_id, row.changed, entry),
                None => self.remove(row.memory_id),
            }
        }
    }

    /// Puts memories in whose changes are older than the others'. What is known already is newer, and stays.
    pub(crate) fn add_older(&mut self, older: impl Iterator<Item = PreparedRow>) {
        for row in older.filter(|row| self.find(row.memory_id).is_none()).collect::<Vec<_>>() {
            let Some(entry) = row.entry.filter(|entry| self.takes(row.memory_id, &entry.pair.task)) else { continue };
            self.put(row.memory_id, row.changed, entry);
        }
    }

    /// Whether a vector has the dimension of the others. The first one decides.
    fn takes(&mut self, memory_id: MemoryId, vector: &EncodedRow) -> bool {
        if self.snapshot.len() == 0 {
            self.snapshot.dimension = vector.dimension;
        }
        let (found, expected) = (vector.dimension, self.snapshot.dimension);
        if found != expected {
            tracing::warn!(%memory_id, found, expected, "left out of searches: its vector has another dimension");
        }
        found == expected
    }

    fn put(&mut self, memory_id: MemoryId, changed: i64, entry: PreparedEntry) {
        let PreparedEntry { learned, run, is_hidden, is_pinned, tells, same, pair, terms } = entry;
        let facts = RowFacts { memory_id, learned, run, is_hidden, is_pinned, tells, same, changed };
        self.snapshot.largest_norm = self.snapshot.largest_norm.max(pair.task.norm).max(pair.lesson.norm);
        let utility = facts.utility(LearningRule::Worth).abs();
        self.snapshot.largest_utility = self.snapshot.largest_utility.max(utility);
        let known = self.find(facts.memory_id);
        let former = known.and_then(|row| self.snapshot.facts(row));
        self.snapshot.retired.replace(former.as_ref(), Some(&facts));
        match known {
            Some(row) => {
                self.set(row, facts, &pair);
                self.set_terms(row, terms);
            }
            None => self.push(facts, &pair, terms),
        }
    }

    fn push(&mut self, facts: RowFacts, pair: &EncodedPair, terms: Box<[Term]>) {
        // 2³² rows of any dimension are more than any machine holds.
        let row = u32::try_from(self.snapshot.len()).unwrap_or(u32::MAX);
        let layout = self.snapshot.layout;
        let blocks = Arc::make_mut(&mut self.snapshot.blocks);
        if blocks.last().is_none_or(|last| last.is_full()) {
            let enough = layout.blocks_to_join(2 * (pair.task.sketch.len() + pair.task.detail.len()));
            if let Some(full) = blocks.get_mut(self.joined..).filter(|full| full.len() >= enough) {
                self.joined += full.len();
                join(full);
            }
            blocks.push(Arc::new(Block::new(layout.block_rows.get())));
        }
        if let Some(last) = blocks.last_mut() {
            Arc::make_mut(last).push(facts, pair);
        }
        self.row_numbers.insert(facts.memory_id, row);
        self.terms.push(Box::default());
        self.set_terms(row, terms);
    }

    fn set(&mut self, row: u32, facts: RowFacts, pair: &EncodedPair) {
        let (block, slot) = self.snapshot.split(row);
        let blocks = Arc::make_mut(&mut self.snapshot.blocks);
        if let Some(block) = blocks.get_mut(block) {
            Arc::make_mut(block).set(slot, facts, pair);
        }
    }

    fn set_terms(&mut self, row: u32, terms: Box<[Term]>) {
        let Some(known) = self.terms.get_mut(row as usize) else { return };
        if *known == terms {
            return;
        }
        let known = std::mem::replace(known, terms);
        known.iter().for_each(|term| self.postings.remove(*term, row));
        for term in self.terms.get(row as usize).into_iter().flatten() {
            self.postings.insert(*term, row);
        }
    }

    /// Takes a row out; the last one moves into its slot.
    fn remove(&mut self, memory_id: MemoryId) {
        let Some(row) = self.row_numbers.remove(&memory_id) else { return };
        let former = self.snapshot.facts(row);
        self.snapshot.retired.replace(former.as_ref(), None);
        let last = self.terms.len().saturating_sub(1) as u32;
        self.set_terms(row, Box::default());
        let last_terms = self.terms.last().cloned().unwrap_or_default();
        self.set_terms(last, Box::default());
        self.terms.pop();
        let blocks = Arc::make_mut(&mut self.snapshot.blocks);
        let popped = blocks.last_mut().and_then(|block| Arc::make_mut(block).pop());
        if blocks.last().is_some_and(|block| block.len() == 0) {
            blocks.pop();
            self.joined = self.joined.min(blocks.len());
        }
        if let Some((facts, pair)) = popped.filter(|_| row != last) {
            self.set(row, facts, &pair);
            self.set_terms(row, last_terms);
            self.row_numbers.insert(facts.memory_id, row);
        }
    }
}
