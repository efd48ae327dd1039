//! `GET /v1/projects/{project_id}/events`: what changes, as it changes.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{
    body::Body,
    extract::State,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures_util::{Stream, stream};
use reflect_api::{ChangedEvent, ErrorCode};
use reflect_core::ProjectId;
use reflect_engine::Watch;
use reflect_service::{Asker, changed_event};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, sleep, sleep_until},
};

use crate::{
    App,
    auth::KeyText,
    error::{ApiError, ApiResult},
    openapi::Refusals,
    parameters::InProject,
    stopping::Stopping,
};

/// How far apart two events are at least: many changes make one event.
const APART: Duration = Duration::from_millis(250);

/// How long nothing is sent at most, so that both ends notice when the other has gone.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// How many streams there are at most. Each holds one of the server's connections for as long as it likes.
const MOST_STREAMS: usize = 128;

/// The streams that may still begin.
pub(crate) fn stream_slots() -> Arc<Semaphore> {
    Arc::new(Semaphore::new(MOST_STREAMS))
}

/// Streams events of the kind `changed`, which say that traces, memories, settings or the queue of the project have changed, four a second
/// at most. A comment comes every 15 seconds. The stream ends when the key may no longer read the project, and when the server stops.
#[utoipa::path(
    get,
    path = "/v1/projects/{project_id}/events",
    tag = "projects",
    params(InProject),
    responses((status = 200, body = ChangedEvent, content_type = "text/event-stream"), Refusals)
)]
pub(crate) async fn events(State(app): State<App>, asked: InProject, KeyText(key): KeyText) -> ApiResult<Response> {
    let watch = asked.service.watch(asked.asker()).await?;
    let slot = Arc::clone(&app.streams).try_acquire_owned().map_err(|_| {
        let message = format!("{MOST_STREAMS} others are watching already; try again shortly, or ask now and then");
        ApiError::new(ErrorCode::Unavailable, message).retry_after(5)
    })?;
    let stopping = app.stopping.clone();
    let project_id = asked.asker().project_id.clone();
    let events = Events { app, key, project_id, watch, stopping, last: None, _slot: slot };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream")),
        // Proxies that collect answers would hold events back.
        (header::HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no")),
    ];
    Ok((headers, Body::from_stream(events.stream())).into_response())
}

/// One stream.
struct Events {
    app: App,
    key: String,
    project_id: ProjectId,
    watch: Watch,
    stopping: Stopping,
    /// When something was last sent; nothing was yet if `None`.
    last: Option<Instant>,
    _slot: OwnedSemaphorePermit,
}

impl Events {
    fn stream(self) -> impl Stream<Item = Result<Bytes, Infallible>> {
        stream::unfold(self, |mut events| async move {
            let bytes = events.next().await?;
            events.last = Some(Instant::now());
            Some((Ok(bytes), events))
        })
    }

    /// What is sent next; `None` at the end.
    async fn next(&mut self) -> Option<Bytes> {
        let Some(last) = self.last else {
            // At once, so that the client knows that it is heard.
            return Some(Bytes::from_static(b": watching\n\n"));
        };
        let changes = async {
            self.watch.wait().await;
            sleep_until(last + APART).await;
        };
        let has_changed = tokio::select! {
            () = changes => true,
            () = sleep(HEARTBEAT) => false,
            () = self.stopping.asked() => return None,
        };
        if !self.is_still_welcome().await {
            return None;
        }
        if !has_changed {
            return Some(Bytes::from_static(b": still here\n\n"));
        }
        let json = serde_json::to_string(&changed_event(self.watch.take())).unwrap_or_default();
        Some(Bytes::from(format!("event: changed\ndata: {json}\n\n")))
    }

    /// Whether the key would still be let in.
    async fn is_still_welcome(&self) -> bool {
        let engine = &self.app.service.engine;
        match engine.authenticate(&self.key).await {
            Ok(caller) => engine.may_watch(Asker { caller: &caller, project_id: &self.project_id }).is_ok(),
            Err(_) => false,
        }
    }
}
