//! Recording a run.

use std::future::IntoFuture;

use reflect_api::{CreateTraceRequest, ReflectionRequest, ReviewRequest, SubmissionAnswer};
use reflect_core::{Outcome, RawJson};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::{AugmentedTask, IntoOutcome, ReflectClient, Result, Trajectory};

use super::{CreateAndWait, Sending};

/// A run to be recorded. Await it to send it.
///
/// ```no_run
/// # async fn example(client: reflect_client::ReflectClient, refunded: bool) -> Result<(), reflect_client::Error> {
/// let trace = client.create_trace("Refund order A-17", "…").model("gpt-5.4-mini");
/// let trace = if refunded { trace.passed() } else { trace.failed("No refund was made") };
/// trace.await?;
/// # Ok(()) }
/// ```
#[derive(Clone)]
#[must_use = "a trace is sent by awaiting it"]
pub struct CreateTrace {
    pub(super) client: ReflectClient,
    task: String,
    trajectory: Trajectory,
    final_response: Option<String>,
    retrieved_memory_ids: Vec<String>,
    retrieval_id: Option<Uuid>,
    model: Option<String>,
    metadata: Map<String, Value>,
    reference_context: Option<String>,
    review: Option<ReviewRequest>,
    idempotency_key: Option<String>,
    /// A result that cannot be read is an error when the trace is sent.
    problem: Option<String>,
}

impl ReflectClient {
    /// Records a run. With a review, its lesson is written in the background; [`CreateTrace::and_wait`] waits for it.
    pub fn create_trace(&self, task: impl Into<String>, trajectory: impl Into<Trajectory>) -> CreateTrace {
        CreateTrace {
            client: self.clone(),
            task: task.into(),
            trajectory: trajectory.into(),
            final_response: None,
            retrieved_memory_ids: Vec::new(),
            retrieval_id: None,
            model: None,
            metadata: Map::new(),
            reference_context: None,
            review: None,
            idempotency_key: None,
            problem: None,
        }
    }

    /// Stores a lesson that you wrote yourself, at once: no run, no reflector.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
    /// use reflect_client::{AuthoredReflection, Outcome};
    ///
    /// let reflection = AuthoredReflection { guidance: Some("Look the order up first.".into()), ..Default::default() };
    /// client.create_memory("Refund an order", Outcome::Pass, reflection).await?;
    /// # Ok(()) }
    /// ```
    pub fn create_memory(
        &self,
        task: impl Into<String>,
        result: impl IntoOutcome,
        reflection: ReflectionRequest,
    ) -> CreateTrace {
        self.create_trace(task, Trajectory::empty()).result(result).reflection(reflection)
    }
}

impl CreateTrace {
    /// The agent's answer; when unset, the words of the last message of the assistant.
    pub fn final_response(mut self, final_response: impl Into<String>) -> Self {
        self.final_response = Some(final_response.into());
        self
    }

    /// The memories that were in the prompt, so that they are credited.
    pub fn memories(mut self, augmented: &AugmentedTask) -> Self {
        self.retrieved_memory_ids = augmented.memory_ids();
        self.retrieval_id = augmented.retrieval_id;
        self
    }

    /// The ids of the memories that were in the prompt.
    pub fn retrieved_memory_ids<I: ToString>(mut self, ids: impl IntoIterator<Item = I>) -> Self {
        self.retrieved_memory_ids = ids.into_iter().map(|id| id.to_string()).collect();
        self
    }

    /// The query whose answer the run was shown.
    pub fn retrieval_id(mut self, retrieval_id: Uuid) -> Self {
        self.retrieval_id = Some(retrieval_id);
        self
    }

    /// The model that ran.
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// Anything else about the run; queries can filter by it.
    pub fn metadata(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.metadata.insert(key.into(), value.into());
        self
    }

    /// A policy, schema or gold answer for the reflector to read.
    pub fn reference_context(mut self, reference_context: impl Into<String>) -> Self {
        self.reference_context = Some(reference_context.into());
        self
    }

    /// How the run went: an [`Outcome`], or one of `pass`, `success`, `fail`, `failure`. Without it the review is left for later.
    pub fn result(mut self, result: impl IntoOutcome) -> Self {
        match result.into_outcome() {
            Ok(outcome) => self.review().result = Some(outcome),
            Err(error) => self.problem = Some(error.to_string()),
        }
        self
    }

    /// The run passed.
    pub fn passed(self) -> Self {
        self.result(Outcome::Pass)
    }

    /// The run failed, and what was wrong.
    pub fn failed(self, feedback: impl Into<String>) -> Self {
        self.result(Outcome::Fail).feedback(feedback)
    }

    /// The reviewer's words. Counts only together with a result.
    pub fn feedback(mut self, feedback: impl Into<String>) -> Self {
        self.review().feedback_text = Some(feedback.into());
        self
    }

    /// The step size for the memories that the run was shown.
    pub fn alpha(mut self, alpha: f64) -> Self {
        self.review().alpha = Some(alpha);
        self
    }

    /// The lesson, written by you; no reflector is asked then.
    pub fn reflection(mut self, reflection: ReflectionRequest) -> Self {
        self.review().reflection = Some(reflection);
        self
    }

    /// A name for this request, so that sending it twice stores it once. Calls get one of their own; yours is for a retry
    /// across restarts of your program.
    pub fn idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.idempotency_key = Some(key.into());
        self
    }

    /// Waits, once sent, until the lesson is written.
    pub fn and_wait(self) -> CreateAndWait {
        CreateAndWait::new(self)
    }

    fn review(&mut self) -> &mut ReviewRequest {
        self.review.get_or_insert_with(ReviewRequest::default)
    }

    pub(super) fn is_reviewed(&self) -> bool {
        self.review.as_ref().is_some_and(|review| review.result.is_some())
    }

    pub(super) async fn send(self) -> Result<SubmissionAnswer> {
        if let Some(problem) = self.problem {
            return Err(crate::Error::Settings(problem));
        }
        if self.review.as_ref().is_some_and(|review| review.reflection.is_some() && review.result.is_none()) {
            let problem = "a lesson needs a result; say with `passed`, `failed` or `result` how the run went";
            return Err(crate::Error::Settings(problem.into()));
        }
        if self.retrieved_memory_ids.is_empty() && self.trajectory.shows_memories() {
            tracing::warn!(
                task = %self.task,
                "the trajectory shows memories, and the trace names none: nothing is learned about them; hand their ids over \
                 with `memories` or `retrieved_memory_ids`"
            );
        }
        let request = CreateTraceRequest {
            task: self.task,
            trajectory: self.trajectory.into_raw(),
            final_response: self.final_response,
            retrieved_memory_ids: Some(self.retrieved_memory_ids),
            model: self.model,
            metadata: Some(RawJson::from_value(&self.metadata)),
            reference_context: self.reference_context,
            retrieval_id: self.retrieval_id,
            // Feedback or a step size without a result is no review.
            review: self.review.filter(|review| review.result.is_some()),
        };
        self.client.world.create_trace(&self.client.project_id, request, self.idempotency_key).await
    }
}

impl IntoFuture for CreateTrace {
    type Output = Result<SubmissionAnswer>;
    type IntoFuture = Sending<SubmissionAnswer>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}
