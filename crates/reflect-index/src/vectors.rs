//! One vector of each row of a block, each property in a column of its own.
//!
//! Searches hold the columns that they read; whoever changes some that are held changes a copy.

use std::{ops::Range, sync::Arc};

use crate::{
    encoding::{EncodedRow, VectorView},
    large_pages::LargePages,
};

#[derive(Debug, Clone, Default)]
pub(crate) struct Vectors {
    sketches: Arc<Plane>,
    details: Arc<Plane>,
    fine: Arc<Vec<i8>>,
    steps: Vec<f32>,
    sketch_errors: Vec<f32>,
    coarse_errors: Vec<f32>,
}

/// Half a byte of each coordinate of a block's vectors: on its own while it may grow, later side by side with those of other blocks.
#[derive(Debug, Clone, Default)]
struct Plane {
    own: Vec<u8>,
    joined: Option<(Arc<LargePages>, Range<usize>)>,
}

impl Plane {
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

impl Vectors {
    fn len(&self) -> usize {
        self.steps.len()
    }

    pub(crate) fn sketches(&self) -> &[u8] {
        self.sketches.bytes()
    }

    pub(crate) fn detail(&self, slot: usize) -> &[u8] {
        nth(self.details.bytes(), self.len(), slot).unwrap_or_default()
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

    pub(crate) fn vector(&self, slot: usize) -> Option<VectorView<'_>> {
        let rows = self.len();
        Some(VectorView {
            sketch: nth(self.sketches(), rows, slot)?,
            detail: nth(self.details.bytes(), rows, slot)?,
            fine: nth(&self.fine, rows, slot)?,
            step: *self.steps.get(slot)?,
        })
    }

    pub(crate) fn push(&mut self, row: &EncodedRow) {
        Arc::make_mut(&mut self.sketches).own().extend_from_slice(&row.sketch);
        Arc::make_mut(&mut self.details).own().extend_from_slice(&row.detail);
        Arc::make_mut(&mut self.fine).extend_from_slice(&row.fine);
        self.steps.push(row.step);
        self.sketch_errors.push(row.sketch_error);
        self.coarse_errors.push(row.coarse_error);
    }

    /// Makes room for so many more rows like this one.
    pub(crate) fn reserve(&mut self, more: usize, row: &EncodedRow) {
        Arc::make_mut(&mut self.sketches).own().reserve_exact(more * row.sketch.len());
        Arc::make_mut(&mut self.details).own().reserve_exact(more * row.detail.len());
        Arc::make_mut(&mut self.fine).reserve_exact(more * row.fine.len());
        self.steps.reserve_exact(more);
        self.sketch_errors.reserve_exact(more);
        self.coarse_errors.reserve_exact(more);
    }

    /// Puts a vector over another. One that is as it was is left alone.
    pub(crate) fn set(&mut self, slot: usize, row: &EncodedRow) {
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
        if let Some(detail) = nth_mut(Arc::make_mut(&mut self.details).own(), rows, slot) {
            detail.copy_from_slice(&row.detail);
        }
        if let Some(fine) = nth_mut(Arc::make_mut(&mut self.fine).as_mut_slice(), rows, slot) {
            fine.copy_from_slice(&row.fine);
        }
    }

    /// Takes the last vector out.
    pub(crate) fn pop(&mut self) -> Option<EncodedRow> {
        let last = self.len().checked_sub(1)?;
        let view = self.vector(last)?;
        let (sketch, detail, fine) = (view.sketch.to_vec(), view.detail.to_vec(), view.fine.to_vec());
        Arc::make_mut(&mut self.sketches).own().truncate(last * sketch.len());
        Arc::make_mut(&mut self.details).own().truncate(last * detail.len());
        Arc::make_mut(&mut self.fine).truncate(last * fine.len());
        let (sketch_error, coarse_error) = (self.sketch_errors.pop()?, self.coarse_errors.pop()?);
        // Its norm counts towards the project's largest already.
        let (dimension, step, norm) = (fine.len(), self.steps.pop()?, 0.0);
        Some(EncodedRow { dimension, sketch, detail, fine, step, sketch_error, coarse_error, norm })
    }
}

/// Lays what a scan reads of some blocks side by side, if the system has pages for that: all sketches of one side, those of the other, and the details
/// in the same order.
pub(crate) fn join(sides: [Vec<&mut Vectors>; 2]) {
    let (mut sketches, mut details) = (Vec::new(), Vec::new());
    for vectors in sides.into_iter().flatten() {
        sketches.push(&mut vectors.sketches);
        details.push(&mut vectors.details);
    }
    sketches.append(&mut details);
    let parts: Vec<&[u8]> = sketches.iter().map(|plane| plane.bytes()).collect();
    let Some(pages) = LargePages::concat(&parts).map(Arc::new) else { return };
    let mut start = 0;
    for plane in sketches {
        let end = start + plane.bytes().len();
        *plane = Arc::new(Plane { own: Vec::new(), joined: Some((Arc::clone(&pages), start..end)) });
        start = end;
    }
}

pub(crate) fn put<T>(column: &mut [T], slot: usize, value: T) {
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
