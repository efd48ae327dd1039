//! `GET /v1/projects/{project_id}/retrievals/{retrieval_id}`.

use axum::Json;
use reflect_api::RetrievalAnswer;
use reflect_core::RetrievalId;

use crate::{error::ApiResult, openapi::Refusals, parameters::InProject};

/// Answers one logged query: what was asked, with which settings, and what was shown. The log keeps them for a while only.
#[utoipa::path(
    get,
    path = "/v1/projects/{project_id}/retrievals/{retrieval_id}",
    tag = "memories",
    params(InProject<RetrievalId>),
    responses((status = 200, body = RetrievalAnswer), Refusals)
)]
pub(crate) async fn get_retrieval(asked: InProject<RetrievalId>) -> ApiResult<Json<RetrievalAnswer>> {
    Ok(Json(asked.service.get_retrieval(asked.asker(), asked.id).await?))
}
