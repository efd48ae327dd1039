//! `POST /v1/bootstrap`: a project and its first key, for whoever has the token.

use axum::{
    Json,
    extract::{FromRequestParts, State},
    http::request::Parts,
};
use reflect_api::{BootstrapAnswer, BootstrapRequest};
use reflect_engine::EngineError;

use crate::{
    App,
    auth::failed_attempt,
    body::SmallJsonBody,
    error::{ApiError, ApiResult},
    openapi::Refusals,
};

/// Makes a project and a key for it. Needs the bootstrap token instead of a key.
#[utoipa::path(
    post,
    path = "/v1/bootstrap",
    tag = "projects",
    security(()),
    params(("X-Bootstrap-Token" = String, Header, description = "The server's bootstrap token")),
    request_body = BootstrapRequest,
    responses((status = 200, body = BootstrapAnswer), Refusals)
)]
pub(crate) async fn bootstrap(
    State(app): State<App>,
    BootstrapToken(token): BootstrapToken,
    SmallJsonBody(wish): SmallJsonBody<BootstrapRequest>,
) -> ApiResult<Json<BootstrapAnswer>> {
    Ok(Json(app.service.bootstrap(&token, wish).await?))
}

/// The right token. Nothing is read of a body before it was seen.
pub(crate) struct BootstrapToken(String);

impl FromRequestParts<App> for BootstrapToken {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let token = parts.headers.get("x-bootstrap-token").and_then(|token| token.to_str().ok()).unwrap_or_default();
        match app.service.engine.check_bootstrap_token(token) {
            Ok(()) => Ok(Self(token.to_owned())),
            Err(EngineError::WrongBootstrapToken) => {
                Err(failed_attempt(app, parts, BOOTSTRAP, EngineError::WrongBootstrapToken.into()))
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// What failed attempts are counted under.
const BOOTSTRAP: &str = "rf_live_bootstrap_";
