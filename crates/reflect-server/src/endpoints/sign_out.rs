//! `DELETE /v1/session`: signing out.

use axum::{extract::State, http::StatusCode};

use crate::{App, auth::Authenticated, error::ApiResult, openapi::Refusals};

/// Ends the session of the console that the request is made with.
#[utoipa::path(
    delete,
    path = "/v1/session",
    tag = "sessions",
    responses((status = 204, description = "It opens nothing any more"), Refusals)
)]
pub(crate) async fn sign_out(State(app): State<App>, Authenticated(caller): Authenticated) -> ApiResult<StatusCode> {
    let changes = app.changes.clone();
    changes.make(async move { app.service.sign_out(&caller).await }).await??;
    Ok(StatusCode::NO_CONTENT)
}
