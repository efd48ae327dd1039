//! Connections: taken up to a limit, given up when their clients dawdle, ended in time when the server ends.
//!
//! One rule serves all: whoever waits for its client may be asked to leave, whoever is being answered never is. So clients that
//! send slowly, read slowly or say nothing at all cannot use up the places of those who do.

mod answer;
mod connection;
mod heads;
mod registry;
mod stream;

use std::{convert::Infallible, io, net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Router,
    body::Body,
    extract::{ConnectInfo, Request},
};
use hyper::{
    body::{Body as HttpBody, Incoming},
    server::conn::http1::{self, Builder},
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinSet,
    time::{Instant, MissedTickBehavior},
};
use tower::ServiceExt;

pub(crate) use self::connection::{Admission, Connection, Phase};
use self::{
    answer::AnswerBody,
    heads::BodyLength,
    registry::{RESERVE, Registry},
    stream::Stream,
};
use crate::{App, routes::router, stopping::Stopping};

/// How large the head of a request may be.
const MAX_HEAD_BYTES: usize = 64 * 1024;

/// How much of a request is read ahead, and how many small pieces of an answer wait to be sent. Nobody else counts them.
const MAX_BUFFERED_BYTES: usize = 2 * MAX_HEAD_BYTES;

/// How long requests in flight may take once the end was asked for.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long a stop waits after that for changes whose clients have gone.
const PATIENCE_WITH_CHANGES: Duration = Duration::from_secs(2);

/// How often dawdlers are looked for.
const SWEEP: Duration = Duration::from_millis(250);

/// How many connections that were dismissed may not have ended yet.
const STRAGGLERS: usize = 16;

/// How long nothing is accepted after it failed.
const PAUSE: Duration = Duration::from_millis(50);

/// How often the log says that connections or descriptors have run out.
const REMINDER: Duration = Duration::from_secs(10);

/// How many connections there may be, and how long they may wait for their clients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectionSettings {
    /// How many there may be. Beyond that a few are taken for operators alone.
    pub most: usize,
    /// How long the head of a request may take.
    pub head_timeout: Duration,
    /// How long there may be nothing between two requests.
    pub idle_timeout: Duration,
    /// How long a client may take nothing of its answer.
    pub send_timeout: Duration,
}

impl Default for ConnectionSettings {
    fn default() -> Self {
        Self {
            most: 1_000,
            head_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(120),
            send_timeout: Duration::from_secs(30),
        }
    }
}

/// Serves until `stopping` says so; then takes nothing new, lets what is in flight finish for a few seconds, and drops the rest.
pub async fn serve(listener: TcpListener, app: App, settings: ConnectionSettings, mut stopping: watch::Receiver<bool>) {
    let app = App { stopping: Stopping(Some(stopping.clone())), ..app };
    let (byte_budget, changes) = (Arc::clone(&app.byte_budget), app.changes.clone());
    let mut acceptor = Acceptor {
        router: router(app),
        registry: Arc::new(Registry::new(settings.clone())),
        settings,
        stopping: stopping.clone(),
        tasks: JoinSet::new(),
        said_full: Reminder::default(),
        said_failed: Reminder::default(),
    };
    let mut sweep = tokio::time::interval(SWEEP);
    sweep.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            accepted = listener.accept(), if acceptor.has_room() => match accepted {
                Ok((socket, peer)) => acceptor.take(socket, peer),
                Err(error) => acceptor.failed(&error).await,
            },
            Some(_) = acceptor.tasks.join_next() => {}
            _ = sweep.tick() => acceptor.registry.dismiss_overdue(&byte_budget),
            () = asked_to_stop(&mut stopping) => break,
        }
    }
    drop(listener);
    let finish = async { while acceptor.tasks.join_next().await.is_some() {} };
    let are_finished = tokio::time::timeout(PATIENCE, finish).await.is_ok();
    drop(acceptor);
    let are_stored = tokio::time::timeout(PATIENCE_WITH_CHANGES, changes.finish()).await.is_ok();
    if !(are_finished && are_stored) {
        tracing::warn!("some requests did not finish in time");
    }
}

/// Takes connections.
struct Acceptor {
    router: Router,
    registry: Arc<Registry>,
    settings: ConnectionSettings,
    stopping: watch::Receiver<bool>,
    tasks: JoinSet<()>,
    said_full: Reminder,
    said_failed: Reminder,
}

impl Acceptor {
    /// Whether those who were dismissed have gone, but for a few: each holds a descriptor until then.
    fn has_room(&self) -> bool {
        self.tasks.len() < self.settings.most + RESERVE + STRAGGLERS
    }

    fn take(&mut self, socket: TcpStream, peer: SocketAddr) {
        let connection = self.registry.admit(peer);
        if connection.as_ref().is_none_or(|connection| connection.admission == Admission::Reserve)
            && self.said_full.is_due()
        {
            let most = self.settings.most;
            tracing::warn!(most, "all connections are taken: new ones are answered with 503; see `max_connections`");
        }
        let Some(connection) = connection else { return };
        connection.set_local(socket.local_addr().is_ok_and(|local| local.ip().to_canonical().is_loopback()));
        // Small answers go out at once rather than waiting for more to send.
        if let Err(error) = socket.set_nodelay(true) {
            tracing::debug!(%error, "a connection keeps Nagle's algorithm");
        }
        let registry = Arc::clone(&self.registry);
        let serving = converse(Arc::clone(&connection), socket, self.router.clone(), self.stopping.clone());
        self.tasks.spawn(async move {
            serving.await;
            registry.remove(&connection);
        });
    }

    /// Nothing could be accepted: mostly for want of descriptors. Who has waited longest for its client gives its own back.
    async fn failed(&mut self, error: &io::Error) {
        use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
        if matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset) {
            return;
        }
        if self.said_failed.is_due() {
            let advice = "out of file descriptors? Raise `ulimit -n`, or lower `max_connections`";
            tracing::error!(%error, "no connection can be accepted; {advice}");
        }
        self.registry.make_room();
        tokio::time::sleep(PAUSE).await;
    }
}

async fn asked_to_stop(stopping: &mut watch::Receiver<bool>) {
    // Fails only if nobody can ask for the end any more.
    let _ = stopping.wait_for(|stop| *stop).await;
}

/// Answers the requests of a connection until it ends, is dismissed, or the server ends.
async fn converse(connection: Arc<Connection>, socket: TcpStream, router: Router, mut stopping: watch::Receiver<bool>) {
    let stream = TokioIo::new(Stream::new(socket, Arc::clone(&connection)));
    let service = service_fn(|request| answer(&connection, &router, request));
    let conversation = http().serve_connection(stream, service);
    let mut conversation = std::pin::pin!(conversation);
    let ended = tokio::select! {
        ended = conversation.as_mut() => Some(ended),
        () = connection.dismissed() => return,
        () = asked_to_stop(&mut stopping) => None,
    };
    let ended = match ended {
        Some(ended) => ended,
        None => {
            conversation.as_mut().graceful_shutdown();
            tokio::select! {
                ended = conversation => ended,
                () = connection.dismissed() => return,
            }
        }
    };
    if let Err(error) = ended {
        tracing::trace!(%error, "a connection broke");
    }
}

fn http() -> Builder {
    let mut http = http1::Builder::new();
    // Heads have a timeout of ours, which tells them from silence between requests.
    http.max_header_size(MAX_HEAD_BYTES).max_buf_size(MAX_BUFFERED_BYTES).header_read_timeout(None);
    http
}

fn answer(
    connection: &Arc<Connection>,
    router: &Router,
    request: Request<Incoming>,
) -> impl Future<Output = Result<axum::http::Response<AnswerBody>, Infallible>> + Send + use<> {
    let length = match request.body().is_end_stream() {
        true => BodyLength::Known(0),
        false => request.body().size_hint().exact().map_or(BodyLength::Chunked, BodyLength::Known),
    };
    let in_request = connection.start_request(length);
    let mut request = request.map(Body::new);
    request.extensions_mut().insert(ConnectInfo(connection.peer));
    request.extensions_mut().insert(Arc::clone(connection));
    let answering = router.clone().oneshot(request);
    async move { Ok(answering.await?.map(|body| AnswerBody::new(body, in_request))) }
}

/// Lets one message through, and then none for a while.
#[derive(Default)]
pub(crate) struct Reminder {
    last: Option<Instant>,
}

impl Reminder {
    pub(crate) fn is_due(&mut self) -> bool {
        let is_due = self.last.is_none_or(|last| last.elapsed() >= REMINDER);
        if is_due {
            self.last = Some(Instant::now());
        }
        is_due
    }
}
