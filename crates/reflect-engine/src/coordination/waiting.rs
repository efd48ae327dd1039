//! Waiting for the work on a trace to end.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use reflect_core::TraceId;
use tokio::sync::Notify;

/// Who waits in this process for which trace.
#[derive(Default)]
pub(super) struct Waiting {
    by_trace: Mutex<HashMap<TraceId, Arc<Notify>>>,
}

impl Waiting {
    pub(super) fn listen(&self, trace_id: TraceId) -> Listening<'_> {
        let mut waiting = self.by_trace.lock().unwrap_or_else(PoisonError::into_inner);
        let notify = Arc::clone(waiting.entry(trace_id).or_default());
        Listening { waiting: self, trace_id, notify }
    }

    pub(super) fn notify(&self, trace_id: TraceId) {
        let listened = self.by_trace.lock().unwrap_or_else(PoisonError::into_inner).remove(&trace_id);
        if let Some(notify) = listened {
            notify.notify_waiters();
        }
    }

    pub(super) fn notify_all(&self) {
        let waiting = std::mem::take(&mut *self.by_trace.lock().unwrap_or_else(PoisonError::into_inner));
        waiting.values().for_each(|notify| notify.notify_waiters());
    }
}

/// Someone who waits for the work on a trace to end, until they are dropped.
pub(crate) struct Listening<'a> {
    waiting: &'a Waiting,
    trace_id: TraceId,
    notify: Arc<Notify>,
}

impl std::ops::Deref for Listening<'_> {
    type Target = Notify;

    fn deref(&self) -> &Notify {
        &self.notify
    }
}

/// Forgets the trace, unless others listen to it, or have begun to since this one was notified.
impl Drop for Listening<'_> {
    fn drop(&mut self) {
        let mut waiting = self.waiting.by_trace.lock().unwrap_or_else(PoisonError::into_inner);
        // One in the map and one in the hands of whoever is leaving.
        let last = |notify: &Arc<Notify>| Arc::ptr_eq(notify, &self.notify) && Arc::strong_count(notify) <= 2;
        if waiting.get(&self.trace_id).is_some_and(last) {
            waiting.remove(&self.trace_id);
        }
    }
}
