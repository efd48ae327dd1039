//! Some memories side by side, each property in a column of its own.
//!
//! Searches hold the blocks that they read; whoever changes a block that is held changes a copy. The vectors are most of
//! a block, so they are shared on their own: a new utility copies the small columns only.

use std::{ops::Range, sync::Arc};

use reflect_core::MemoryId;

use super::{encoding::EncodedRow, kernels::LargePages};

/// How many rows a block has: long enough to be read at full speed, short enough to be copied for one new row. In tests so few
/// that every project has many.
pub(crate) const BLOCK: usize = if cfg!(test) { 16 } else { 256 };

/// A memory as the index knows it, without its vector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RowFacts {
    pub(crate) memory_id: MemoryId,
    pub(crate) utility: f64,
    /// The newest change to it that is in here.
    pub(crate) changed: i64,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Block {
    coarse: Arc<Coarse>,
    fine: Arc<Vec<i16>>,
    facts: Vec<RowFacts>,
    steps: Vec<f32>,
    errors: Vec<f32>,
    /// Again, for the scan.
    utilities: Vec<f32>,
}

/// The coarse rows of a block: on their own while they may grow, later side by side with those of other blocks.
#[derive(Debug, Clone, Default)]
struct Coarse {
    own: Vec<u8>,
    joined: Option<(Arc<LargePages>, Range<usize>)>,
}

impl Coarse {
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

/// A row's vector where it lies.
pub(crate) struct VectorView<'a> {
    pub(crate) coarse: &'a [u8],
    pub(crate) fine: &'a [i16],
    pub(crate) step: f32,
}

impl Block {
    pub(crate) fn len(&self) -> usize {
        self.facts.len()
    }

    pub(crate) fn coarse(&self) -> &[u8] {
        self.coarse.bytes()
    }

    pub(crate) fn steps(&self) -> &[f32] {
        &self.steps
    }

    pub(crate) fn errors(&self) -> &[f32] {
        &self.errors
    }

    pub(crate) fn utilities(&self) -> &[f32] {
        &self.utilities
    }

    pub(crate) fn facts(&self) -> &[RowFacts] {
        &self.facts
    }

    pub(crate) fn vector(&self, place: usize) -> Option<VectorView<'_>> {
        let rows = self.len();
        Some(VectorView {
            coarse: nth(self.coarse(), rows, place)?,
            fine: nth(&self.fine, rows, place)?,
            step: *self.steps.get(place)?,
        })
    }

    pub(crate) fn push(&mut self, facts: RowFacts, row: &EncodedRow) {
        self.grow(row);
        Arc::make_mut(&mut self.coarse).own().extend_from_slice(&row.coarse);
        Arc::make_mut(&mut self.fine).extend_from_slice(&row.fine);
        self.facts.push(facts);
        self.steps.push(row.step);
        self.errors.push(row.error);
        self.utilities.push(facts.utility as f32);
    }

    /// Makes room for as many rows again, and no more than a block has.
    fn grow(&mut self, row: &EncodedRow) {
        let rows = self.len();
        if rows < self.facts.capacity() {
            return;
        }
        let more = rows.max(4).min(BLOCK.saturating_sub(rows)).max(1);
        Arc::make_mut(&mut self.coarse).own().reserve_exact(more * row.coarse.len());
        Arc::make_mut(&mut self.fine).reserve_exact(more * row.fine.len());
        self.facts.reserve_exact(more);
        self.steps.reserve_exact(more);
        self.errors.reserve_exact(more);
        self.utilities.reserve_exact(more);
    }

    /// Puts a row in the place of another. A vector that is as it was is left alone.
    pub(crate) fn set(&mut self, place: usize, facts: RowFacts, row: &EncodedRow) {
        self.set_facts(place, facts);
        let same = self.vector(place).is_some_and(|known| {
            known.step.to_bits() == row.step.to_bits() && known.coarse == row.coarse && known.fine == row.fine
        });
        if same {
            return;
        }
        put(&mut self.steps, place, row.step);
        put(&mut self.errors, place, row.error);
        let rows = self.len();
        if let Some(coarse) = nth_mut(Arc::make_mut(&mut self.coarse).own(), rows, place) {
            coarse.copy_from_slice(&row.coarse);
        }
        if let Some(fine) = nth_mut(Arc::make_mut(&mut self.fine).as_mut_slice(), rows, place) {
            fine.copy_from_slice(&row.fine);
        }
    }

    fn set_facts(&mut self, place: usize, facts: RowFacts) {
        put(&mut self.facts, place, facts);
        put(&mut self.utilities, place, facts.utility as f32);
    }

    /// Takes the last row out.
    pub(crate) fn pop(&mut self) -> Option<(RowFacts, EncodedRow)> {
        let last = self.len().checked_sub(1)?;
        let view = self.vector(last)?;
        let (coarse, fine, step) = (view.coarse.to_vec(), view.fine.to_vec(), view.step);
        Arc::make_mut(&mut self.coarse).own().truncate(last * coarse.len());
        Arc::make_mut(&mut self.fine).truncate(last * fine.len());
        self.steps.pop();
        self.utilities.pop();
        let error = self.errors.pop()?;
        // Its norm counts towards the project's largest already.
        let row = EncodedRow { dimension: fine.len(), coarse, fine, step, error, norm: 0.0 };
        Some((self.facts.pop()?, row))
    }
}

/// Lays the coarse rows of these blocks side by side.
pub(crate) fn join(blocks: &mut [Arc<Block>]) {
    let parts: Vec<&[u8]> = blocks.iter().map(|block| block.coarse()).collect();
    let Some(pages) = LargePages::concat(&parts).map(Arc::new) else { return };
    let mut start = 0;
    for block in blocks {
        let end = start + block.coarse().len();
        Arc::make_mut(block).coarse =
            Arc::new(Coarse { own: Vec::new(), joined: Some((Arc::clone(&pages), start..end)) });
        start = end;
    }
}

fn put<T>(column: &mut [T], place: usize, value: T) {
    if let Some(known) = column.get_mut(place) {
        *known = value;
    }
}

fn nth<T>(values: &[T], rows: usize, place: usize) -> Option<&[T]> {
    let width = values.len() / rows.max(1);
    values.get(place * width..(place + 1) * width)
}

fn nth_mut<T>(values: &mut [T], rows: usize, place: usize) -> Option<&mut [T]> {
    let width = values.len() / rows.max(1);
    values.get_mut(place * width..(place + 1) * width)
}
