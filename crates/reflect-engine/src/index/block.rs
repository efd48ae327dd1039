//! Some memories side by side, each property in a column of its own.
//!
//! Searches hold the blocks that they read; whoever changes a block that is held changes a copy. The vectors are most of
//! a block, so they are shared on their own: a new utility copies the small columns only.

use std::sync::Arc;

use reflect_core::MemoryId;

use super::encoding::EncodedRow;

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
    vectors: Arc<Vectors>,
    facts: Vec<RowFacts>,
    steps: Vec<f32>,
    errors: Vec<f32>,
    /// Again, for the scan.
    utilities: Vec<f32>,
}

#[derive(Debug, Clone, Default)]
struct Vectors {
    coarse: Vec<u8>,
    fine: Vec<i16>,
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
        &self.vectors.coarse
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
        let (rows, vectors) = (self.len(), &self.vectors);
        Some(VectorView {
            coarse: nth(&vectors.coarse, rows, place)?,
            fine: nth(&vectors.fine, rows, place)?,
            step: *self.steps.get(place)?,
        })
    }

    pub(crate) fn push(&mut self, facts: RowFacts, row: &EncodedRow) {
        self.grow(row);
        let vectors = Arc::make_mut(&mut self.vectors);
        vectors.coarse.extend_from_slice(&row.coarse);
        vectors.fine.extend_from_slice(&row.fine);
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
        let vectors = Arc::make_mut(&mut self.vectors);
        vectors.coarse.reserve_exact(more * row.coarse.len());
        vectors.fine.reserve_exact(more * row.fine.len());
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
        let vectors = Arc::make_mut(&mut self.vectors);
        if let Some(coarse) = nth_mut(&mut vectors.coarse, rows, place) {
            coarse.copy_from_slice(&row.coarse);
        }
        if let Some(fine) = nth_mut(&mut vectors.fine, rows, place) {
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
        let vectors = Arc::make_mut(&mut self.vectors);
        vectors.coarse.truncate(last * coarse.len());
        vectors.fine.truncate(last * fine.len());
        self.steps.pop();
        self.utilities.pop();
        let error = self.errors.pop()?;
        // Its norm counts towards the project's largest already.
        let row = EncodedRow { dimension: fine.len(), coarse, fine, step, error, norm: 0.0 };
        Some((self.facts.pop()?, row))
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
