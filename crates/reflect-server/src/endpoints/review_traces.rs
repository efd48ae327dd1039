//! `POST /v1/projects/{project_id}/traces/review`: many reviews in one request.

use axum::{Json, http::StatusCode};
use reflect_api::{BulkReviewAnswer, BulkReviewRequest};

use crate::{
    body::JsonBody, error::ApiResult, openapi::Refusals, parameters::IdempotencyHeader, parameters::InProject,
};

/// Reviews up to 500 traces, each by itself and in this order: one that is refused takes no other along. The memories that
/// the runs were shown have moved when this answers, and lessons that came along are stored; the others are written in the
/// background.
#[utoipa::path(
    post,
    path = "/v1/projects/{project_id}/traces/review",
    tag = "traces",
    params(InProject, IdempotencyHeader),
    request_body = BulkReviewRequest,
    responses((status = 202, body = BulkReviewAnswer), Refusals)
)]
pub(crate) async fn review_traces(
    asked: InProject,
    body: JsonBody<BulkReviewRequest>,
) -> ApiResult<(StatusCode, Json<BulkReviewAnswer>)> {
    let answer = asked.service.review_traces(asked.asker(), body.value, body.idempotency).await?;
    Ok((StatusCode::ACCEPTED, Json(answer)))
}
