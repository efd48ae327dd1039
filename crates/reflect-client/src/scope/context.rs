//! What a run can see of its scope.

use std::{
    fmt,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use uuid::Uuid;

use crate::{AugmentedTask, Memory, TraceOutput};

/// A run's view of its scope: the task with its memories, and where to put what happened. Clones are the same context.
///
/// ```no_run
/// # fn ask_a_model(prompt: &str) -> String { prompt.to_owned() }
/// use reflect_client::{Message, TraceContext, TraceOutput};
///
/// fn answer(ctx: &TraceContext) -> String {
///     let answer = ask_a_model(ctx.augmented_task());
///     ctx.set_output(TraceOutput::new([Message::user(ctx.augmented_task()), Message::assistant(&answer)]));
///     answer
/// }
/// ```
#[derive(Clone)]
pub struct TraceContext {
    inner: Arc<Inner>,
}

struct Inner {
    augmented: AugmentedTask,
    output: Mutex<Option<TraceOutput>>,
    trace_id: OnceLock<Uuid>,
}

impl fmt::Debug for TraceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TraceContext")
            .field("task", &self.task())
            .field("memories", &self.memories().len())
            .field("trace_id", &self.trace_id())
            .finish_non_exhaustive()
    }
}

impl TraceContext {
    pub(crate) fn new(augmented: AugmentedTask) -> Self {
        Self { inner: Arc::new(Inner { augmented, output: Mutex::new(None), trace_id: OnceLock::new() }) }
    }

    /// The task as it was given.
    pub fn task(&self) -> &str {
        &self.inner.augmented.task
    }

    /// The prompt: the task, and the memories where there are any.
    pub fn augmented_task(&self) -> &str {
        &self.inner.augmented.augmented_task
    }

    /// The memories in it, best first.
    pub fn memories(&self) -> &[Memory] {
        &self.inner.augmented.memories
    }

    /// The same together, with the name of the query.
    pub fn augmented(&self) -> &AugmentedTask {
        &self.inner.augmented
    }

    /// Says what happened in the run; the last call counts. It is submitted when the run ends.
    pub fn set_output(&self, output: TraceOutput) {
        *self.output() = Some(output);
    }

    /// The trace, once it is submitted: None inside the run, and for good if no output was set. A clone kept from the run, or the
    /// guard's context, has it also where the run ended in an `Err`.
    pub fn trace_id(&self) -> Option<Uuid> {
        self.inner.trace_id.get().copied()
    }

    #[cfg(feature = "macros")]
    pub(crate) fn set_output_if_unset(&self, output: impl FnOnce() -> TraceOutput) {
        self.output().get_or_insert_with(output);
    }

    pub(crate) fn take_output(&self) -> Option<TraceOutput> {
        self.output().take()
    }

    pub(crate) fn submitted(&self, trace_id: Uuid) {
        // Only the guard calls this, and once.
        let _ = self.inner.trace_id.set(trace_id);
    }

    /// A run that panicked while it held the lock left a whole output or none.
    fn output(&self) -> std::sync::MutexGuard<'_, Option<TraceOutput>> {
        self.inner.output.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
