//! What comes out of a scope.

use std::{panic::resume_unwind, thread};

use uuid::Uuid;

use crate::{Error, Result};

use super::warn_of_failure;

/// The value of a run together with what became of its trace.
///
/// ```no_run
/// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
/// # use reflect_client::{Error, TraceOutput};
/// let traced = client
///     .trace("Add up")
///     .run(|ctx| async move {
///         ctx.set_output(TraceOutput::new("2 + 2 = 4").passed());
///         Ok::<_, Error>(4)
///     })
///     .await?;
/// if let Some(problem) = &traced.problem {
///     eprintln!("not recorded: {problem}");
/// }
/// assert_eq!(traced.value, 4);
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Traced<T> {
    /// What the closure returned.
    pub value: T,
    /// The trace, once it is stored. None if the run set no output, or the submission failed.
    pub trace_id: Option<Uuid>,
    /// Why the trace was not stored, or, with a `trace_id`, why its lesson did not come. It is in the log too, as a warning.
    pub problem: Option<Error>,
}

impl<T> Traced<T> {
    /// The value, or why its trace was not recorded; for programs that would rather stop than go on unrecorded.
    pub fn into_result(self) -> Result<T> {
        self.problem.map_or(Ok(self.value), Err)
    }

    /// What a run comes to; goes on with its panic.
    pub(crate) fn after<E>(
        ended: thread::Result<std::result::Result<T, E>>,
        submitted: Result<Option<Uuid>>,
    ) -> std::result::Result<Self, E> {
        warn_of_failure(&submitted);
        let value = ended.unwrap_or_else(|panic| resume_unwind(panic))?;
        Ok(match submitted {
            Ok(trace_id) => Self { value, trace_id, problem: None },
            Err(problem) => Self { value, trace_id: problem.trace_id(), problem: Some(problem) },
        })
    }
}
