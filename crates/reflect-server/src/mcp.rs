//! `POST /mcp`: the Model Context Protocol over streamable HTTP.
//!
//! It is no endpoint of the API and so not in its description. Key, limits and bounds are those of every other request.

use axum::{
    body::Body,
    extract::{FromRequestParts, Request, State},
    http::{HeaderMap, StatusCode, header},
    response::Response,
};
use http_body_util::BodyExt;
use reflect_api::{ErrorCode, parsed_bytes};
use reflect_core::ProjectId;
use reflect_engine::Caller;
use reflect_mcp::Asked;

use crate::{
    App,
    auth::{Authenticated, refuse_ended},
    body::ReadBody,
    error::{ApiError, ApiResult},
    gate,
};

/// Answers a message of the protocol.
pub(crate) async fn mcp(State(app): State<App>, request: Request) -> ApiResult<Response> {
    let (mut parts, body) = request.into_parts();
    gate::check_origin(&app, &parts.headers)?;
    let Authenticated(caller) = Authenticated::from_request_parts(&mut parts, &app).await?;
    let project_id = project_id(&parts.headers, &caller)?;
    let mut body = ReadBody::read(&parts, body, &app, app.service.limits.body_bytes).await?;
    refuse_ended(&app, &parts).await?;
    let parsed = parsed_bytes(body.text(&app)?.as_bytes());
    body.permit.add(app.byte_budget.take_for_values(parsed).await?);
    let asked = Asked { service: app.service.clone(), caller, project_id, idempotency: body.idempotency };
    let response = reflect_mcp::answer(asked, Request::from_parts(parts, body.bytes)).await;
    drop(body.permit);
    refuse_plainly(response.map(Body::new)).await
}

/// The project that was named, or the one that the key is bound to.
fn project_id(headers: &HeaderMap, caller: &Caller) -> ApiResult<ProjectId> {
    let refuse = |message: String| ApiError::new(ErrorCode::InvalidRequest, message).with_path("X-Project-Id");
    match (headers.get("x-project-id"), caller.bound_to()) {
        (Some(name), _) => {
            let name = std::str::from_utf8(name.as_bytes()).unwrap_or_default().to_owned();
            name.try_into().map_err(|error: reflect_core::ids::ProjectIdError| refuse(error.to_string()))
        }
        (None, Some(bound)) => Ok(bound.clone()),
        (None, None) => Err(refuse("name the project in the header `X-Project-Id`: this key opens all of them".into())),
    }
}

/// What is no message of the protocol is refused in the words of the protocol's implementation, and in our envelope.
async fn refuse_plainly(response: Response) -> ApiResult<Response> {
    let status = response.status();
    let is_json = response.headers().get(header::CONTENT_TYPE).is_some_and(|media| media == "application/json");
    if !status.is_client_error() || is_json {
        return Ok(response);
    }
    let said = response.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    let code = match status {
        StatusCode::UNSUPPORTED_MEDIA_TYPE => ErrorCode::InvalidJson,
        _ => ErrorCode::BadRequest,
    };
    Err(ApiError::new(code, format!("this is no request of the Model Context Protocol: {said}")))
}
