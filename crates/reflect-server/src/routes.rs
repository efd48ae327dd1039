//! Which path leads to which endpoint.

use std::time::Duration;

use axum::{
    Router, middleware,
    routing::{get, post},
};
use tower_http::{catch_panic::CatchPanicLayer, timeout::RequestBodyTimeoutLayer};
use utoipa::OpenApi;
use utoipa_axum::{router::OpenApiRouter, routes};
use utoipa_swagger_ui::SwaggerUi;

use crate::{
    App, console,
    endpoints::{
        bootstrap, create_key, create_skill, create_trace, delete_memory, delete_project, delete_traces, edit_memory,
        evaluate_policy, events, get_memory, get_retrieval, get_session, get_settings, get_skill, get_skill_version,
        get_trace, health, judge_report, lift, list_credits, list_keys, list_memories, list_memory_revisions,
        list_projects, list_skill_versions, list_traces, memory_map, metrics, query_memories, ready, retry_trace,
        review_trace, review_traces, revoke_key, setting_choices, sign_in, sign_out, statistics, take_back_review,
        update_settings,
    },
    envelope, mcp,
    openapi::Description,
};

/// How long a client may fall silent in the middle of a body before it is given up.
const BODY_SILENCE: Duration = Duration::from_secs(30);

/// Every endpoint with its description.
pub(crate) fn described() -> OpenApiRouter<App> {
    OpenApiRouter::with_openapi(Description::openapi())
        .routes(routes!(health::health))
        .routes(routes!(ready::ready))
        .routes(routes!(metrics::metrics))
        .routes(routes!(bootstrap::bootstrap))
        .routes(routes!(sign_in::sign_in))
        .routes(routes!(get_session::get_session, sign_out::sign_out))
        .routes(routes!(list_projects::list_projects))
        .routes(routes!(delete_project::delete_project))
        .routes(routes!(get_settings::get_settings, update_settings::update_settings))
        .routes(routes!(setting_choices::setting_choices))
        .routes(routes!(statistics::statistics))
        .routes(routes!(lift::lift))
        .routes(routes!(evaluate_policy::evaluate_policy))
        .routes(routes!(events::events))
        .routes(routes!(query_memories::query_memories))
        .routes(routes!(get_retrieval::get_retrieval))
        .routes(routes!(list_traces::list_traces, create_trace::create_trace))
        .routes(routes!(delete_traces::delete_traces))
        .routes(routes!(review_traces::review_traces))
        .routes(routes!(get_trace::get_trace))
        .routes(routes!(review_trace::review_trace, take_back_review::take_back_review))
        .routes(routes!(retry_trace::retry_trace))
        .routes(routes!(list_memories::list_memories))
        .routes(routes!(get_memory::get_memory, edit_memory::edit_memory, delete_memory::delete_memory))
        .routes(routes!(memory_map::memory_map))
        .routes(routes!(list_credits::list_credits))
        .routes(routes!(list_memory_revisions::list_memory_revisions))
        .routes(routes!(get_skill::get_skill))
        .routes(routes!(create_skill::create_skill))
        .routes(routes!(list_skill_versions::list_skill_versions))
        .routes(routes!(get_skill_version::get_skill_version))
        .routes(routes!(judge_report::judge_report))
        .routes(routes!(list_keys::list_keys, create_key::create_key))
        .routes(routes!(revoke_key::revoke_key))
}

/// The whole server, as a service that any listener or test can call.
pub fn router(app: App) -> Router {
    let (routes, openapi) = described().split_for_parts();
    routes
        .merge(SwaggerUi::new("/docs").url("/openapi.json", openapi))
        .route("/mcp", post(mcp::mcp))
        .route("/", get(console::page))
        .route("/sign-in", get(console::page))
        .route("/p/{*view}", get(console::page))
        .route("/assets/{*name}", get(console::asset))
        .fallback(envelope::no_such_path)
        .layer(RequestBodyTimeoutLayer::new(BODY_SILENCE))
        .layer(CatchPanicLayer::custom(envelope::panicked))
        .layer(middleware::from_fn_with_state(app.clone(), envelope::wrap))
        .with_state(app)
}
