//! Room for a run's work, kept for the next one: asking the system for a megabyte takes as long as a layer.

use std::sync::{Mutex, PoisonError};

use super::{attention, linear::Rows};

/// Floats of the widest rows up to which room is kept. That is as much as a window takes; what a large batch took goes back.
const MOST_KEPT: usize = 256 * 1280;

/// Everything that is needed on the way through an encoder.
#[derive(Default)]
pub(super) struct Buffers {
    /// One row of the encoder's width for each token.
    pub(super) states: Vec<f32>,
    pub(super) rows: Rows,
    pub(super) wide: Vec<f32>,
    pub(super) narrow: Vec<f32>,
    pub(super) attention: attention::Scratch,
}

/// Buffers that nobody uses: as many as were in use at once.
#[derive(Default)]
pub(super) struct Spare(Mutex<Vec<Buffers>>);

impl Spare {
    /// With anything in them.
    pub(super) fn take(&self) -> Buffers {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    pub(super) fn give_back(&self, buffers: Buffers) {
        if buffers.wide.capacity() <= MOST_KEPT {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(buffers);
        }
    }
}
