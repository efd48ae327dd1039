//! A scope that is held by hand.

use std::{fmt, ops::Deref, thread};

use tokio::runtime::Handle;
use uuid::Uuid;

use crate::{
    AugmentedTask, CreateTrace, ReflectClient, Result, TraceContext, TraceOutput, key::generate_idempotency_key,
};

use super::{Ending, Manners, warn_of_failure};

/// A run that is being traced, for code that cannot be a closure. It is used like its [`TraceContext`].
///
/// Finish it, or say that the run failed. A guard that is dropped before (an early return by `?`, a panic, a future that is
/// given up) submits the output that was set with [`TraceContext::set_output`] as a fail, in the background: [`ReflectClient::flush`]
/// waits for that. Without an output nothing is submitted.
///
/// ```no_run
/// # async fn example(client: reflect_client::ReflectClient) -> anyhow::Result<()> {
/// use reflect_client::{Message, TraceOutput};
///
/// let guard = client.trace("Count the rows").blocking(true).start().await?;
/// let trajectory = [Message::user(guard.augmented_task()), Message::assistant("42")];
/// guard.set_output(TraceOutput::new(trajectory).passed());
/// let rows: u32 = "42".parse()?; // a `?` that returns here submits a fail
/// let trace_id = guard.finish().await?;
/// # let _ = (rows, trace_id);
/// # Ok(()) }
/// ```
#[must_use = "a guard that is dropped submits a fail; finish it"]
pub struct TraceGuard {
    client: ReflectClient,
    context: TraceContext,
    manners: Manners,
    /// Where a trace that is left behind is submitted.
    runtime: Option<Handle>,
    /// Names the submission, so that one which was given up half way and is sent again is stored once.
    name: Option<String>,
    /// What is being submitted: dropped with the future that waits for it, it is still to be sent.
    underway: Option<CreateTrace>,
}

impl fmt::Debug for TraceGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TraceGuard").field("context", &self.context).finish_non_exhaustive()
    }
}

impl Deref for TraceGuard {
    type Target = TraceContext;

    fn deref(&self) -> &TraceContext {
        &self.context
    }
}

impl TraceGuard {
    pub(super) fn new(client: ReflectClient, augmented: AugmentedTask, manners: Manners) -> Self {
        Self {
            client,
            context: TraceContext::new(augmented),
            manners,
            runtime: Handle::try_current().ok(),
            name: generate_idempotency_key(),
            underway: None,
        }
    }

    /// What the run can see. A clone of it knows the trace's id when the guard is gone.
    pub fn context(&self) -> &TraceContext {
        &self.context
    }

    /// Submits the run and answers with its trace; None if no output was set. With [`crate::TraceScope::blocking`] the lesson is
    /// there then. An error about the lesson has the trace: see [`crate::Error::trace_id`].
    pub async fn finish(mut self) -> Result<Option<Uuid>> {
        match self.context.take_output() {
            Some(output) => self.submit(output).await.map(Some),
            None => Ok(None),
        }
    }

    /// Submits the run as failed, with what was wrong, whatever result was set. None if no output was set: without a
    /// trajectory there is nothing to learn from.
    pub async fn fail(mut self, message: impl Into<String>) -> Result<Option<Uuid>> {
        match self.context.take_output() {
            Some(output) => self.submit(output.failed(message)).await.map(Some),
            None => Ok(None),
        }
    }

    /// Submits what is right after such an end.
    pub(crate) async fn end(self, ending: Ending) -> Result<Option<Uuid>> {
        match ending {
            Ending::Returned => self.finish().await,
            Ending::BrokeOff(message) if self.manners.auto_fail => self.fail(message).await,
            Ending::BrokeOff(_) => Ok(None),
        }
    }

    async fn submit(&mut self, output: TraceOutput) -> Result<Uuid> {
        let is_reviewed = output.is_reviewed();
        let trace = self.trace(output);
        self.underway = Some(trace.clone());
        let submitted = trace.await;
        self.underway = None;
        let trace_id = submitted?.trace_id;
        self.context.submitted(trace_id);
        if self.manners.blocking {
            let wait = self.client.wait_for_trace(trace_id).require_reviewed(is_reviewed);
            let wait = self.manners.wait_timeout.map_or(wait.clone(), |timeout| wait.wait_timeout(timeout));
            wait.await?;
        }
        Ok(trace_id)
    }

    fn trace(&self, output: TraceOutput) -> CreateTrace {
        let augmented = self.context.augmented();
        let trace = self.client.trace_of(&augmented.task, output).memories(augmented);
        match &self.name {
            Some(name) => trace.idempotency_key(name),
            None => trace,
        }
    }

    /// What is still to be submitted when the guard goes.
    fn left_behind(&mut self) -> Option<CreateTrace> {
        if let Some(underway) = self.underway.take() {
            return Some(underway);
        }
        let output = self.context.take_output().filter(|_| self.manners.auto_fail)?;
        let why = if thread::panicking() { "the run panicked" } else { "the run broke off before it was finished" };
        Some(self.trace(output.failed(why)))
    }
}

impl Drop for TraceGuard {
    fn drop(&mut self) {
        let Some(trace) = self.left_behind() else { return };
        // Its warning is heard also if the runtime is gone and drops the task.
        let unsent = Unsent { task: self.context.task().to_owned(), sent: false };
        let Some(runtime) = self.runtime.take() else { return };
        let context = self.context.clone();
        let submit = async move {
            let submitted = trace.await;
            unsent.was_sent();
            warn_of_failure(&submitted);
            if let Ok(submission) = submitted {
                context.submitted(submission.trace_id);
            }
        };
        self.client.left_behind.spawn_on(submit, &runtime);
    }
}

/// Says, if it is dropped before, that a trace was not sent.
struct Unsent {
    task: String,
    sent: bool,
}

impl Unsent {
    fn was_sent(mut self) {
        self.sent = true;
    }
}

impl Drop for Unsent {
    fn drop(&mut self) {
        if !self.sent {
            tracing::warn!(
                task = %self.task,
                "a guard was dropped and no runtime is left to submit its trace; finish guards, or `flush` before the end"
            );
        }
    }
}
