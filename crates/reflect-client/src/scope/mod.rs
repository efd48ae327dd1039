//! A run as a scope: memories on entry, the trace on exit.

#[cfg(feature = "macros")]
pub(crate) mod attribute;
mod context;
mod ending;
mod guard;
mod output;
mod traced;

#[cfg(feature = "macros")]
pub use attribute::Traceable;
pub use context::TraceContext;
pub use guard::TraceGuard;
pub use output::{TraceOutput, TraceResult};
pub use traced::Traced;

pub(crate) use ending::{Ending, settle, warn_of_failure};

use std::{fmt::Display, panic::AssertUnwindSafe, time::Duration};

use futures_util::FutureExt;

use crate::{AugmentTask, Error, ReflectClient, Result, setters::setters};

/// A run to be traced. [`TraceScope::run`] runs a closure in it; [`TraceScope::start`] gives a guard, for code that cannot be a
/// closure. The options are those of a query, and how it ends. `metadata` filters the memories that are looked for; the
/// metadata of the trace belongs to its [`TraceOutput`].
///
/// ```no_run
/// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
/// use reflect_client::{Error, Message, TraceOutput};
///
/// let scope = client.trace("Refund order A-17").limit(5).lambda(0.3).blocking(true);
/// let traced = scope
///     .run(|ctx| async move {
///         let answer = "…"; // ask a model with `ctx.augmented_task()`
///         ctx.set_output(TraceOutput::new([Message::user(ctx.augmented_task()), Message::assistant(answer)]).passed());
///         Ok::<_, Error>(answer)
///     })
///     .await?;
/// println!("{} {:?}", traced.value, traced.trace_id);
/// # Ok(()) }
/// ```
#[derive(Clone)]
#[must_use = "a scope does nothing until it is run or started"]
pub struct TraceScope {
    client: ReflectClient,
    pub(crate) augment: AugmentTask,
    manners: Manners,
}

/// How a scope ends.
#[derive(Debug, Clone, Copy)]
struct Manners {
    blocking: bool,
    auto_fail: bool,
    wait_timeout: Option<Duration>,
}

impl ReflectClient {
    /// Traces a run: its memories are there on entry, and on exit the trace is submitted with their ids, so that what they were
    /// worth is learned. Nothing is submitted unless the run says what happened, with [`TraceContext::set_output`].
    pub fn trace(&self, task: impl Into<String>) -> TraceScope {
        TraceScope {
            client: self.clone(),
            augment: self.augment_with_memories(task),
            manners: Manners { blocking: false, auto_fail: true, wait_timeout: None },
        }
    }

    /// Waits for the traces that guards left behind: those that were dropped before they were finished. Call it before the
    /// runtime ends; [`ReflectClient::close`] does.
    pub async fn flush(&self) {
        self.left_behind.wait().await;
    }
}

setters! { TraceScope:
    /// Whether the end of the scope waits until the lesson is there, so that the next query can find it; false when unset.
    /// Without a result there is no lesson, and nothing to wait for.
    blocking(bool) => manners.blocking;
    /// Whether a run that breaks off after it said what happened is submitted as a fail, with what broke it as feedback; true
    /// when unset. If false, nothing is submitted then. Breaking off is an `Err`, a panic, or a guard or future that is dropped.
    auto_fail(bool) => manners.auto_fail;
    /// How long [`TraceScope::blocking`] waits at most; 60 s when unset.
    wait_timeout(Duration) => manners.wait_timeout;
}

impl TraceScope {
    /// Runs a closure in the scope and submits what it left with [`TraceContext::set_output`].
    ///
    /// An `Err` of the closure is passed on as it is, and a panic goes on once the trace is submitted. If the memories cannot be
    /// fetched the closure does not run. A submission that fails takes nothing from the value: see [`Traced::problem`].
    ///
    /// ```no_run
    /// # async fn example(client: reflect_client::ReflectClient) -> anyhow::Result<()> {
    /// use reflect_client::{Message, TraceOutput};
    ///
    /// let traced = client
    ///     .trace("Count the rows")
    ///     .run(|ctx| async move {
    ///         let trajectory = [Message::user(ctx.augmented_task()), Message::assistant("forty-two")];
    ///         ctx.set_output(TraceOutput::new(trajectory).passed());
    ///         let rows: u32 = "forty-two".parse()?; // the trace is submitted as a fail: "invalid digit found in string"
    ///         anyhow::Ok(rows)
    ///     })
    ///     .await?;
    /// println!("{}", traced.value);
    /// # Ok(()) }
    /// ```
    pub async fn run<T, E, F, Fut>(self, work: F) -> std::result::Result<Traced<T>, E>
    where
        F: FnOnce(TraceContext) -> Fut,
        Fut: Future<Output = std::result::Result<T, E>>,
        E: From<Error> + Display,
    {
        let guard = self.start().await?;
        let context = guard.context().clone();
        let ended = AssertUnwindSafe(async move { work(context).await }).catch_unwind().await;
        let (ended, ending) = settle(ended, Ending::of);
        let submitted = guard.end(ending).await;
        Traced::after(ended, submitted)
    }

    /// Fetches the memories and gives a guard, which submits the output that was set when it is finished.
    pub async fn start(self) -> Result<TraceGuard> {
        let augmented = self.augment.await?;
        Ok(TraceGuard::new(self.client, augmented, self.manners))
    }
}
