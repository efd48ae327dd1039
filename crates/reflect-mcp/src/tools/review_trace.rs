//! `review_trace`: how a run went that was recorded before.

use reflect_api::ReviewRequest;
use reflect_core::TraceId;
use reflect_service::ServiceResult;
use rmcp::model::CallToolResult;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{AuthoredLesson, RunResult, parse_id};
use crate::Asked;

pub(super) const DESCRIPTION: &str = "Says how a run went that create_memory has recorded without a result, or corrects what was said. \
     The lessons that the run was shown gain or lose by it. Call it when the user, a test or a reviewer tells the outcome.";

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ReviewTrace {
    /// The id that create_memory gave.
    trace_id: String,
    /// How it went: `pass` or `fail`.
    result: RunResult,
    /// How well it went, from 0 to 1, where whoever judged it can say more than pass or fail.
    score: Option<f64>,
    /// Why, in the words of whoever judged it.
    feedback_text: Option<String>,
    /// Whether this corrects an earlier review of the run, which is refused otherwise.
    supersedes: Option<bool>,
    #[serde(flatten)]
    lesson: AuthoredLesson,
}

pub(super) async fn call(asked: &Asked, arguments: ReviewTrace) -> ServiceResult<CallToolResult> {
    let trace_id: TraceId = parse_id("trace_id", &arguments.trace_id, "create_memory")?;
    let request = ReviewRequest {
        result: Some(arguments.result.into()),
        score: arguments.score,
        feedback_text: arguments.feedback_text,
        reflection: arguments.lesson.into_request(),
        supersedes: arguments.supersedes,
        ..ReviewRequest::default()
    };
    let trace = asked.service.review_trace(asked.asker(), trace_id, request, asked.idempotency.clone()).await?;
    Ok(CallToolResult::structured(json!({
        "trace_id": trace.id,
        "review_status": trace.review_status,
        "ingest_status": trace.ingest_status,
        "created_memory_id": trace.created_memory_id,
        "last_ingest_error": trace.last_ingest_error,
    })))
}
