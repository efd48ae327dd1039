//! Scopes without async.

use std::{
    fmt::Display,
    ops::Deref,
    panic::{AssertUnwindSafe, catch_unwind},
};

use uuid::Uuid;

use crate::{
    Error, Result, TraceContext, TraceScope, Traced,
    scope::{Ending, settle},
};

use super::{Call, driver};

impl Call<TraceScope> {
    /// Runs a closure in the scope, on this thread, and submits what it left with [`TraceContext::set_output`]; as
    /// [`TraceScope::run`].
    ///
    /// ```no_run
    /// # fn example(client: reflect_client::blocking::ReflectClient) -> Result<(), reflect_client::Error> {
    /// use reflect_client::{Error, Message, TraceOutput};
    ///
    /// let traced = client.trace("Refund order A-17").limit(5).blocking(true).run(|ctx| {
    ///     let answer = "…"; // ask a model with `ctx.augmented_task()`
    ///     ctx.set_output(TraceOutput::new([Message::user(ctx.augmented_task()), Message::assistant(answer)]).passed());
    ///     Ok::<_, Error>(answer)
    /// })?;
    /// println!("{} {:?}", traced.value, traced.trace_id);
    /// # Ok(()) }
    /// ```
    pub fn run<T, E>(
        self,
        work: impl FnOnce(TraceContext) -> std::result::Result<T, E>,
    ) -> std::result::Result<Traced<T>, E>
    where
        E: From<Error> + Display,
    {
        let guard = self.start()?;
        let context = guard.context().clone();
        let (ended, ending) = settle(catch_unwind(AssertUnwindSafe(|| work(context))), Ending::of);
        Traced::after(ended, guard.end(ending))
    }

    /// Fetches the memories and gives a guard; as [`TraceScope::start`].
    pub fn start(self) -> Result<TraceGuard> {
        let inner = driver::wait(self.builder.start())??;
        Ok(TraceGuard { inner })
    }
}

/// A run that is being traced; as [`crate::TraceGuard`]. One that is dropped before it is finished submits a fail in the
/// background: [`super::ReflectClient::flush`] waits for it.
///
/// ```no_run
/// # fn example(client: reflect_client::blocking::ReflectClient) -> Result<(), reflect_client::Error> {
/// let guard = client.trace("Count the rows").start()?;
/// guard.set_output(reflect_client::TraceOutput::new("43 rows"));
/// guard.fail("the header line is no row")?;
/// # Ok(()) }
/// ```
#[derive(Debug)]
#[must_use = "a guard that is dropped submits a fail; finish it"]
pub struct TraceGuard {
    pub(super) inner: crate::TraceGuard,
}

impl Deref for TraceGuard {
    type Target = TraceContext;

    fn deref(&self) -> &TraceContext {
        self.inner.context()
    }
}

impl TraceGuard {
    /// What the run can see; as [`crate::TraceGuard::context`].
    pub fn context(&self) -> &TraceContext {
        self.inner.context()
    }

    /// Submits the run; as [`crate::TraceGuard::finish`].
    pub fn finish(self) -> Result<Option<Uuid>> {
        driver::wait(self.inner.finish())?
    }

    /// Submits the run as failed; as [`crate::TraceGuard::fail`].
    pub fn fail(self, message: impl Into<String>) -> Result<Option<Uuid>> {
        driver::wait(self.inner.fail(message.into()))?
    }

    pub(super) fn end(self, ending: Ending) -> Result<Option<Uuid>> {
        driver::wait(self.inner.end(ending))?
    }
}
