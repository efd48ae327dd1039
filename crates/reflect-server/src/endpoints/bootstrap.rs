//! `POST /v1/bootstrap`: a project and its first key, for whoever has the token.

use std::net::SocketAddr;

use axum::{
    Extension, Json,
    extract::{ConnectInfo, State},
    http::HeaderMap,
};
use reflect_api::{BootstrapAnswer, BootstrapRequest, ErrorCode};

use crate::{App, auth::refuse_guessers, body::JsonBody, error::ApiResult, openapi::Refusals};

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
    peer: Option<Extension<ConnectInfo<SocketAddr>>>,
    headers: HeaderMap,
    body: JsonBody<BootstrapRequest>,
) -> ApiResult<Json<BootstrapAnswer>> {
    let address = peer.map(|Extension(ConnectInfo(peer))| peer.ip());
    refuse_guessers(&app, address, BOOTSTRAP)?;
    let token = headers.get("x-bootstrap-token").and_then(|token| token.to_str().ok()).unwrap_or_default();
    let made = app.service.bootstrap(token, body.value).await;
    if made.as_ref().is_err_and(|refusal| refusal.code == ErrorCode::Unauthorized) {
        app.throttle.note_failure(address, BOOTSTRAP);
        app.service.engine.audit_failure(BOOTSTRAP, address, "the bootstrap token is wrong");
    }
    Ok(Json(made?))
}

/// What failed attempts are counted under.
const BOOTSTRAP: &str = "rf_live_bootstrap_";
