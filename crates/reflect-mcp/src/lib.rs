//! The Model Context Protocol (MCP) over the service: an agent's editor or program calls lessons as tools.
//!
//! [`answer`] takes one request of the protocol's streamable HTTP transport and gives its response. No session is kept between two
//! requests: whatever a client has agreed on it says again each time, so a server that was restarted goes on where it was, and a
//! client that goes away leaves nothing behind. Which versions of the protocol there are is rmcp's business.
//!
//! What this crate does not do: it knows no keys, no sockets and no limits. Who asks has been recognised before, and the body has been
//! read within its bounds. To add a tool, give it a file in `tools/` and a line in the table there.

mod handler;
mod resources;
mod tools;

use std::{convert::Infallible, sync::Arc};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{Full, combinators::BoxBody};
use reflect_core::ProjectId;
use reflect_engine::{Caller, IdempotencyKey};
use reflect_service::{Asker, Service};
use rmcp::transport::{
    StreamableHttpServerConfig, StreamableHttpService, streamable_http_server::session::never::NeverSessionManager,
};
use tracing::Span;

use handler::Handler;

/// A skill for agents: when to retrieve, what to report, how to write a good lesson.
pub const AGENT_SKILL: &str = include_str!("agent_skill.md");

/// Who asks in which project, and who answers.
#[derive(Clone)]
pub struct Asked {
    /// What answers.
    pub service: Service,
    /// Whose key it is.
    pub caller: Caller,
    /// The project that all tools work in.
    pub project_id: ProjectId,
    /// What makes this request one and the same, if the client says so.
    pub idempotency: Option<IdempotencyKey>,
}

impl Asked {
    pub(crate) fn asker(&self) -> Asker<'_> {
        Asker { caller: &self.caller, project_id: &self.project_id }
    }
}

/// Answers a request: with a message of the protocol as JSON, with 202 where it wants no answer, or with a status and a plain text where
/// it is none of the protocol's. What it does for the request is logged under the span it is called in.
pub async fn answer(asked: Asked, request: Request<Bytes>) -> Response<BoxBody<Bytes, Infallible>> {
    // Names of hosts and sizes of bodies were looked at before.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .disable_allowed_hosts()
        .with_max_request_body_bytes(usize::MAX);
    let handler = Handler { asked, span: Span::current() };
    let sessions = Arc::new(NeverSessionManager::default());
    StreamableHttpService::new(move || Ok(handler.clone()), sessions, config).handle(request.map(Full::new)).await
}
