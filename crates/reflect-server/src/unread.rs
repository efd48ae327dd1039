//! What becomes of a request's body that nobody read to its end.
//!
//! A connection can take another request only behind the end of the last one's body. So what is small is read and thrown away;
//! for anything else the answer says that the connection ends with it, as a pool of connections needs to know.

use std::{
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
    time::{Duration, Instant},
};

use axum::{
    body::Body,
    extract::Request,
    http::{HeaderValue, header},
    response::Response,
};
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body as HttpBody, Frame, SizeHint};

use crate::connections::{Connection, Phase};

/// How much of an unread body is read, and how long that may take.
const SMALL_BYTES: u64 = 256 * 1024;
const PATIENCE: Duration = Duration::from_secs(5);

/// How slowly a body may come: so many bytes a second on average, once this much time is over.
const BYTES_A_SECOND: u64 = 8 * 1024;
const GRACE: Duration = Duration::from_secs(30);

/// Where an unread body is found once its request was answered.
pub(crate) struct Unread {
    left: Arc<Mutex<Option<Body>>>,
    connection: Option<Arc<Connection>>,
    /// The client waits to be told to send its body, so it need not be read.
    is_held_back: bool,
}

impl Unread {
    /// Watches over a request's body, if it has one.
    pub(crate) fn watch(request: &mut Request) -> Option<Self> {
        if request.body().is_end_stream() {
            return None;
        }
        let left = Arc::new(Mutex::new(None));
        let connection = request.extensions().get::<Arc<Connection>>().cloned();
        let is_held_back = request.headers().contains_key(header::EXPECT);
        let watched = Watched {
            body: Some(std::mem::take(request.body_mut())),
            left: Arc::clone(&left),
            connection: connection.clone(),
            started_at: Instant::now(),
            bytes: 0,
        };
        *request.body_mut() = Body::new(watched);
        Some(Self { left, connection, is_held_back })
    }

    /// Reads what nobody has read; where that is too much, the answer says that the connection ends.
    pub(crate) async fn settle(self, response: &mut Response) {
        let left = self.left.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(body) = left else { return };
        if !self.is_held_back && discard(body).await {
            return;
        }
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        if let Some(connection) = self.connection {
            connection.linger();
        }
    }
}

/// Reads a body to its end, if that is near.
async fn discard(mut body: Body) -> bool {
    if body.size_hint().lower() > SMALL_BYTES {
        return false;
    }
    let mut read = 0;
    let to_the_end = async {
        while let Some(frame) = body.frame().await {
            let Ok(frame) = frame else { return false };
            read += frame.data_ref().map_or(0, |data| data.len() as u64);
            if read > SMALL_BYTES {
                return false;
            }
        }
        true
    };
    tokio::time::timeout(PATIENCE, to_the_end).await.unwrap_or(false)
}

/// A body that, when it is dropped before its end, stays where [`Unread`] finds it.
struct Watched {
    body: Option<Body>,
    left: Arc<Mutex<Option<Body>>>,
    connection: Option<Arc<Connection>>,
    started_at: Instant,
    bytes: u64,
}

impl Watched {
    fn is_too_slow(&self) -> bool {
        let allowed = GRACE + Duration::from_secs(self.bytes / BYTES_A_SECOND);
        self.started_at.elapsed() > allowed
    }
}

impl HttpBody for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let Some(body) = &mut self.body else { return Poll::Ready(None) };
        let poll = Pin::new(body).poll_frame(cx);
        if let Some(connection) = &self.connection {
            connection.enter(if poll.is_pending() { Phase::Body } else { Phase::Working });
        }
        match &poll {
            Poll::Ready(Some(Ok(frame))) => {
                self.bytes += frame.data_ref().map_or(0, |data| data.len() as u64);
                if self.is_too_slow() {
                    return Poll::Ready(Some(Err(axum::Error::new("the body comes too slowly"))));
                }
            }
            Poll::Ready(None | Some(Err(_))) => self.body = None,
            Poll::Pending => {}
        }
        poll
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map(HttpBody::size_hint).unwrap_or_default()
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        if let Some(body) = self.body.take().filter(|body| !body.is_end_stream()) {
            *self.left.lock().unwrap_or_else(PoisonError::into_inner) = Some(body);
        }
    }
}
