//! What stands behind the attribute `reflect_trace`.

use std::{
    borrow::Cow,
    fmt::Display,
    panic::{AssertUnwindSafe, resume_unwind},
};

use futures_util::FutureExt;

use crate::{AugmentedTask, Error, TraceContext, TraceGuard, TraceOutput, TraceResult, TraceScope};

use super::{Ending, settle, warn_of_failure};

/// What a function with the attribute `reflect_trace` may return: a [`TraceResult`], a text (it is the trajectory and the final
/// response both), or a `Result` of one of these whose error can hold an [`Error`] of this crate.
///
/// ```
/// use reflect_client::{Traceable, TraceResult};
///
/// fn is_traceable<R: Traceable>() {}
/// is_traceable::<String>();
/// is_traceable::<TraceResult<Vec<u32>>>();
/// is_traceable::<anyhow::Result<TraceResult<u32>>>();
/// ```
#[diagnostic::on_unimplemented(
    message = "a traced function cannot return `{Self}`",
    label = "not something a trace can be made of",
    note = "return a `TraceResult<T>`, a `String`, or a `Result` of one of them whose error implements `From<reflect_client::Error>`"
)]
pub trait Traceable: Sized {
    /// What the caller gets.
    type Output;

    /// What to return at once if there are no memories to be had, or the error again if the run goes on without them.
    #[doc(hidden)]
    fn refuse(error: Error) -> Result<Self::Output, Error>;

    /// Sets the run's output, and says what the caller gets and how the run ended: None as it meant to, else why it broke off.
    #[doc(hidden)]
    fn conclude(self, context: &TraceContext) -> (Self::Output, Option<String>);
}

impl<T> Traceable for TraceResult<T> {
    type Output = T;

    fn refuse(error: Error) -> Result<T, Error> {
        Err(error)
    }

    fn conclude(self, context: &TraceContext) -> (T, Option<String>) {
        context.set_output(self.trace);
        (self.output, None)
    }
}

/// A text says less than what the run may have said with `set_output`, and stands back behind it.
macro_rules! text_is_traceable {
    ($($text:ty),+) => {
        $(impl Traceable for $text {
            type Output = Self;

            fn refuse(error: Error) -> Result<Self, Error> {
                Err(error)
            }

            fn conclude(self, context: &TraceContext) -> (Self, Option<String>) {
                let text: &str = self.as_ref();
                context.set_output_if_unset(|| TraceOutput::new(text).final_response(text));
                (self, None)
            }
        })+
    };
}

text_is_traceable!(String, &str, Cow<'_, str>);

impl<R: Traceable, E: Display + From<Error>> Traceable for Result<R, E> {
    type Output = Result<R::Output, E>;

    fn refuse(error: Error) -> Result<Self::Output, Error> {
        Ok(Err(error.into()))
    }

    fn conclude(self, context: &TraceContext) -> (Self::Output, Option<String>) {
        match self {
            Ok(returned) => {
                let (output, why) = returned.conclude(context);
                (Ok(output), why)
            }
            Err(error) => {
                let why = error.to_string();
                (Err(error), Some(why))
            }
        }
    }
}

impl TraceScope {
    /// A guard of a run that goes without memories.
    fn start_without_memories(self) -> TraceGuard {
        let task = self.augment.into_task();
        let augmented = AugmentedTask { augmented_task: task.clone(), task, memories: Vec::new(), retrieval_id: None };
        TraceGuard::new(self.client, augmented, self.manners)
    }
}

/// How a run ended, by what it returned.
pub(crate) fn judge<R: Traceable>(returned: R, context: &TraceContext) -> (R::Output, Ending) {
    let (output, why) = returned.conclude(context);
    (output, why.map_or(Ending::Returned, Ending::BrokeOff))
}

/// A guard for a run whose memories did not come, or what the function returns instead.
pub(crate) fn without_memories<R: Traceable>(scope: TraceScope, error: Error) -> Result<TraceGuard, R::Output> {
    match R::refuse(error) {
        Ok(output) => Err(output),
        Err(error) => {
            tracing::warn!(%error, "no memories could be fetched; the run goes on without");
            Ok(scope.start_without_memories())
        }
    }
}

/// Nothing, of some type.
pub const fn none_of<R>() -> Option<R> {
    None
}

/// Runs the body of an async function in a scope.
pub async fn traced<R, F, Fut>(scope: TraceScope, work: F) -> R::Output
where
    R: Traceable,
    F: FnOnce(TraceContext) -> Fut,
    Fut: Future<Output = R>,
{
    let guard = match scope.clone().start().await {
        Ok(guard) => guard,
        Err(error) => match without_memories::<R>(scope, error) {
            Ok(guard) => guard,
            Err(output) => return output,
        },
    };
    let context = guard.context().clone();
    let ended = AssertUnwindSafe(async { work(context).await }).catch_unwind().await;
    let (ended, ending) = settle(ended, |returned| judge(returned, guard.context()));
    warn_of_failure(&guard.end(ending).await);
    ended.unwrap_or_else(|panic| resume_unwind(panic))
}
