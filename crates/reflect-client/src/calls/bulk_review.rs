//! Reviews of many traces at once.

use reflect_api::{BulkReview, BulkReviewAnswer, BulkReviewRequest};
use reflect_core::Outcome;
use uuid::Uuid;

use crate::{Error, IntoOutcome, ReflectClient, Result, setters::setters, world::Named};

/// Reviews to be sent together, up to 500. Await it to send them.
///
/// ```no_run
/// # async fn example(client: reflect_client::ReflectClient, ids: Vec<uuid::Uuid>) -> reflect_client::Result<()> {
/// let reviews = ids.into_iter().fold(client.review_traces(), |reviews, id| reviews.passed(id));
/// let answer = reviews.await?;
/// println!("{} answers", answer.reviews.len());
/// # Ok(()) }
/// ```
#[derive(Clone)]
#[must_use = "reviews are sent by awaiting them"]
pub struct ReviewTraces {
    client: ReflectClient,
    reviews: Vec<BulkReview>,
    idempotency_key: Option<String>,
    problem: Option<String>,
}

impl ReflectClient {
    /// Reviews many traces in one request. Each is accepted or refused by itself, as the answer says; lessons are written in the
    /// background.
    pub fn review_traces(&self) -> ReviewTraces {
        ReviewTraces { client: self.clone(), reviews: Vec::new(), idempotency_key: None, problem: None }
    }
}

setters! { ReviewTraces:
    /// A name for this request, so that sending it twice does it once. Calls get one of their own.
    idempotency_key(text) => idempotency_key;
}

impl ReviewTraces {
    /// This run passed.
    pub fn passed(self, trace_id: Uuid) -> Self {
        self.result(trace_id, Outcome::Pass)
    }

    /// This run failed, and what was wrong.
    pub fn failed(mut self, trace_id: Uuid, feedback: impl Into<String>) -> Self {
        let feedback_text = Some(feedback.into());
        let review = BulkReview { result: Some(Outcome::Fail), feedback_text, ..of(trace_id) };
        self.reviews.push(review);
        self
    }

    /// How this run went: an [`Outcome`], or one of `pass`, `success`, `fail`, `failure`.
    pub fn result(mut self, trace_id: Uuid, result: impl IntoOutcome) -> Self {
        match result.into_outcome() {
            Ok(outcome) => self.reviews.push(BulkReview { result: Some(outcome), ..of(trace_id) }),
            Err(error) => self.problem = Some(error.to_string()),
        }
        self
    }

    /// A review with whatever it may hold.
    pub fn review(mut self, review: BulkReview) -> Self {
        self.reviews.push(review);
        self
    }

    pub(super) async fn send(self) -> Result<BulkReviewAnswer> {
        if let Some(problem) = self.problem {
            return Err(Error::Settings(problem));
        }
        let (client, request) = (self.client, BulkReviewRequest::from_iter(self.reviews));
        client.world.review_traces(&client.project_id, Named { request, name: self.idempotency_key }).await
    }
}

fn of(trace_id: Uuid) -> BulkReview {
    BulkReview { trace_id: trace_id.to_string(), ..BulkReview::default() }
}
