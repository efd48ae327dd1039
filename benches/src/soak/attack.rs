//! What one project does to the others.

use std::time::Duration;

use reqwest::{Client, RequestBuilder};
use serde_json::json;
use tokio::{
    io::AsyncWriteExt,
    net::TcpStream,
    task::JoinSet,
    time::{sleep, timeout},
};

use super::restarts::{Seen, up};

/// How many do it at the same time.
const ATTACKERS: usize = 16;

/// Connections that one attacker holds open.
const HELD: usize = 40;

/// One way to be a nuisance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attack {
    LongQueries,
    LongTraces,
    Scans,
    LargeMetadata,
    ManyQueries,
    JunkKeys,
    LargeBodies,
    HalfHeads,
    DeafReaders,
    Garbage,
}

impl Attack {
    pub(super) const ALL: [Self; 10] = [
        Self::LongQueries,
        Self::LongTraces,
        Self::Scans,
        Self::LargeMetadata,
        Self::ManyQueries,
        Self::JunkKeys,
        Self::LargeBodies,
        Self::HalfHeads,
        Self::DeafReaders,
        Self::Garbage,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::LongQueries => "queries of 32,000 letters",
            Self::LongTraces => "traces of 32,000 letters",
            Self::Scans => "scans by metadata and text",
            Self::LargeMetadata => "metadata with 5,000 keys",
            Self::ManyQueries => "queries without a pause",
            Self::JunkKeys => "keys that are none",
            Self::LargeBodies => "8 MB to /v1/bootstrap",
            Self::HalfHeads => "connections that dawdle",
            Self::DeafReaders => "readers that do not read",
            Self::Garbage => "garbage instead of HTTP",
        }
    }

    /// Attackers go on until they are aborted.
    pub(super) fn spawn(self, attackers: &mut JoinSet<()>, seen: &Seen, key: &str) -> anyhow::Result<()> {
        for number in 0..ATTACKERS {
            let (mut seen, key, client) = (seen.clone(), key.to_owned(), super::client()?);
            attackers.spawn(async move {
                for round in 0_u64.. {
                    let address = up(&mut seen).await;
                    match self.request(&client, &address, round * ATTACKERS as u64 + number as u64) {
                        Some(request) => {
                            let key = if self == Self::JunkKeys { "rf_live_0123456789abcdef" } else { &key };
                            let sent = request.bearer_auth(key).header("Content-Type", "application/json").send();
                            // Some leave before they are answered.
                            let _ = timeout(Duration::from_secs(3), sent).await;
                        }
                        None => self.hold(&address, &key).await,
                    }
                }
            });
        }
        Ok(())
    }

    /// What is asked over HTTP as it should be; nothing for attacks on the connection itself.
    fn request(self, client: &Client, address: &str, number: u64) -> Option<RequestBuilder> {
        let project = format!("http://{address}/v1/projects/hostile");
        let long = || format!("{number} {}", "ünüsüal wörds ".repeat(2_300));
        let trace = |task: String, metadata: serde_json::Value| {
            let trajectory = json!([{"role": "assistant", "content": "Done."}]);
            let review = json!({"result": "fail", "feedback_text": "No, look again."});
            json!({"task": task, "trajectory": trajectory, "review": review, "metadata": metadata}).to_string()
        };
        let body = |path: &str, body: String| Some(client.post(format!("{project}/{path}")).body(body));
        match self {
            Self::LongQueries => body("memory/query", json!({"task": long()}).to_string()),
            Self::LongTraces => body("traces", trace(long(), json!({}))),
            Self::Scans => {
                let filters: String = (0..20).map(|key| format!("&metadata.key{key}=nothing")).collect();
                Some(client.get(format!("{project}/traces?text=neither+nor{filters}")))
            }
            Self::LargeMetadata => {
                let metadata: serde_json::Map<_, _> =
                    (0..5_000).map(|key| (format!("{number}-{key}"), key.into())).collect();
                body("traces", trace("Short".into(), metadata.into()))
            }
            Self::ManyQueries => body("memory/query", json!({"task": format!("Question {number}")}).to_string()),
            Self::JunkKeys => Some(client.get(format!("{project}/traces"))),
            Self::LargeBodies => Some(client.post(format!("http://{address}/v1/bootstrap")).body("x".repeat(8 << 20))),
            Self::HalfHeads | Self::DeafReaders | Self::Garbage => None,
        }
    }

    /// Opens connections and misbehaves on each.
    async fn hold(self, address: &str, key: &str) {
        let mut held = Vec::new();
        for _ in 0..HELD {
            let Ok(Ok(mut stream)) = timeout(Duration::from_secs(1), TcpStream::connect(address)).await else { break };
            let sent = match self {
                Self::DeafReaders => format!(
                    "GET /v1/projects/hostile/memories?limit=1000 HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {key}\r\n\r\n"
                ),
                Self::Garbage => "\u{0}\u{1}GET / HTTP/9.9\nHost: a\nHost: b\r\n\r\n".repeat(50),
                _ => "POST /v1/projects/hostile/traces HTTP/1.1\r\nHost: ".to_owned(),
            };
            let _ = stream.write_all(sent.as_bytes()).await;
            held.push(stream);
        }
        sleep(Duration::from_secs(4)).await;
    }
}
