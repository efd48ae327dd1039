//! `GET /v1/projects/{project_id}/lift`.

use axum::Json;
use reflect_api::{LiftAnswer, LiftRequest};

use crate::{
    error::ApiResult,
    openapi::Refusals,
    parameters::{InProject, QueryString},
};

/// Says whether memories help: the pass rate of tasks with memories against that of the share that did without at random (`holdout` in the
/// settings). The verdict may be looked at after every run; the interval of the difference holds for one look.
#[utoipa::path(
    get,
    path = "/v1/projects/{project_id}/lift",
    tag = "projects",
    params(InProject, LiftRequest),
    responses((status = 200, body = LiftAnswer), Refusals)
)]
pub(crate) async fn lift(
    asked: InProject,
    QueryString(request): QueryString<LiftRequest>,
) -> ApiResult<Json<LiftAnswer>> {
    Ok(Json(asked.service.lift(asked.asker(), &request).await?))
}
