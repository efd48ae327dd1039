//! The server behind a real socket, and clients that speak in bytes.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use reflect_server::{App, ConnectionSettings};
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpSocket, TcpStream},
    sync::watch,
    task::JoinSet,
};

use crate::test_app::{MASTER_KEY, TestApp};

/// How long anything may take that should be quick.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server that is listening. It ends when it is dropped.
pub(crate) struct Listening {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    tasks: JoinSet<()>,
}

impl Listening {
    pub(crate) async fn start(app: &TestApp, settings: ConnectionSettings) -> Self {
        Self::serve(App::new(Arc::clone(&app.engine), None, app.limits()), settings).await
    }

    pub(crate) async fn serve(app: App, settings: ConnectionSettings) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopping) = watch::channel(false);
        let mut tasks = JoinSet::new();
        tasks.spawn(reflect_server::serve(listener, app, settings, stopping));
        Self { address, stop, tasks }
    }

    /// Someone on this machine.
    pub(crate) async fn connect(&self) -> Raw {
        self.connect_from(1).await
    }

    /// Someone at another address: 127.0.0.`last`.
    pub(crate) async fn connect_from(&self, last: u8) -> Raw {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(SocketAddr::from((Ipv4Addr::new(127, 0, 0, last), 0))).unwrap();
        Raw { stream: socket.connect(self.address).await.unwrap(), read: Vec::new() }
    }

    /// Someone for whom the system takes only a few bytes ahead.
    pub(crate) async fn connect_with_small_buffer(&self) -> Raw {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(4_096).unwrap();
        Raw { stream: socket.connect(self.address).await.unwrap(), read: Vec::new() }
    }

    /// Asks the server to end, and waits until it has.
    pub(crate) async fn stopped(mut self) {
        self.stop.send(true).unwrap();
        self.tasks.join_next().await.unwrap().unwrap();
    }
}

/// A connection.
pub(crate) struct Raw {
    pub(crate) stream: TcpStream,
    read: Vec<u8>,
}

/// An answer as it came.
#[derive(Debug)]
pub(crate) struct RawAnswer {
    pub(crate) status: u16,
    /// In lower case.
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl RawAnswer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// Whether the connection is said to end.
    pub(crate) fn closes(&self) -> bool {
        self.head.contains("\r\nconnection: close\r\n")
    }

    #[track_caller]
    pub(crate) fn assert_status(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{} {}", self.head, String::from_utf8_lossy(&self.body));
        self
    }
}

impl Raw {
    pub(crate) async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).await.unwrap();
    }

    /// The next answer; `None` when the connection ends before it is whole.
    pub(crate) async fn answer(&mut self) -> Option<RawAnswer> {
        let answer = async {
            let head_end = loop {
                if let Some(at) = self.read.windows(4).position(|four| four == b"\r\n\r\n") {
                    break at + 4;
                }
                self.more().await?;
            };
            let head = String::from_utf8(self.read[..head_end].to_vec()).unwrap().to_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
            let length: usize = length.parse().unwrap();
            while self.read.len() < head_end + length {
                self.more().await?;
            }
            let body = self.read[head_end..head_end + length].to_vec();
            self.read.drain(..head_end + length);
            let status = head.split(' ').nth(1).unwrap().parse().unwrap();
            Some(RawAnswer { status, head, body })
        };
        tokio::time::timeout(PATIENCE, answer).await.unwrap()
    }

    /// Sends a request and reads its answer.
    pub(crate) async fn ask(&mut self, request: impl AsRef<[u8]>) -> RawAnswer {
        self.send(request).await;
        self.answer().await.unwrap()
    }

    /// Waits until the server has closed the connection.
    pub(crate) async fn closed(&mut self) {
        let end = async { while self.more().await.is_some() {} };
        tokio::time::timeout(PATIENCE, end).await.unwrap();
    }

    /// Waits until the server has closed the connection, without reading anything of it.
    pub(crate) async fn given_up(&mut self) {
        let end = async {
            while self.stream.write_all(b" ").await.is_ok() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(PATIENCE, end).await.unwrap();
    }

    /// How many bytes come until the connection ends.
    pub(crate) async fn rest(&mut self) -> usize {
        self.closed().await;
        self.read.len()
    }

    async fn more(&mut self) -> Option<()> {
        let mut piece = [0; 64 * 1024];
        let read = self.stream.read(&mut piece).await.unwrap_or(0);
        self.read.extend_from_slice(&piece[..read]);
        (read > 0).then_some(())
    }
}

/// A request with the master key and a body of JSON.
pub(crate) fn request(method: &str, path: &str, body: &str) -> String {
    request_with_key(MASTER_KEY, method, path, body)
}

pub(crate) fn request_with_key(key: &str, method: &str, path: &str, body: &str) -> String {
    format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// A request for the server's health.
pub(crate) const HEALTH: &str = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
