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
    pub(crate) fn listen(&self, trace_id: TraceId) -> Listening<'_> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let notify = Arc::clone(waiting.entry(trace_id).or_default());
        Listening { finished: self, trace_id, notify }
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
}

/// Someone who waits for the work on a trace to end, until they are dropped.
pub(crate) struct Listening<'a> {
    finished: &'a Finished,
    trace_id: TraceId,
    notify: Arc<Notify>,
}

impl std::ops::Deref for Listening<'_> {
    type Target = Notify;

    fn deref(&self) -> &Notify {
        &self.notify
    }
}

/// Forgets the trace, unless others listen to it, or have begun to since this one was told.
impl Drop for Listening<'_> {
    fn drop(&mut self) {
        let mut waiting = self.finished.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        // One in the map and one in the hands of whoever is leaving.
        let last = |notify: &Arc<Notify>| Arc::ptr_eq(notify, &self.notify) && Arc::strong_count(notify) <= 2;
        if waiting.get(&self.trace_id).is_some_and(last) {
            waiting.remove(&self.trace_id);
        }
    }
}
