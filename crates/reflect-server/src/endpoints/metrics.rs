//! `GET /metrics`: what has happened since the start.

use axum::{
    extract::{FromRequestParts, Request, State},
    http::{HeaderName, header},
};
use reflect_api::ErrorCode;

use crate::{
    App, MetricsAccess,
    auth::Authenticated,
    envelope,
    error::{ApiError, ApiResult},
    openapi::Refusals,
};

const PROMETHEUS_TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Answers counters and gauges as Prometheus reads them. Needs no key, unless the operator says that it needs the master
/// key; 404 where it is switched off.
#[utoipa::path(
    get,
    path = "/metrics",
    tag = "server",
    security((), ("api_key" = [])),
    responses((status = 200, body = String, content_type = "text/plain"), Refusals)
)]
pub(crate) async fn metrics(
    State(app): State<App>,
    request: Request,
) -> ApiResult<([(HeaderName, &'static str); 1], String)> {
    match app.metrics_access {
        MetricsAccess::Off => return Err(envelope::no_such_path().await),
        MetricsAccess::Open => {}
        MetricsAccess::MasterKey => {
            let Authenticated(caller) = Authenticated::from_request_parts(&mut request.into_parts().0, &app).await?;
            if !caller.is_master() {
                return Err(ApiError::new(ErrorCode::Forbidden, "only the master key opens `/metrics` here"));
            }
        }
    }
    Ok(([(header::CONTENT_TYPE, PROMETHEUS_TEXT)], app.service.engine.render_metrics().await?))
}
