//! Vectors as rankings see them: restored from what is kept.

use crate::{block::Side, encoding::EncodedRow, kernels::Kernels, rows::Snapshot, sides::SearchedSide};

/// A vector as rankings see it: every coordinate moved by at most half a step.
pub fn as_kept(vector: &[f32]) -> Vec<f32> {
    EncodedRow::encode(vector).map(|row| row.restored()).unwrap_or_default()
}

impl EncodedRow {
    /// The floats that it stands for.
    pub(crate) fn restored(&self) -> Vec<f32> {
        let mut floats = vec![0.0; self.dimension];
        (Kernels::best().restore)(&self.view(), &mut floats);
        floats
    }
}

/// Computes similarities over rows as they are kept.
pub(crate) struct ExactSimilarity<'a> {
    snapshot: &'a Snapshot,
    sides: &'a [SearchedSide],
    task: &'a [f32],
    restored: Vec<f32>,
}

impl<'a> ExactSimilarity<'a> {
    pub(crate) fn new(snapshot: &'a Snapshot, sides: &'a [SearchedSide], task: &'a [f32]) -> Self {
        Self { snapshot, sides, task, restored: vec![0.0; snapshot.dimension] }
    }

    /// Asks for a row that is looked at soon.
    pub(crate) fn prefetch(&self, row: u32, nearer: Option<Side>) {
        for searched in self.sides.iter().filter(|searched| searched.may_be(nearer)) {
            if let Some(vector) = self.snapshot.vector(searched.side, row) {
                Kernels::best().prefetch(vector.sketch);
                Kernels::best().prefetch(vector.detail);
                Kernels::best().prefetch(vector.fine);
            }
        }
    }

    /// The similarity of the nearer side, which may be known.
    pub(crate) fn of(&mut self, row: u32, nearer: Option<Side>) -> f64 {
        let sides = self.sides.iter().filter(|searched| searched.may_be(nearer));
        sides.fold(f64::NEG_INFINITY, |nearest, searched| {
            if let Some(vector) = self.snapshot.vector(searched.side, row) {
                (Kernels::best().restore)(&vector, &mut self.restored);
            }
            nearest.max((Kernels::best().cosine)(&self.restored, self.task) - searched.handicap)
        })
    }
}

/// The vectors of some rows' lessons, one after the other.
pub(crate) struct Lessons {
    restored: Vec<f32>,
    dimension: usize,
}

impl Lessons {
    pub(crate) fn of(snapshot: &Snapshot, rows: impl ExactSizeIterator<Item = u32>) -> Self {
        let dimension = snapshot.dimension.max(1);
        let mut restored = vec![0.0; rows.len() * dimension];
        for (row, floats) in rows.zip(restored.chunks_mut(dimension)) {
            if let Some(vector) = snapshot.vector(Side::Lesson, row) {
                (Kernels::best().restore)(&vector, floats);
            }
        }
        Self { restored, dimension }
    }

    /// The cosine of two of them, by their positions.
    pub(crate) fn nearness(&self, left: usize, right: usize) -> f64 {
        let lesson = |position: usize| self.restored.get(position * self.dimension..(position + 1) * self.dimension);
        match (lesson(left), lesson(right)) {
            (Some(left), Some(right)) => (Kernels::best().cosine)(left, right),
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_of_the_smallest_vectors() {
        assert_eq!(as_kept(&[0.0, 0.0]), [0.0, 0.0]);
        assert_eq!(as_kept(&[0.0, -1.0]), [0.0, -1.0]);
        assert!(as_kept(&[]).is_empty());
    }
}
