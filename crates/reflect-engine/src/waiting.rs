//! Waiting for a trace to be worked.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use reflect_core::TraceId;
use tokio::sync::Notify;

/// Tells those who wait when the work on a trace has ended, one way or the other.
#[derive(Default)]
pub(crate) struct Finished {
    waiting: Mutex<HashMap<TraceId, Arc<Notify>>>,
}

impl Finished {
    /// Starts to listen. Whoever wants to miss nothing calls this before they look.
    pub(crate) fn listen(&self, trace_id: TraceId) -> Arc<Notify> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(waiting.entry(trace_id).or_default())
    }

    pub(crate) fn tell(&self, trace_id: TraceId) {
        let listened = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&trace_id);
        if let Some(notify) = listened {
            notify.notify_waiters();
        }
    }

    /// Tells everyone, who then look for themselves whether they still have to wait.
    pub(crate) fn tell_all(&self) {
        let waiting = std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        waiting.values().for_each(|notify| notify.notify_waiters());
    }

    /// Forgets a trace, unless others listen to it, or have begun to since `listened` was told.
    pub(crate) fn stop(&self, trace_id: TraceId, listened: &Arc<Notify>) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        // One in the map and one in the hands of the caller who is leaving.
        if waiting.get(&trace_id).is_some_and(|notify| Arc::ptr_eq(notify, listened) && Arc::strong_count(notify) <= 2)
        {
            waiting.remove(&trace_id);
        }
    }
}
