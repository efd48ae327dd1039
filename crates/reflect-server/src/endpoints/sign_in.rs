//! `POST /v1/sign-in`: a session of the console, for a one-time code or a key.

use axum::{
    Json,
    extract::{FromRequest, FromRequestParts, Request, State},
};
use reflect_api::{ErrorCode, SignInAnswer, SignInRequest};

use crate::{
    App,
    auth::{Authenticated, failed_attempt},
    body::SmallJsonBody,
    error::ApiResult,
    openapi::Refusals,
};

/// Begins a session of the console, which lasts eight hours. Takes a one-time code and no key, or a key in the header and no code. A
/// session may do what the key behind it may do, and ends with it at the latest.
#[utoipa::path(
    post,
    path = "/v1/sign-in",
    tag = "sessions",
    security((), ("api_key" = [])),
    request_body = SignInRequest,
    responses((status = 200, body = SignInAnswer), Refusals)
)]
pub(crate) async fn sign_in(State(app): State<App>, request: Request) -> ApiResult<Json<SignInAnswer>> {
    let (mut parts, body) = request.into_parts();
    let request = Request::from_parts(parts.clone(), body);
    let SmallJsonBody(wish) = SmallJsonBody::<SignInRequest>::from_request(request, &app).await?;
    let Some(code) = wish.code else {
        let Authenticated(caller) = Authenticated::from_request_parts(&mut parts, &app).await?;
        let service = app.service.clone();
        return Ok(Json(app.changes.make(async move { service.sign_in(&caller).await }).await??));
    };
    let service = app.service.clone();
    match app.changes.make(async move { service.sign_in_with_code(&code).await }).await? {
        Err(refusal) if refusal.code == ErrorCode::Unauthorized => {
            Err(failed_attempt(&app, &parts, SIGN_IN, refusal.into()))
        }
        answer => Ok(Json(answer?)),
    }
}

/// What failed attempts are counted under.
const SIGN_IN: &str = "rf_live_sign-in_";
