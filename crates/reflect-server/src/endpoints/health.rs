//! `GET /health`: alive.

use axum::Json;
use reflect_api::HealthAnswer;

/// Says that the server is alive. Needs no key.
#[utoipa::path(get, path = "/health", tag = "server", security(()), responses((status = 200, body = HealthAnswer)))]
pub(crate) async fn health() -> Json<HealthAnswer> {
    Json(HealthAnswer { status: "ok".into(), version: env!("CARGO_PKG_VERSION").into() })
}
