//! A server that answers as a list says, and notes what it was asked.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

/// What happens to one request.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    Answer {
        status: u16,
        headers: String,
        body: String,
    },
    /// The connection is closed without a word.
    Cut,
    /// The connection is closed in the middle of the answer.
    CutInTheBody,
    /// Nothing comes, for as long as the client waits.
    Hang,
}

impl Reply {
    pub(crate) fn json(body: &str) -> Self {
        Self::Answer { status: 200, headers: String::new(), body: body.to_owned() }
    }
}

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) head: String,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<String> {
        let of = |line: &str| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        };
        self.head.lines().find_map(of)
    }
}

/// A server that plays its replies in order, one a request; a request beyond them is cut off.
pub(crate) struct StandIn {
    url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    _serving: JoinSet<()>,
}

impl StandIn {
    pub(crate) async fn start(replies: impl IntoIterator<Item = Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let replies = Arc::new(Mutex::new(replies.into_iter().collect::<VecDeque<Reply>>()));
        let mut serving = JoinSet::new();
        let noted = Arc::clone(&seen);
        serving.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((connection, _)) = listener.accept().await {
                let (noted, replies) = (Arc::clone(&noted), Arc::clone(&replies));
                connections.spawn(async move {
                    let _ = serve(connection, &noted, &replies).await;
                });
            }
        });
        Self { url, seen, _serving: serving }
    }

    pub(crate) fn url(&self) -> String {
        self.url.clone()
    }

    pub(crate) fn requests(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

async fn serve(
    mut connection: TcpStream,
    seen: &Mutex<Vec<Seen>>,
    replies: &Mutex<VecDeque<Reply>>,
) -> std::io::Result<()> {
    loop {
        let Some(request) = read_request(&mut connection).await? else { return Ok(()) };
        seen.lock().unwrap().push(request);
        let reply = replies.lock().unwrap().pop_front();
        match reply {
            None | Some(Reply::Cut) => return Ok(()),
            Some(Reply::Hang) => std::future::pending().await,
            Some(Reply::CutInTheBody) => {
                connection.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{").await?;
                return connection.shutdown().await;
            }
            Some(Reply::Answer { status, headers, body }) => {
                let length = body.len();
                let answer = format!("HTTP/1.1 {status} X\r\n{headers}content-length: {length}\r\n\r\n{body}");
                connection.write_all(answer.as_bytes()).await?;
            }
        }
    }
}

/// One request, read to the end of its body; none once the client has gone.
async fn read_request(connection: &mut TcpStream) -> std::io::Result<Option<Seen>> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end + 4;
        }
        if connection.read_buf(&mut bytes).await? == 0 {
            return Ok(None);
        }
    };
    let head = String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).into_owned();
    let seen = Seen { head };
    let length: usize = seen.header("content-length").and_then(|length| length.parse().ok()).unwrap_or_default();
    while bytes.len() < end + length {
        if connection.read_buf(&mut bytes).await? == 0 {
            break;
        }
    }
    Ok(Some(seen))
}
