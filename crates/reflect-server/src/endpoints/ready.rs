//! `GET /ready`: able to work.

use axum::{
    Json,
    extract::{FromRequestParts, Request, State},
    http::StatusCode,
};
use reflect_api::{ProblemAnswer, ReadyAnswer};
use reflect_core::Kernel;
use reflect_engine::StoreState;

use crate::{App, auth::Authenticated};

/// Says whether the store can be read and written, the worker runs and the embedder makes vectors; which embedder and reflector are
/// active; and what is wrong. Answers 200 where requests are served, also while something else stands in for what fails. Needs no key; with
/// the master key it repeats what providers of models have said.
#[utoipa::path(
    get,
    path = "/ready",
    tag = "server",
    security((), ("api_key" = [])),
    responses((status = 200, body = ReadyAnswer), (status = 503, body = ReadyAnswer))
)]
pub(crate) async fn ready(State(app): State<App>, request: Request) -> (StatusCode, Json<ReadyAnswer>) {
    // A key that is not recognised asks as a stranger does.
    let caller = Authenticated::from_request_parts(&mut request.into_parts().0, &app).await;
    let is_operator = caller.is_ok_and(|Authenticated(caller)| caller.is_master());
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
        said: problem.said.filter(|_| is_operator),
        since: problem.since,
    });
    let answer = ReadyAnswer {
        status: status.to_owned(),
        store: store_word(readiness.store).to_owned(),
        worker: if worker { "running" } else { "stopped" }.to_owned(),
        embedder: readiness.embedder,
        reflector: readiness.reflector,
        kernel: Kernel::in_use().name().to_owned(),
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
