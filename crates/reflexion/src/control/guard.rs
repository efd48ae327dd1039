//! The one way in which the loop calls code that is not its own: a panic is an error, time and cancellation cut it off, and
//! failures are tried again as the policy says.

use std::panic::AssertUnwindSafe;

use futures_util::{FutureExt, future::BoxFuture};
use reflect_llm::ChatError;
use reflection::ReflectError;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use crate::{BoxError, Panicked, StagePolicy, TookTooLong, error::panic_text};

/// Why there is no result.
#[derive(Debug)]
pub(crate) enum Broken {
    /// The run's time is over.
    Time,
    /// The run was cancelled.
    Cancelled,
    /// All tries failed; this is the last one's error.
    Failed(BoxError),
}

/// What ends a call from outside.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    pub(crate) cancel: CancellationToken,
    pub(crate) deadline: Option<Instant>,
}

impl Guard {
    /// Whether the run is to end now.
    pub(crate) fn ended(&self) -> Option<Broken> {
        if self.cancel.is_cancelled() {
            Some(Broken::Cancelled)
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Some(Broken::Time)
        } else {
            None
        }
    }

    /// Calls `make` until it answers or no try is left; counts the tries. What is done at the first poll is done even when the
    /// run is to end: a result in hand beats a limit.
    pub(crate) async fn call<'a, T>(
        &self,
        policy: &StagePolicy,
        tries: &mut u32,
        make: impl Fn() -> BoxFuture<'a, Result<T, BoxError>> + Send + Sync,
    ) -> Result<T, Broken> {
        let mut failures = 0_u32;
        loop {
            *tries = tries.saturating_add(1);
            let error = match self.until_ended(one_try(policy, Box::pin(async { make().await }))).await? {
                Ok(value) => return Ok(value),
                Err(error) => error,
            };
            failures = failures.saturating_add(1);
            if failures > policy.retries || is_permanent(&error) {
                return Err(Broken::Failed(error));
            }
            self.until_ended(sleep(policy.wait_after(failures))).await?;
        }
    }

    async fn until_ended<T>(&self, future: impl Future<Output = T> + Send) -> Result<T, Broken> {
        let over = async {
            match self.deadline {
                Some(deadline) => sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            value = future => Ok(value),
            () = self.cancel.cancelled() => Err(Broken::Cancelled),
            () = over => Err(Broken::Time),
        }
    }
}

async fn one_try<T>(policy: &StagePolicy, future: BoxFuture<'_, Result<T, BoxError>>) -> Result<T, BoxError> {
    let contained = AssertUnwindSafe(future).catch_unwind();
    let caught = match policy.within {
        Some(limit) => timeout(limit, contained).await.map_err(|_| TookTooLong(limit))?,
        None => contained.await,
    };
    caught.unwrap_or_else(|panic| Err(Panicked(panic_text(&*panic).to_owned()).into()))
}

/// Whether the error itself says that another try changes nothing.
fn is_permanent(error: &BoxError) -> bool {
    let chat = error.downcast_ref::<ChatError>().map(ChatError::is_temporary);
    let reflection = error.downcast_ref::<ReflectError>().map(ReflectError::is_temporary);
    chat.or(reflection) == Some(false)
}
