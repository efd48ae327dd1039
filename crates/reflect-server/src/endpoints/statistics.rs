//! `GET /v1/projects/{project_id}/statistics`.

use axum::Json;
use reflect_api::{StatisticsAnswer, StatisticsRequest};

use crate::{
    error::ApiResult,
    openapi::Refusals,
    parameters::{InProject, QueryString},
};

/// Says how the project stands: its traces by day and result, its queue, its memories by utility, the best and the worst of them. All
/// of it is counted, not estimated.
#[utoipa::path(
    get,
    path = "/v1/projects/{project_id}/statistics",
    tag = "projects",
    params(InProject, StatisticsRequest),
    responses((status = 200, body = StatisticsAnswer), Refusals)
)]
pub(crate) async fn statistics(
    asked: InProject,
    QueryString(request): QueryString<StatisticsRequest>,
) -> ApiResult<Json<StatisticsAnswer>> {
    Ok(Json(asked.service.statistics(asked.asker(), &request).await?))
}
