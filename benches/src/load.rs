//! Connections that ask as fast as they are answered.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use anyhow::Context;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
    task::JoinSet,
};

use crate::server::Server;

/// The body of one trace: about 2 KB, with an inline review.
pub(crate) fn trace(number: u64) -> String {
    run(
        number,
        json!({"result": if number.is_multiple_of(3) { "fail" } else { "pass" }, "feedback_text": "Checked by hand."}),
    )
}

/// The same without a review.
pub(crate) fn unreviewed_trace(number: u64) -> String {
    run(number, Value::Null)
}

fn run(number: u64, review: Value) -> String {
    let filler = "The order was placed on Monday and the parcel has not arrived; the tracking page shows no change. ";
    json!({
        "task": format!("Answer ticket {number}: where is order {}?", number.wrapping_mul(7_919) % 100_000),
        "trajectory": [
            {"role": "system", "content": "You answer tickets of a small shop. Look orders up before you answer."},
            {"role": "user", "content": format!("Where is my order {number}? {}", filler.repeat(6))},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "get_order", "arguments": format!("{{\"id\": {number}}}")}}
            ]},
            {"role": "tool", "tool_call_id": "c1", "content": format!("{{\"id\": {number}, \"status\": \"in transit\", \"carrier\": \"DHL\"}}")},
            {"role": "assistant", "content": format!("Your order is in transit with DHL. {}", filler.repeat(5))},
        ],
        "model": "gpt-5.4-mini",
        "metadata": {"run": number, "source": "bench"},
        "review": review,
    })
    .to_string()
}

/// What is asked: how, a path below the project, and the body of the n-th request.
#[derive(Clone, Copy)]
pub(crate) struct Requests {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) body: fn(u64) -> String,
}

/// What a round of load saw.
pub(crate) struct Answered {
    pub(crate) count: u64,
    pub(crate) elapsed: Duration,
    /// Sorted.
    latencies: Vec<Duration>,
}

impl Answered {
    pub(crate) fn percentile(&self, share: f64) -> Duration {
        let last = self.latencies.len().saturating_sub(1);
        self.latencies.get((last as f64 * share) as usize).copied().unwrap_or_default()
    }
}

/// When to stop posting.
#[derive(Clone, Copy)]
pub(crate) enum Until {
    After(Duration),
    Number(u64),
}

/// Posts from `connections` connections, each waiting for its answer before it posts again.
pub(crate) fn post(
    server: &Server,
    requests: Requests,
    connections: usize,
    until: Until,
    next: &'static AtomicU64,
) -> anyhow::Result<Answered> {
    post_to(std::slice::from_ref(server), requests, connections, until, next)
}

/// The same, with the connections spread over several servers.
pub(crate) fn post_to(
    servers: &[Server],
    requests: Requests,
    connections: usize,
    until: Until,
    next: &'static AtomicU64,
) -> anyhow::Result<Answered> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let start = Instant::now();
        let mut posters = JoinSet::new();
        for server in servers.iter().cycle().take(connections) {
            let head = format!(
                "{} /v1/projects/bench/{} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n",
                requests.method, requests.path, server.key
            );
            posters.spawn(post_on_one(server.address.clone(), head, requests.body, (start, until), next));
        }
        let mut latencies = Vec::new();
        while let Some(seen) = posters.join_next().await {
            latencies.extend(seen??);
        }
        let elapsed = start.elapsed();
        latencies.sort_unstable();
        Ok(Answered { count: latencies.len() as u64, elapsed, latencies })
    })
}

async fn post_on_one(
    address: String,
    head: String,
    body_of: fn(u64) -> String,
    (start, until): (Instant, Until),
    next: &AtomicU64,
) -> anyhow::Result<Vec<Duration>> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let mut connection = BufReader::new(stream);
    let mut latencies = Vec::new();
    let mut line = String::new();
    let mut body = Vec::new();
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let over = match until {
            Until::After(duration) => start.elapsed() >= duration,
            Until::Number(last) => number > last,
        };
        if over {
            return Ok(latencies);
        }
        let posted = body_of(number);
        let request = format!("{head}Content-Length: {}\r\n\r\n{posted}", posted.len());
        let sent = Instant::now();
        connection.get_mut().write_all(request.as_bytes()).await?;
        read_answer(&mut connection, &mut line, &mut body).await?;
        latencies.push(sent.elapsed());
    }
}

/// Reads one answer and insists on 200.
async fn read_answer(
    connection: &mut BufReader<TcpStream>,
    line: &mut String,
    body: &mut Vec<u8>,
) -> anyhow::Result<()> {
    line.clear();
    connection.read_line(line).await?;
    let ok = line.starts_with("HTTP/1.1 200");
    let status = line.trim_end().to_owned();
    let mut length = 0_usize;
    loop {
        line.clear();
        connection.read_line(line).await?;
        match line.trim_end().split_once(": ") {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => length = value.parse()?,
            Some(_) => {}
            None => break,
        }
    }
    body.resize(length, 0);
    connection.read_exact(body).await.context("the answer broke off")?;
    anyhow::ensure!(ok, "{status}: {}", String::from_utf8_lossy(body));
    Ok(())
}
