//! A provider on loopback that speaks OpenAI's protocol, or breaks it in a chosen way.

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

/// How the provider answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// With whatever is asked for: one answer that is a good lesson, a verdict, an intent and a skill.
    Fine,
    /// 429 with `Retry-After`.
    RateLimited,
    /// 500.
    Broken,
    /// Takes the request, and says nothing.
    Hanging,
    /// Ends in the middle of its answer.
    Cut,
    /// 200 with nothing in it.
    Empty,
    /// 200 with a web page, as proxies give.
    Html,
    /// 200 with JSON that is no answer of this protocol.
    OtherJson,
    /// An answer of the protocol, whose words are JSON of another shape than was asked for.
    OtherShape,
    /// An answer of the protocol, with no words in it.
    NoWords,
}

/// A provider that is listening. It ends when it is dropped.
pub(crate) struct FaultyProvider {
    pub(crate) address: SocketAddr,
    manner: Arc<Mutex<Manner>>,
    asked: Arc<AtomicUsize>,
    _tasks: JoinSet<()>,
}

impl FaultyProvider {
    pub(crate) async fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (manner, asked) = (Arc::new(Mutex::new(manner)), Arc::new(AtomicUsize::new(0)));
        let (today, count) = (Arc::clone(&manner), Arc::clone(&asked));
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((connection, _)) = listener.accept().await {
                let (today, count) = (Arc::clone(&today), Arc::clone(&count));
                connections.spawn(async move {
                    count.fetch_add(1, Ordering::Relaxed);
                    let manner = *today.lock().unwrap();
                    // A client that goes away is no concern of ours.
                    let _ = answer(connection, manner).await;
                });
            }
        });
        Self { address, manner, asked, _tasks: tasks }
    }

    pub(crate) fn set(&self, manner: Manner) {
        *self.manner.lock().unwrap() = manner;
    }

    pub(crate) fn times_asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }
}

async fn answer(mut connection: TcpStream, manner: Manner) -> std::io::Result<()> {
    read_request(&mut connection).await?;
    let page = "<html><body>502 Bad Gateway</body></html>";
    let good = json!({
        "summary": "The refund went through.",
        "key_mistake": "",
        "correct_action": "Looked up the order before paying.",
        "guidance": "Call look_up before you pay.",
        "applicable_tools": ["look_up"],
        "verdict": "pass",
        "explanation": "The order was looked up and paid once.",
        "intent": "refund a broken order",
        "description": "How refunds are paid.",
        "what_works": [{"text": "Look up the order before you pay.", "memories": ["M1"]}],
        "pitfalls": [],
    });
    let whole = completion(&good.to_string());
    let response = match manner {
        Manner::Fine => http("200 OK", "application/json", "", &whole),
        Manner::RateLimited => http("429 Too Many Requests", "application/json", "retry-after-ms: 1\r\n", "{}"),
        Manner::Broken => http("500 Internal Server Error", "application/json", "", r#"{"error": "broken"}"#),
        Manner::Hanging => {
            tokio::time::sleep(Duration::from_secs(600)).await;
            return Ok(());
        }
        Manner::Cut => {
            let whole = http("200 OK", "application/json", "", &whole);
            whole[..whole.len() - whole.len() / 3].to_owned()
        }
        Manner::Empty => http("200 OK", "application/json", "", ""),
        Manner::Html => http("200 OK", "text/html", "", page),
        Manner::OtherJson => http("200 OK", "application/json", "", r#"{"answer": [1, 2, 3]}"#),
        Manner::OtherShape => http("200 OK", "application/json", "", &completion(r#"{"colour": "blue", "size": 7}"#)),
        Manner::NoWords => http("200 OK", "application/json", "", &completion("")),
    };
    connection.write_all(response.as_bytes()).await?;
    connection.shutdown().await
}

/// Reads head and body, so that the client is never cut off while it still writes.
async fn read_request(connection: &mut TcpStream) -> std::io::Result<()> {
    let mut request = Vec::new();
    let mut chunk = [0_u8; 8_192];
    loop {
        let read = connection.read(&mut chunk).await?;
        request.extend_from_slice(&chunk[..read]);
        let text = String::from_utf8_lossy(&request).to_ascii_lowercase();
        if let Some((head, _)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let length: usize = length.and_then(|length| length.trim().parse().ok()).unwrap_or(0);
            let start = request.windows(4).position(|window| window == b"\r\n\r\n").unwrap_or(0) + 4;
            if request.len() >= start + length {
                return Ok(());
            }
        }
        if read == 0 {
            return Ok(());
        }
    }
}

fn http(status: &str, media_type: &str, more: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: {media_type}\r\ncontent-length: {}\r\nconnection: close\r\n{more}\r\n{body}",
        body.len()
    )
}

fn completion(content: &str) -> String {
    json!({
        "id": "c1",
        "object": "chat.completion",
        "created": 0,
        "model": "tester-2026",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 321, "completion_tokens": 45, "total_tokens": 366},
    })
    .to_string()
}
