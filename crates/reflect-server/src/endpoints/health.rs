//! `GET /health`: alive.

use axum::{Json, extract::State};
use reflect_api::HealthAnswer;

use crate::App;

/// Says that the server is alive. Needs no key.
#[utoipa::path(get, path = "/health", tag = "server", security(()), responses((status = 200, body = HealthAnswer)))]
pub(crate) async fn health(State(app): State<App>) -> Json<HealthAnswer> {
    Json(app.service.health())
}
