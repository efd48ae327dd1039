//! What stands behind the attribute `reflect_trace` on functions that are not async.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::{
    TraceContext, TraceScope, Traceable,
    scope::{
        attribute::{judge, without_memories},
        settle, warn_of_failure,
    },
};

use super::{Call, ReflectClient, TraceGuard};

/// A client that a function which is not async can be traced with: either one.
pub trait BlockingSource {
    /// A scope without async.
    fn blocking_trace(&self, task: String) -> Call<TraceScope>;
}

impl BlockingSource for ReflectClient {
    fn blocking_trace(&self, task: String) -> Call<TraceScope> {
        self.trace(task)
    }
}

impl BlockingSource for crate::ReflectClient {
    fn blocking_trace(&self, task: String) -> Call<TraceScope> {
        ReflectClient::from(self).trace(task)
    }
}

/// Runs the body of a function in a scope, on this thread.
pub fn traced_blocking<R: Traceable>(scope: Call<TraceScope>, work: impl FnOnce(TraceContext) -> R) -> R::Output {
    let guard = match scope.clone().start() {
        Ok(guard) => guard,
        // This guard knows no runtime; it is ended below whatever happens, and so never needs one.
        Err(error) => match without_memories::<R>(scope.builder, error) {
            Ok(inner) => TraceGuard { inner },
            Err(output) => return output,
        },
    };
    let context = guard.context().clone();
    let ended = catch_unwind(AssertUnwindSafe(|| work(context)));
    let (ended, ending) = settle(ended, |returned| judge(returned, guard.context()));
    warn_of_failure(&guard.end(ending));
    ended.unwrap_or_else(|panic| resume_unwind(panic))
}
