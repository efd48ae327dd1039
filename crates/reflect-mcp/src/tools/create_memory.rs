//! `create_memory`: how a run went, told by its messages or as a lesson.

use reflect_api::{CreateTraceRequest, ErrorCode, ReviewRequest};
use reflect_core::{IngestStatus, RawJson};
use reflect_service::{Refusal, ServiceResult};
use rmcp::model::{CallToolResult, JsonObject};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{AuthoredLesson, RunResult, parse_id};
use crate::Asked;

pub(super) const DESCRIPTION: &str = "Reports how a task went, so that it is remembered. Either write the lesson yourself (summary, \
     guidance, key_mistake, correct_action): it is stored at once. Or send the run (trajectory and final_response): a lesson is \
     written from it. Always pass memory_ids and retrieval_id from retrieve_memories, whether those lessons helped or not. Leave out \
     result if nobody can say yet how it went, and call review_trace when somebody can.";

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct CreateMemory {
    /// The task in one or two sentences, as a user would put it: it is what later tasks are compared with.
    task: String,
    /// How it went: `pass` or `fail`.
    result: Option<RunResult>,
    /// How well it went, from 0 to 1, where whoever judged it can say more than pass or fail.
    score: Option<f64>,
    /// The run: what was answered in the end.
    final_response: Option<String>,
    /// The run: its messages as LLM APIs have them, or a text that tells what was done.
    trajectory: Option<Trajectory>,
    /// Why it passed or failed, in the words of whoever judged it: the user, a test, a compiler.
    feedback_text: Option<String>,
    /// The ids of the memories that retrieve_memories has shown for this task.
    memory_ids: Option<Vec<String>>,
    /// The id of that retrieval.
    retrieval_id: Option<String>,
    /// The model that did the task.
    model: Option<String>,
    /// Anything else to find it by, such as a repository or a customer.
    metadata: Option<JsonObject>,
    #[serde(flatten)]
    lesson: AuthoredLesson,
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
enum Trajectory {
    Messages(Vec<JsonObject>),
    Text(String),
}

pub(super) async fn call(asked: &Asked, arguments: CreateMemory) -> ServiceResult<CallToolResult> {
    let request = request(arguments)?;
    let stored = asked.service.create_trace(asked.asker(), request, asked.idempotency.clone()).await?;
    let note = match stored.ingest_status {
        IngestStatus::Queued | IngestStatus::Processing => "stored; its lesson is being written",
        IngestStatus::Completed => "stored",
        IngestStatus::Failed => "stored, but no lesson could be written from it",
    };
    Ok(CallToolResult::structured(json!({
        "trace_id": stored.trace_id,
        "ingest_status": stored.ingest_status,
        "note": note,
        "warnings": stored.warnings,
    })))
}

fn request(arguments: CreateMemory) -> ServiceResult<CreateTraceRequest> {
    let refuse = |path: &str, message: &str| Err(Refusal::new(ErrorCode::InvalidRequest, message).with_path(path));
    let reflection = arguments.lesson.into_request();
    if reflection.is_none() && arguments.trajectory.is_none() && arguments.final_response.is_none() {
        return refuse(
            "trajectory",
            "nothing was told about the run; send `trajectory` and `final_response`, or a lesson (`guidance` and the like)",
        );
    }
    let review = match arguments.result {
        Some(result) => Some(ReviewRequest {
            result: Some(result.into()),
            score: arguments.score,
            feedback_text: arguments.feedback_text,
            reflection,
            ..ReviewRequest::default()
        }),
        None if reflection.is_some() => {
            return refuse("result", "a lesson needs a `result`: `pass` or `fail`");
        }
        None if arguments.score.is_some() => {
            return refuse("result", "a `score` goes with a `result`: `pass` or `fail`");
        }
        None => None,
    };
    let retrieval_id = arguments.retrieval_id.filter(|id| !id.trim().is_empty());
    let retrieval_id = retrieval_id.map(|id| parse_id("retrieval_id", &id, "retrieve_memories")).transpose()?;
    let trajectory = arguments.trajectory.unwrap_or(Trajectory::Messages(Vec::new()));
    Ok(CreateTraceRequest {
        task: arguments.task,
        trajectory: RawJson::from_value(&trajectory),
        final_response: arguments.final_response,
        retrieved_memory_ids: arguments.memory_ids,
        model: arguments.model,
        metadata: arguments.metadata.map(|metadata| RawJson::from_value(&metadata)),
        reference_context: None,
        retrieval_id,
        review,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn read(arguments: Value) -> ServiceResult<CreateTraceRequest> {
        request(serde_json::from_value(arguments).unwrap())
    }

    #[test]
    fn a_run_is_told_by_its_messages_or_by_a_text() {
        let messages = json!([{"role": "user", "content": "hi"}, {"role": "assistant", "content": null, "extra": 1}]);
        for (trajectory, expected) in [(messages.clone(), messages), (json!("did it"), json!("did it"))] {
            let made = read(json!({"task": "t", "trajectory": trajectory, "result": "success"})).unwrap();
            assert_eq!(made.trajectory.read::<Value>().unwrap(), expected);
            assert_eq!(made.review.unwrap().result, Some(reflect_core::Outcome::Pass));
        }
    }

    #[test]
    fn a_lesson_needs_no_run_but_a_result() {
        let made = read(json!({"task": "t", "guidance": "Look first.", "result": "fail"})).unwrap();
        assert_eq!(made.trajectory.as_str(), "[]");
        assert_eq!(made.review.unwrap().reflection.unwrap().guidance.as_deref(), Some("Look first."));
        assert_eq!(read(json!({"task": "t", "guidance": "x"})).unwrap_err().path.as_deref(), Some("result"));
    }

    #[test]
    fn a_score_goes_with_a_result() {
        let made = read(json!({"task": "t", "final_response": "done", "result": "pass", "score": 0.8})).unwrap();
        assert_eq!(made.review.unwrap().score, Some(0.8));
        let refused = read(json!({"task": "t", "final_response": "done", "score": 0.8})).unwrap_err();
        assert_eq!(refused.path.as_deref(), Some("result"));
    }

    #[test]
    fn a_run_without_a_result_waits_for_its_review() {
        assert!(read(json!({"task": "t", "final_response": "done"})).unwrap().review.is_none());
    }

    #[test]
    fn nothing_told_and_ids_of_nothing_are_refused() {
        assert_eq!(read(json!({"task": "t", "result": "pass"})).unwrap_err().path.as_deref(), Some("trajectory"));
        let wrong = read(json!({"task": "t", "final_response": "x", "retrieval_id": "7"})).unwrap_err();
        assert_eq!(wrong.path.as_deref(), Some("retrieval_id"));
    }
}
