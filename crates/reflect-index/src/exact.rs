//! Vectors as rankings see them: restored from what is kept.

use crate::{encoding::EncodedRow, kernels::Kernels, rows::Snapshot};

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
    task: &'a [f32],
    restored: Vec<f32>,
}

impl<'a> ExactSimilarity<'a> {
    pub(crate) fn new(snapshot: &'a Snapshot, task: &'a [f32]) -> Self {
        Self { snapshot, task, restored: vec![0.0; snapshot.dimension] }
    }

    pub(crate) fn of(&mut self, row: u32) -> f64 {
        if let Some(vector) = self.snapshot.vector(row) {
            (Kernels::best().restore)(&vector, &mut self.restored);
        }
        (Kernels::best().cosine)(&self.restored, self.task)
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
