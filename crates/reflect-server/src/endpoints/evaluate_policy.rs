//! `POST /v1/projects/{project_id}/policies/evaluate`: what another configuration would have done.

use axum::Json;
use reflect_api::{EvaluatePolicyRequest, EvaluationAnswer};

use crate::{body::JsonBody, error::ApiResult, openapi::Refusals, parameters::InProject};

/// Says what a configuration would have done, by the runs that were shown what it shows, with an interval; or why the log cannot tell. It needs
/// configurations that were mixed at random (`mixture` in the settings), this one among them. It is never a guess.
#[utoipa::path(
    post,
    path = "/v1/projects/{project_id}/policies/evaluate",
    tag = "projects",
    params(InProject),
    request_body = EvaluatePolicyRequest,
    responses((status = 200, body = EvaluationAnswer), Refusals)
)]
pub(crate) async fn evaluate_policy(
    asked: InProject,
    body: JsonBody<EvaluatePolicyRequest>,
) -> ApiResult<Json<EvaluationAnswer>> {
    Ok(Json(asked.service.evaluate_policy(asked.asker(), body.value).await?))
}
