//! Carries messages between a program's pipes and the server's `/mcp`, each by itself, as many at a time as come.
//!
//! Nothing is remembered but the version that the client has agreed on. So when the server goes away in the middle, it is looked for or
//! started again, and what was under way is sent again: each call has a name by which the server knows it if it has done it already.

use std::{
    io::{BufRead, Write},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use anyhow::Context;
use reflect_api::ErrorAnswer;
use reflect_core::Backoff;
use reflect_http::HttpClient;
use reqwest::{
    StatusCode, Url,
    header::{ACCEPT, CONTENT_TYPE, HeaderValue},
};
use serde_json::json;
use tokio::{sync::mpsc, task::JoinSet};

use super::message::{Incoming, agreed_version};
use crate::target::{Reached, Target};

/// How often a message is sent until the server counts as gone.
const TRIES: u32 = 4;
const BACKOFF: Backoff = Backoff::new(Duration::from_millis(100), Duration::from_secs(2));

/// How long an answer may take. A review waits for its lesson, up to half a minute.
const TIMEOUT: Duration = Duration::from_secs(120);

/// How many lines may wait to be sent.
const WAITING: usize = 64;

/// Answers until standard input ends.
pub(super) fn run(target: Target) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let bridge =
        Bridge { target: Arc::new(target), http: HttpClient::new()?, server: Arc::default(), agreed: Arc::default() };
    let carried = runtime.block_on(carry(bridge));
    // The thread that reads may be in the middle of a line.
    runtime.shutdown_background();
    carried
}

async fn carry(bridge: Bridge) -> anyhow::Result<()> {
    let mut lines = read_lines();
    let mut answers = JoinSet::new();
    loop {
        tokio::select! {
            line = lines.recv() => match line {
                Some(line) => drop(answers.spawn(bridge.clone().answer(line))),
                None => break,
            },
            Some(answer) = answers.join_next() => write_line(answer?)?,
        }
    }
    while let Some(answer) = answers.join_next().await {
        write_line(answer?)?;
    }
    Ok(())
}

/// The lines of standard input, read by a thread of their own: a read cannot be interrupted.
fn read_lines() -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel(WAITING);
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok).filter(|line| !line.trim().is_empty()) {
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    lines
}

fn write_line(answer: Option<String>) -> anyhow::Result<()> {
    let Some(answer) = answer else { return Ok(()) };
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{answer}").and_then(|()| stdout.flush()).context("the client no longer reads")
}

#[derive(Clone)]
struct Bridge {
    target: Arc<Target>,
    http: HttpClient,
    server: Arc<tokio::sync::Mutex<Option<Arc<Reached>>>>,
    /// The version that `initialize` has agreed on.
    agreed: Arc<Mutex<Option<String>>>,
}

/// What came back.
struct Answer {
    status: StatusCode,
    text: String,
}

impl Bridge {
    async fn answer(self, line: String) -> Option<String> {
        let incoming = match Incoming::read(line) {
            Ok(incoming) => incoming,
            Err(answer) => return Some(answer),
        };
        match self.send(&incoming).await {
            Err(problem) => incoming.refuse(&format!("{problem:#}"), None),
            Ok(answer) => self.pass_on(&incoming, answer),
        }
    }

    fn pass_on(&self, incoming: &Incoming, answer: Answer) -> Option<String> {
        let Answer { status, text } = answer;
        if status == StatusCode::ACCEPTED {
            return None;
        }
        if let Ok(refused) = serde_json::from_str::<ErrorAnswer>(&text) {
            let data = json!({"status": status.as_u16(), "code": refused.error.code.as_str()});
            return incoming.refuse(&refused.error.message, Some(data));
        }
        if !text.contains("\"jsonrpc\"") || text.contains('\n') {
            let message =
                format!("the server answered {status} and no message of the protocol; is it a Reflect server?");
            return incoming.refuse(&message, None);
        }
        if incoming.is_initialize() {
            *self.agreed.lock().unwrap_or_else(PoisonError::into_inner) = agreed_version(&text);
        }
        Some(text)
    }

    /// Sends a message, again and again while the server cannot be reached.
    async fn send(&self, incoming: &Incoming) -> anyhow::Result<Answer> {
        let name = reflect_system::random_bytes::<16>().map(|bytes| u128::from_le_bytes(bytes).to_string());
        let mut lost = None;
        for failures in 1..=TRIES {
            let server = self.server(lost.take()).await?;
            let url = Url::parse(&format!("{}/mcp", server.url.trim_end_matches('/')))
                .with_context(|| format!("`{}` is no URL such as http://localhost:8000", server.url))?;
            match self.request(&server, &url, incoming, name.as_deref()).await {
                Err(error) if failures == TRIES || error.is_timeout() => {
                    return Err(error).with_context(|| format!("the server at {} cannot be reached", server.url));
                }
                Err(_) => lost = Some(server),
                Ok(answer) => return Ok(answer),
            }
            tokio::time::sleep(BACKOFF.wait(failures)).await;
        }
        anyhow::bail!("the server cannot be reached")
    }

    /// The server; another one, or the same again, in place of one that was lost.
    async fn server(&self, lost: Option<Arc<Reached>>) -> anyhow::Result<Arc<Reached>> {
        let mut known = self.server.lock().await;
        if let Some(server) = known.as_ref()
            && lost.is_none_or(|lost| !Arc::ptr_eq(server, &lost))
        {
            return Ok(Arc::clone(server));
        }
        *known = None;
        let target = Arc::clone(&self.target);
        let server = Arc::new(tokio::task::spawn_blocking(move || target.reach()).await??);
        *known = Some(Arc::clone(&server));
        Ok(server)
    }

    async fn request(
        &self,
        server: &Reached,
        url: &Url,
        incoming: &Incoming,
        name: Option<&str>,
    ) -> reqwest::Result<Answer> {
        let agreed = self.agreed.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut request = self.http.for_url(url).post(url.clone());
        request = request.timeout(TIMEOUT).headers(incoming.headers(agreed.as_deref()));
        request =
            request.header(ACCEPT, "application/json, text/event-stream").header(CONTENT_TYPE, "application/json");
        if let Ok(project) = HeaderValue::from_bytes(self.target.project_id.as_str().as_bytes()) {
            request = request.header("x-project-id", project);
        }
        if let Some(key) = &server.key {
            request = request.bearer_auth(key.expose());
        }
        if let Some(name) = name {
            request = request.header("idempotency-key", name);
        }
        let response = request.body(incoming.text.clone()).send().await?;
        let status = response.status();
        let text = String::from_utf8_lossy(&response.bytes().await?).into_owned();
        Ok(Answer { status, text })
    }
}
