//! Reviews of stored traces.

use reflect_api::{ReflectionRequest, ReviewRequest, TraceAnswer};
use uuid::Uuid;

use crate::{Error, IntoOutcome, ReflectClient, Result, setters::setters, world::Named};

/// A review. Await it to send it.
///
/// ```no_run
/// # async fn example(client: reflect_client::ReflectClient, id: uuid::Uuid) -> Result<(), reflect_client::Error> {
/// let review = client.review_trace(id, "fail").feedback("Refunded the wrong order");
/// let trace = review.await?;
/// println!("{:?}", trace.review_status);
/// # Ok(()) }
/// ```
#[derive(Clone)]
#[must_use = "a review is sent by awaiting it"]
pub struct ReviewTrace {
    client: ReflectClient,
    trace_id: Uuid,
    request: ReviewRequest,
    idempotency_key: Option<String>,
    problem: Option<String>,
}

impl ReflectClient {
    /// Reviews a stored trace and waits for its lesson, up to the server's deadline.
    pub fn review_trace(&self, trace_id: Uuid, result: impl IntoOutcome) -> ReviewTrace {
        let (outcome, problem) = match result.into_outcome() {
            Ok(outcome) => (Some(outcome), None),
            Err(error) => (None, Some(error.to_string())),
        };
        let request = ReviewRequest { result: outcome, ..ReviewRequest::default() };
        ReviewTrace { client: self.clone(), trace_id, request, idempotency_key: None, problem }
    }

    /// Takes a review back: everything ends as if it had never been.
    pub async fn take_back_review(&self, trace_id: Uuid) -> Result<TraceAnswer> {
        self.world.take_back_review(&self.project_id, trace_id).await
    }
}

setters! { ReviewTrace:
    /// The reviewer's words: specific ones make specific lessons.
    feedback(text) => request.feedback_text;
    /// How well the run went, from 0 to 1, such as the share of tests that passed; without it a pass counts 1 and a fail 0.
    score(f64) => request.score;
    /// The step size for the memories that the run was shown.
    alpha(f64) => request.alpha;
    /// The lesson, written by you; no reflector is asked then.
    reflection(ReflectionRequest) => request.reflection;
    /// A name for this request, so that sending it twice does it once. Calls get one of their own.
    idempotency_key(text) => idempotency_key;
}

impl ReviewTrace {
    /// Replaces an earlier, different review.
    pub fn supersedes(mut self) -> Self {
        self.request.supersedes = Some(true);
        self
    }

    pub(super) async fn send(self) -> Result<TraceAnswer> {
        if let Some(problem) = self.problem {
            return Err(Error::Settings(problem));
        }
        let client = self.client;
        let request = Named { request: self.request, name: self.idempotency_key };
        client.world.review_trace(&client.project_id, self.trace_id, request).await
    }
}
