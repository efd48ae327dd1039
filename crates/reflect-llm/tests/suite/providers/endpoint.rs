//! An HTTP server on loopback that answers what it is told to, byte for byte, and remembers what it was sent.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};

use reflect_core::{Clock, Timestamp};
use reflect_llm::{ChatModel, HttpClient, ProviderSettings, Secret, connect_with};
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

pub(crate) const KEY: &str = "sk-test-0123456789-very-private";

/// What to answer.
#[derive(Clone)]
pub(crate) enum Answer {
    /// A status, headers and a body.
    Full { status: u16, headers: Vec<(&'static str, String)>, body: String },
    /// These bytes of a streamed body, one chunk each, and then its proper end.
    Chunks(Vec<String>),
    /// The same, and then the connection is cut.
    CutChunks(Vec<String>),
    /// The same, and then nothing more.
    StalledChunks(Vec<String>),
    /// Half of a body whose length was announced, and then the connection is cut.
    CutBody(String),
    /// The connection is closed without a word.
    Closed,
    /// Nothing, for ever.
    Hang,
}

impl Answer {
    pub(crate) fn json(body: Value) -> Self {
        Self::status(200, body.to_string())
    }

    pub(crate) fn status(status: u16, body: impl Into<String>) -> Self {
        Self::Full { status, headers: Vec::new(), body: body.into() }
    }

    pub(crate) fn header(self, name: &'static str, value: impl Into<String>) -> Self {
        match self {
            Self::Full { status, mut headers, body } => {
                headers.push((name, value.into()));
                Self::Full { status, headers, body }
            }
            other => other,
        }
    }
}

/// What was received.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    /// Method and path.
    pub(crate) line: String,
    /// In lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Value,
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// The server. It stops when it is dropped.
pub(crate) struct Endpoint {
    address: String,
    received: Arc<Mutex<Vec<Received>>>,
    _tasks: JoinSet<()>,
}

impl Endpoint {
    /// Answers these, one for each request in order; the last one again and again.
    pub(crate) async fn answering(answers: impl IntoIterator<Item = Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let received = Arc::new(Mutex::new(Vec::new()));
        let answers = Arc::new(Mutex::new(answers.into_iter().collect::<VecDeque<_>>()));
        let mut tasks = JoinSet::new();
        let log = received.clone();
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((connection, _)) = listener.accept().await {
                connections.spawn(serve(connection, answers.clone(), log.clone()));
            }
        });
        Self { address, received, _tasks: tasks }
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    /// A model that is served here.
    pub(crate) fn model(&self, name: &str) -> Arc<dyn ChatModel> {
        connect_with(name, &self.settings()).unwrap()
    }

    pub(crate) fn settings(&self) -> ProviderSettings {
        let mut settings = ProviderSettings::new(HttpClient::new().unwrap(), Arc::new(Noon));
        settings.timeout = Duration::from_secs(20);
        settings.base_url(&self.address).api_key(Secret::new(KEY))
    }
}

/// Noon of a day in 2026, always.
struct Noon;

impl Clock for Noon {
    fn now(&self) -> Timestamp {
        "2026-11-15T12:00:00Z".parse().unwrap()
    }
}

/// One request a connection: the answer says so, and clients heed it.
async fn serve(mut connection: TcpStream, answers: Arc<Mutex<VecDeque<Answer>>>, log: Arc<Mutex<Vec<Received>>>) {
    let Some(request) = read_request(&mut connection).await else { return };
    log.lock().unwrap().push(request);
    let answer = {
        let mut answers = answers.lock().unwrap();
        if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() }
    };
    let answer = answer.unwrap_or(Answer::Closed);
    // A client that is gone is what some tests are about.
    let _ = write_answer(&mut connection, answer).await;
}

async fn read_request(connection: &mut TcpStream) -> Option<Received> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        if connection.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes[..head_end].to_vec()).unwrap();
    let mut lines = head.split("\r\n");
    let line = lines.next().unwrap().trim_end_matches(" HTTP/1.1").to_owned();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let length: usize =
        headers.iter().find(|(name, _)| name == "content-length").map_or(0, |(_, value)| value.parse().unwrap());
    while bytes.len() < head_end + 4 + length {
        connection.read_buf(&mut bytes).await.ok()?;
    }
    let body = serde_json::from_slice(&bytes[head_end + 4..]).unwrap_or_default();
    Some(Received { line, headers, body })
}

async fn write_answer(connection: &mut TcpStream, answer: Answer) -> std::io::Result<()> {
    match answer {
        Answer::Full { status, headers, body } => {
            let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
            let length = body.len();
            let head = format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n");
            connection.write_all(format!("{head}{body}").as_bytes()).await?;
            connection.shutdown().await
        }
        Answer::Chunks(chunks) => {
            write_chunks(connection, &chunks).await?;
            connection.write_all(b"0\r\n\r\n").await?;
            connection.shutdown().await
        }
        Answer::CutChunks(chunks) => {
            write_chunks(connection, &chunks).await?;
            connection.shutdown().await
        }
        Answer::StalledChunks(chunks) => {
            write_chunks(connection, &chunks).await?;
            std::future::pending().await
        }
        Answer::CutBody(half) => {
            let length = half.len() * 2;
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{half}");
            connection.write_all(head.as_bytes()).await?;
            connection.shutdown().await
        }
        Answer::Closed => connection.shutdown().await,
        Answer::Hang => std::future::pending().await,
    }
}

async fn write_chunks(connection: &mut TcpStream, chunks: &[String]) -> std::io::Result<()> {
    connection.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n").await?;
    for chunk in chunks {
        connection.write_all(format!("{:x}\r\n{chunk}\r\n", chunk.len()).as_bytes()).await?;
        connection.flush().await?;
    }
    Ok(())
}

/// Server-sent events, one chunk each.
pub(crate) fn events(data: &[&str]) -> Vec<String> {
    data.iter().map(|data| format!("data: {data}\n\n")).collect()
}
