//! `GET /v1/projects/{project_id}/judge/report`.

use axum::Json;
use reflect_api::JudgeReportAnswer;

use crate::{error::ApiResult, openapi::Refusals, parameters::InProject};

/// Answers how the judge has done: how much it was asked about, and how often it agrees with the reviews of others.
#[utoipa::path(
    get,
    path = "/v1/projects/{project_id}/judge/report",
    tag = "judge",
    params(InProject),
    responses((status = 200, body = JudgeReportAnswer), Refusals)
)]
pub(crate) async fn judge_report(asked: InProject) -> ApiResult<Json<JudgeReportAnswer>> {
    Ok(Json(asked.service.judge_report(asked.asker()).await?))
}
