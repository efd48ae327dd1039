//! What is refused before anything looks at what a request asks for.

use std::{net::IpAddr, sync::Arc};

use axum::{
    extract::Request,
    http::{HeaderMap, Uri, Version, header, uri::Authority},
};
use reflect_api::ErrorCode;

use crate::{
    App,
    connections::{Admission, Connection},
    error::{ApiError, ApiResult},
};

/// Paths that are answered even when all connections are taken.
const OPERATORS_PATHS: [&str; 3] = ["/health", "/ready", "/metrics"];

/// Whether a request is the last of its connection: it came over one that is kept for operators, since all others are taken, or
/// its head leaves doubts about where requests end.
pub(crate) fn is_last(request: &Request) -> bool {
    connection(request)
        .is_some_and(|connection| connection.admission == Admission::Reserve || !connection.is_head_good())
}

/// Refuses a request that is not even looked at. One that came over no connection passes.
pub(crate) fn check(app: &App, request: &Request) -> ApiResult<()> {
    let Some(connection) = connection(request) else { return Ok(()) };
    if connection.admission == Admission::Reserve && !OPERATORS_PATHS.contains(&request.uri().path()) {
        let message = "the server has as many connections as it may have; try again shortly";
        return Err(ApiError::new(ErrorCode::Unavailable, message).retry_after(1));
    }
    if !connection.is_head_good() {
        return Err(bad_request("the head of the request has a line that does not end with CRLF"));
    }
    let host = host(request)?;
    let names = [request.uri().authority().cloned(), host];
    match names.iter().flatten().find(|name| connection.is_local() && !is_allowed(app, name.host())) {
        None => Ok(()),
        Some(name) => Err(ApiError::new(
            ErrorCode::Forbidden,
            format!(
                "`Host` is `{}`; over loopback the server answers to `localhost`, to addresses, and to the names in `allowed_hosts`",
                name.host()
            ),
        )),
    }
}

/// Refuses a web page of another host, as the Model Context Protocol asks: a browser says where its request comes from, and a page that has
/// its own name lead to this machine cannot change that. Programs say nothing, and pass.
pub(crate) fn check_origin(app: &App, headers: &HeaderMap) -> ApiResult<()> {
    let Some(origin) = headers.get(header::ORIGIN) else { return Ok(()) };
    let origin = origin.to_str().unwrap_or_default();
    let host = origin.parse::<Uri>().ok().and_then(|uri| uri.host().map(bare_name));
    let is_loopback = |host: &str| host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    if host.is_some_and(|host| is_own_name(app, &host) || is_loopback(&host)) {
        return Ok(());
    }
    let message = format!("`Origin` is `{origin}`; pages of this machine may ask, and of the hosts in `allowed_hosts`");
    Err(ApiError::new(ErrorCode::Forbidden, message))
}

fn connection(request: &Request) -> Option<&Arc<Connection>> {
    request.extensions().get()
}

/// The name that the client calls the server by. HTTP/1.1 asks for exactly one.
fn host(request: &Request) -> ApiResult<Option<Authority>> {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let host = match (hosts.next(), hosts.next()) {
        (Some(host), None) => host,
        (None, _) if request.version() < Version::HTTP_11 => return Ok(None),
        (None, _) => return Err(bad_request("the header `Host` is missing")),
        (Some(_), Some(_)) => return Err(bad_request("the header `Host` is there twice")),
    };
    let host = host.to_str().ok().and_then(|host| host.parse().ok());
    host.map(Some).ok_or_else(|| bad_request("the header `Host` is no name and no address"))
}

fn bad_request(message: &str) -> ApiError {
    ApiError::new(ErrorCode::BadRequest, message)
}

/// A web page can have its own name lead to this machine, and so ask whatever listens here in its visitor's name. It cannot change
/// where `localhost` or an address leads.
fn is_allowed(app: &App, host: &str) -> bool {
    let name = bare_name(host);
    is_own_name(app, &name) || name.parse::<IpAddr>().is_ok()
}

/// A host in lower case, without a last dot, and without the brackets of an address.
fn bare_name(host: &str) -> String {
    host.trim_end_matches('.').trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase()
}

fn is_own_name(app: &App, name: &str) -> bool {
    let is_listed = || app.allowed_hosts.iter().any(|allowed| allowed.eq_ignore_ascii_case(name));
    name == "localhost" || name.ends_with(".localhost") || is_listed()
}
