//! Since when this instance does what one of several has to do.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

/// How long what an old embedder made is left alone, so that instances that remember a project with it have read its row again.
const HOLD: Duration = Duration::from_secs(2);

/// From when on an instance may sweep that leads several. For one that does not, there is nothing to wait for.
#[derive(Default)]
pub(super) struct Leading {
    sweep_from: Mutex<Option<Instant>>,
}

impl Leading {
    /// Notes whether this instance leads. The one before may have given a project its new embedder a moment ago.
    pub(super) fn note(&self, leads: bool) {
        let mut sweep_from = self.sweep_from.lock().unwrap_or_else(PoisonError::into_inner);
        if leads {
            sweep_from.get_or_insert_with(|| Instant::now() + HOLD);
        } else {
            *sweep_from = None;
        }
    }

    pub(super) fn hold_sweeps(&self) {
        if let Some(from) = &mut *self.sweep_from.lock().unwrap_or_else(PoisonError::into_inner) {
            *from = Instant::now() + HOLD;
        }
    }

    pub(super) fn may_sweep(&self) -> bool {
        let sweep_from = *self.sweep_from.lock().unwrap_or_else(PoisonError::into_inner);
        sweep_from.is_none_or(|from| Instant::now() >= from)
    }
}
