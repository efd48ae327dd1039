//! Recording a run.

use reflect_api::{CreateTraceRequest, ReflectionRequest, ReviewRequest, SubmissionAnswer};
use reflect_core::RawJson;
use uuid::Uuid;

use crate::{
    AugmentedTask, Error, IntoOutcome, ReflectClient, Result, TraceOutput, Trajectory, setters::setters, world::Named,
};

use super::CreateAndWait;

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
    pub(crate) output: TraceOutput,
    retrieved_memory_ids: Vec<String>,
    retrieval_id: Option<Uuid>,
    reflection: Option<ReflectionRequest>,
    idempotency_key: Option<String>,
}

impl ReflectClient {
    /// Records a run. With a review, its lesson is written in the background; [`CreateTrace::and_wait`] waits for it.
    pub fn create_trace(&self, task: impl Into<String>, trajectory: impl Into<Trajectory>) -> CreateTrace {
        self.trace_of(task, TraceOutput::new(trajectory))
    }

    pub(crate) fn trace_of(&self, task: impl Into<String>, output: TraceOutput) -> CreateTrace {
        CreateTrace {
            client: self.clone(),
            task: task.into(),
            output,
            retrieved_memory_ids: Vec::new(),
            retrieval_id: None,
            reflection: None,
            idempotency_key: None,
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

setters! { CreateTrace:
    /// The query whose answer the run was shown.
    retrieval_id(Uuid) => retrieval_id;
    /// The lesson, written by you; no reflector is asked then.
    reflection(ReflectionRequest) => reflection;
    /// A name for this request, so that sending it twice stores it once. Calls get one of their own; yours is for a retry
    /// across restarts of your program.
    idempotency_key(text) => idempotency_key;
}

impl CreateTrace {
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

    /// Waits, once sent, until the lesson is written.
    pub fn and_wait(self) -> CreateAndWait {
        CreateAndWait::new(self)
    }

    pub(super) async fn send(self) -> Result<SubmissionAnswer> {
        let output = self.output;
        let outcome = output.result.transpose().map_err(Error::Settings)?;
        if self.reflection.is_some() && outcome.is_none() {
            let problem = "a lesson needs a result; say with `passed`, `failed` or `result` how the run went";
            return Err(Error::Settings(problem.into()));
        }
        if self.retrieved_memory_ids.is_empty() && output.trajectory.shows_memories() {
            tracing::warn!(
                task = %self.task,
                "the trajectory shows memories, and the trace names none: nothing is learned about them; hand their ids over \
                 with `memories` or `retrieved_memory_ids`"
            );
        }
        // Feedback, a score or a step size without a result is no review.
        let review = outcome.map(|outcome| ReviewRequest {
            result: Some(outcome),
            feedback_text: output.feedback,
            score: output.score,
            alpha: output.alpha,
            reflection: self.reflection,
            ..ReviewRequest::default()
        });
        let request = CreateTraceRequest {
            task: self.task,
            trajectory: output.trajectory.into_raw(),
            final_response: output.final_response,
            retrieved_memory_ids: Some(self.retrieved_memory_ids),
            model: output.model,
            metadata: Some(RawJson::from_value(&output.metadata)),
            reference_context: output.reference_context,
            retrieval_id: self.retrieval_id,
            review,
        };
        self.client.world.create_trace(&self.client.project_id, Named { request, name: self.idempotency_key }).await
    }
}
