//! `GET /ready`: able to work.

use axum::{Json, extract::State, http::StatusCode};
use reflect_api::ReadyAnswer;

use crate::App;

/// Says whether the store is open and the worker running, and which embedder and reflector are active. Needs no key.
#[utoipa::path(
    get,
    path = "/ready",
    tag = "server",
    security(()),
    responses((status = 200, body = ReadyAnswer), (status = 503, body = ReadyAnswer))
)]
pub(crate) async fn ready(State(app): State<App>) -> (StatusCode, Json<ReadyAnswer>) {
    let readiness = app.service.engine.readiness().await;
    let worker = app.background.as_ref().is_some_and(|background| background.is_running());
    let ready = readiness.store && worker;
    let name = |yes: bool, good: &str, bad: &str| if yes { good.to_owned() } else { bad.to_owned() };
    let answer = ReadyAnswer {
        status: name(ready, "ready", "not_ready"),
        store: name(readiness.store, "open", "unavailable"),
        worker: name(worker, "running", "stopped"),
        embedder: readiness.embedder,
        reflector: readiness.reflector,
    };
    (if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE }, Json(answer))
}
