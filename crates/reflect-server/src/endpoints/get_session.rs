//! `GET /v1/session`: who am I.

use axum::{Json, extract::State};
use reflect_api::SessionAnswer;

use crate::{App, auth::Authenticated, openapi::Refusals};

/// Says which project the key opens, what it may do there, and until when.
#[utoipa::path(
    get,
    path = "/v1/session",
    tag = "sessions",
    responses((status = 200, body = SessionAnswer), Refusals)
)]
pub(crate) async fn get_session(State(app): State<App>, Authenticated(caller): Authenticated) -> Json<SessionAnswer> {
    Json(app.service.session(&caller))
}
