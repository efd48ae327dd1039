//! Waiting for a trace to be worked.

use std::time::Duration;

use reflect_api::{ErrorCode, TraceAnswer};
use reflect_core::{Backoff, IngestStatus, ReviewStatus};
use tokio::time::Instant;
use uuid::Uuid;

use crate::{Error, ReflectClient, Result, setters::setters};

use super::CreateTrace;

/// The first look comes soon, since most lessons are written at once; later ones come at the interval asked for.
const FIRST_PAUSE: Duration = Duration::from_millis(10);

/// Without a pause a look would follow upon a look.
const SHORTEST_PAUSE: Duration = Duration::from_millis(1);

/// How long to wait, and how.
#[derive(Debug, Clone, Copy)]
struct Patience {
    require_reviewed: bool,
    poll_interval: Duration,
    timeout: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { require_reviewed: false, poll_interval: Duration::from_millis(250), timeout: Duration::from_secs(60) }
    }
}

/// Waits for a trace. Await it to begin.
///
/// ```no_run
/// # async fn example(client: reflect_client::ReflectClient, id: uuid::Uuid) -> Result<(), reflect_client::Error> {
/// use reflect_client::Error;
///
/// match client.wait_for_trace(id).await {
///     Err(Error::WaitedTooLong { .. }) => println!("still at work"),
///     ended => println!("{:?}", ended?.ingest_status),
/// }
/// # Ok(()) }
/// ```
#[derive(Clone)]
#[must_use = "waiting begins by awaiting it"]
pub struct WaitForTrace {
    client: ReflectClient,
    trace_id: Uuid,
    patience: Patience,
}

/// A run to be recorded and waited for. Await it to send it.
///
/// ```no_run
/// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
/// let run = client.create_trace("Refund order A-17", "…").failed("Refunded order A-71 instead").and_wait();
/// let trace = run.await?;
/// println!("{:?}", trace.created_memory_id);
/// # Ok(()) }
/// ```
#[derive(Clone)]
#[must_use = "a trace is sent by awaiting it"]
pub struct CreateAndWait {
    trace: CreateTrace,
    patience: Patience,
}

impl ReflectClient {
    /// Waits until the work on a trace has ended: an [`Error::IngestFailed`] if its lesson could not be written, an
    /// [`Error::WaitedTooLong`] when the time is over. A server that cannot be reached meanwhile is waited for as well.
    pub fn wait_for_trace(&self, trace_id: Uuid) -> WaitForTrace {
        WaitForTrace { client: self.clone(), trace_id, patience: Patience::default() }
    }
}

/// Writes the options of waiting for both builders.
macro_rules! patience_options {
    ($builder:ident) => {
        setters! { $builder:
            /// The longest pause between two looks; 250 ms when unset. The first look comes sooner.
            poll_interval(Duration) => patience.poll_interval;
            /// How long to wait at most; 60 s when unset.
            wait_timeout(Duration) => patience.timeout;
        }
    };
}

patience_options!(WaitForTrace);
patience_options!(CreateAndWait);

setters! { WaitForTrace:
    /// Whether to wait until the review has become a memory, also if none was submitted yet.
    require_reviewed(bool) => patience.require_reviewed;
}

impl WaitForTrace {
    pub(super) async fn send(self) -> Result<TraceAnswer> {
        wait(self.client, self.trace_id, self.patience).await
    }
}

impl CreateAndWait {
    pub(super) fn new(trace: CreateTrace) -> Self {
        Self { trace, patience: Patience::default() }
    }

    pub(super) async fn send(self) -> Result<TraceAnswer> {
        let client = self.trace.client.clone();
        let patience = Patience { require_reviewed: self.trace.output.is_reviewed(), ..self.patience };
        let submission = self.trace.send().await?;
        wait(client, submission.trace_id, patience).await
    }
}

/// For those who wait for ever: thirty years.
fn far_away() -> Instant {
    Instant::now() + Duration::from_secs(30 * 365 * 86_400)
}

/// Looks until the work has ended or the time is over, and no longer: a look that hangs is given up at the deadline.
async fn wait(client: ReflectClient, trace_id: Uuid, patience: Patience) -> Result<TraceAnswer> {
    let too_long = || Error::WaitedTooLong { trace_id, waited: patience.timeout };
    let deadline = Instant::now().checked_add(patience.timeout).unwrap_or_else(far_away);
    let poll_interval = patience.poll_interval.max(SHORTEST_PAUSE);
    let pauses = Backoff::new(FIRST_PAUSE, poll_interval);
    let mut looks = 0;
    loop {
        let look = client.world.get_trace(&client.project_id, trace_id);
        match tokio::time::timeout_at(deadline, look).await.map_err(|_| too_long())? {
            Ok(trace) => match trace.ingest_status {
                IngestStatus::Failed => {
                    let problem = trace.last_ingest_error.unwrap_or_else(|| "the server did not say why".into());
                    return Err(Error::IngestFailed { trace_id, problem });
                }
                IngestStatus::Completed
                    if !patience.require_reviewed || trace.review_status == ReviewStatus::Reviewed =>
                {
                    return Ok(trace);
                }
                _ => {}
            },
            // Not there yet, or nobody there for now: a server that restarts has the trace when it is back.
            Err(error) if error.code() == Some(ErrorCode::NotFound) || error.may_pass() => {}
            Err(error) => return Err(Error::WaitFailed { trace_id, cause: Box::new(error) }),
        }
        looks += 1;
        let pause = tokio::time::sleep(pauses.wait(looks));
        tokio::time::timeout_at(deadline, pause).await.map_err(|_| too_long())?;
    }
}
