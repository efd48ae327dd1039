//! Some memories side by side, each property in a column of its own.
//!
//! Searches hold the blocks that they read; whoever changes a block that is held changes a copy. The vectors are most of
//! a block, so they are shared on their own: a new utility copies the small columns only.

use std::{ops::Range, sync::Arc};

use reflect_core::{LessonWords, MemoryId};

use crate::{
    encoding::{EncodedRow, VectorView},
    kernels::LargePages,
};

/// A memory as the index knows it, without its vector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RowFacts {
    pub(crate) memory_id: MemoryId,
    pub(crate) utility: f64,
    pub(crate) lesson: LessonWords,
    /// The newest change to it that is in here.
    pub(crate) changed: i64,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Block {
    /// How many rows it has room for.
    most_rows: usize,
    sketches: Arc<Sketches>,
    details: Arc<Vec<u8>>,
    fine: Arc<Vec<i8>>,
    facts: Vec<RowFacts>,
    steps: Vec<f32>,
    sketch_errors: Vec<f32>,
    coarse_errors: Vec<f32>,
    /// Again, for the scan.
    utilities: Vec<f32>,
}

/// The sketches of a block: on their own while they may grow, later side by side with those of other blocks.
#[derive(Debug, Clone, Default)]
struct Sketches {
    own: Vec<u8>,
    joined: Option<(Arc<LargePages>, Range<usize>)>,
}

impl Sketches {
    fn bytes(&self) -> &[u8] {
        match &self.joined {
            Some((pages, range)) => pages.get(range.clone()).unwrap_or_default(),
            None => &self.own,
        }
    }

    /// Bytes that can be changed, on their own from now on.
    fn own(&mut self) -> &mut Vec<u8> {
        if self.joined.is_some() {
            self.own = self.bytes().to_vec();
            self.joined = None;
        }
        &mut self.own
    }
}

impl Block {
    pub(crate) fn new(most_rows: usize) -> Self {
        Self { most_rows, ..Self::default() }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.len() == self.most_rows
    }

    pub(crate) fn len(&self) -> usize {
        self.facts.len()
    }

    pub(crate) fn sketches(&self) -> &[u8] {
        self.sketches.bytes()
    }

    pub(crate) fn detail(&self, slot: usize) -> &[u8] {
        nth(&self.details, self.len(), slot).unwrap_or_default()
    }

    pub(crate) fn steps(&self) -> &[f32] {
        &self.steps
    }

    pub(crate) fn sketch_errors(&self) -> &[f32] {
        &self.sketch_errors
    }

    pub(crate) fn coarse_errors(&self) -> &[f32] {
        &self.coarse_errors
    }

    pub(crate) fn utilities(&self) -> &[f32] {
        &self.utilities
    }

    pub(crate) fn facts(&self) -> &[RowFacts] {
        &self.facts
    }

    pub(crate) fn vector(&self, slot: usize) -> Option<VectorView<'_>> {
        let rows = self.len();
        Some(VectorView {
            sketch: nth(self.sketches(), rows, slot)?,
            detail: nth(&self.details, rows, slot)?,
            fine: nth(&self.fine, rows, slot)?,
            step: *self.steps.get(slot)?,
        })
    }

    pub(crate) fn push(&mut self, facts: RowFacts, row: &EncodedRow) {
        self.grow(row);
        Arc::make_mut(&mut self.sketches).own().extend_from_slice(&row.sketch);
        Arc::make_mut(&mut self.details).extend_from_slice(&row.detail);
        Arc::make_mut(&mut self.fine).extend_from_slice(&row.fine);
        self.facts.push(facts);
        self.steps.push(row.step);
        self.sketch_errors.push(row.sketch_error);
        self.coarse_errors.push(row.coarse_error);
        self.utilities.push(facts.utility as f32);
    }

    /// Makes room for as many rows again, and no more than a block has.
    fn grow(&mut self, row: &EncodedRow) {
        let rows = self.len();
        if rows < self.facts.capacity() {
            return;
        }
        let more = rows.max(4).min(self.most_rows.saturating_sub(rows)).max(1);
        Arc::make_mut(&mut self.sketches).own().reserve_exact(more * row.sketch.len());
        Arc::make_mut(&mut self.details).reserve_exact(more * row.detail.len());
        Arc::make_mut(&mut self.fine).reserve_exact(more * row.fine.len());
        self.facts.reserve_exact(more);
        self.steps.reserve_exact(more);
        self.sketch_errors.reserve_exact(more);
        self.coarse_errors.reserve_exact(more);
        self.utilities.reserve_exact(more);
    }

    /// Puts a row over another. A vector that is as it was is left alone.
    pub(crate) fn set(&mut self, slot: usize, facts: RowFacts, row: &EncodedRow) {
        self.set_facts(slot, facts);
        if self.vector(slot) == Some(row.view()) {
            return;
        }
        put(&mut self.steps, slot, row.step);
        put(&mut self.sketch_errors, slot, row.sketch_error);
        put(&mut self.coarse_errors, slot, row.coarse_error);
        let rows = self.len();
        if let Some(sketch) = nth_mut(Arc::make_mut(&mut self.sketches).own(), rows, slot) {
            sketch.copy_from_slice(&row.sketch);
        }
        if let Some(detail) = nth_mut(Arc::make_mut(&mut self.details).as_mut_slice(), rows, slot) {
            detail.copy_from_slice(&row.detail);
        }
        if let Some(fine) = nth_mut(Arc::make_mut(&mut self.fine).as_mut_slice(), rows, slot) {
            fine.copy_from_slice(&row.fine);
        }
    }

    fn set_facts(&mut self, slot: usize, facts: RowFacts) {
        put(&mut self.facts, slot, facts);
        put(&mut self.utilities, slot, facts.utility as f32);
    }

    /// Takes the last row out.
    pub(crate) fn pop(&mut self) -> Option<(RowFacts, EncodedRow)> {
        let last = self.len().checked_sub(1)?;
        let view = self.vector(last)?;
        let (sketch, detail, fine) = (view.sketch.to_vec(), view.detail.to_vec(), view.fine.to_vec());
        Arc::make_mut(&mut self.sketches).own().truncate(last * sketch.len());
        Arc::make_mut(&mut self.details).truncate(last * detail.len());
        Arc::make_mut(&mut self.fine).truncate(last * fine.len());
        self.utilities.pop();
        let (sketch_error, coarse_error) = (self.sketch_errors.pop()?, self.coarse_errors.pop()?);
        // Its norm counts towards the project's largest already.
        let (dimension, step, norm) = (fine.len(), self.steps.pop()?, 0.0);
        let row = EncodedRow { dimension, sketch, detail, fine, step, sketch_error, coarse_error, norm };
        Some((self.facts.pop()?, row))
    }
}

/// Lays the sketches of these blocks side by side.
pub(crate) fn join(blocks: &mut [Arc<Block>]) {
    let parts: Vec<&[u8]> = blocks.iter().map(|block| block.sketches()).collect();
    let Some(pages) = LargePages::concat(&parts).map(Arc::new) else { return };
    let mut start = 0;
    for block in blocks {
        let end = start + block.sketches().len();
        Arc::make_mut(block).sketches =
            Arc::new(Sketches { own: Vec::new(), joined: Some((Arc::clone(&pages), start..end)) });
        start = end;
    }
}

fn put<T>(column: &mut [T], slot: usize, value: T) {
    if let Some(known) = column.get_mut(slot) {
        *known = value;
    }
}

fn nth<T>(values: &[T], rows: usize, slot: usize) -> Option<&[T]> {
    let width = values.len() / rows.max(1);
    values.get(slot * width..(slot + 1) * width)
}

fn nth_mut<T>(values: &mut [T], rows: usize, slot: usize) -> Option<&mut [T]> {
    let width = values.len() / rows.max(1);
    values.get_mut(slot * width..(slot + 1) * width)
}
