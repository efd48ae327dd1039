//! `GET /ready`: able to work.

use axum::{Json, extract::State, http::StatusCode};
use reflect_api::{ProblemAnswer, ReadyAnswer};
use reflect_engine::StoreState;

use crate::App;

/// Says whether the store can be read and written, the worker runs and the embedder makes vectors; which embedder and reflector are
/// active; and what is wrong. Answers 200 where requests are served, also while something else stands in for what fails. Needs no key.
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
    let ready = worker && readiness.problems.iter().all(|problem| !problem.is_fatal);
    let status = match (ready, readiness.problems.is_empty()) {
        (true, true) => "ready",
        (true, false) => "degraded",
        (false, _) => "not_ready",
    };
    let problems = readiness.problems.into_iter().map(|problem| ProblemAnswer {
        part: problem.part.to_owned(),
        problem: problem.problem,
        since: problem.since,
    });
    let answer = ReadyAnswer {
        status: status.to_owned(),
        store: store_word(readiness.store).to_owned(),
        worker: if worker { "running" } else { "stopped" }.to_owned(),
        embedder: readiness.embedder,
        reflector: readiness.reflector,
        problems: problems.collect(),
    };
    (if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE }, Json(answer))
}

const fn store_word(state: StoreState) -> &'static str {
    match state {
        StoreState::Open => "open",
        StoreState::Full => "full",
        StoreState::ReadOnly => "read_only",
        StoreState::Unavailable => "unavailable",
    }
}
