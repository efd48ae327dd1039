//! `GET /v1/projects/{project_id}/judge/report`.

use axum::{Json, extract::State};
use reflect_api::JudgeReportAnswer;

use crate::{App, auth::Authenticated, error::ApiResult, openapi::Refusals, parameters::ProjectPath};

/// Answers how the judge has done: how much it was asked about, and how often it agrees with the reviews of others.
#[utoipa::path(
    get,
    path = "/v1/projects/{project_id}/judge/report",
    tag = "judge",
    params(ProjectPath),
    responses((status = 200, body = JudgeReportAnswer), Refusals)
)]
pub(crate) async fn judge_report(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    project: ProjectPath,
) -> ApiResult<Json<JudgeReportAnswer>> {
    Ok(Json(app.service.judge_report(project.asked_by(&caller)).await?))
}
