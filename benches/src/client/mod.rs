//! `client`: calls of our Rust client, over HTTP and in the process, beside the published Python client, against the same server.

mod figures;
mod published;

use std::time::{Duration, Instant};

use reflect_client::{AuthoredReflection, ReflectClient};

use crate::{say, server::Server};
use figures::{Figures, Seen};

const MEMORIES: u32 = 1_000;
const ROUNDS: usize = 5;
const ROUND: Duration = Duration::from_secs(2);

/// What is timed, one call after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A query for ten memories.
    Query,
    /// A trace of two messages with a review.
    Create,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Create => "create",
        }
    }
}

pub(crate) fn run() -> anyhow::Result<()> {
    std::fs::create_dir_all("target")?;
    let folder = tempfile::Builder::new().prefix("bench-").tempdir_in("target")?;
    let server = Server::start(&folder.path().join("data"))?;
    let runtime = tokio::runtime::Runtime::new()?;
    let url = format!("http://{}", server.address);
    let over_http = ReflectClient::builder().base_url(&url).api_key(&server.key).project("bench").build()?;
    let in_process = runtime.block_on(ReflectClient::open(folder.path().join("embedded")))?;
    say(format_args!("storing {MEMORIES} memories in each world …"));
    for client in [&over_http, &in_process] {
        runtime.block_on(fill(client))?;
    }
    say(format_args!(
        "{MEMORIES} memories, one call after the other, {ROUNDS} alternating rounds of {} s\n\n\
         call    client                     calls/s    p50 ms    p99 ms   × published",
        ROUND.as_secs()
    ));
    for kind in [Kind::Query, Kind::Create] {
        let mut seen = [Seen::default(), Seen::default(), Seen::default()];
        for round in 0..ROUNDS {
            let [http, process, published] = &mut seen;
            http.add(runtime.block_on(calls(&over_http, kind, round))?);
            process.add(runtime.block_on(calls(&in_process, kind, round))?);
            published.add(published::calls(&url, &server.key, kind, ROUND)?);
        }
        let [http, process, published] = seen.map(|seen| seen.figures());
        for (name, figures) in
            [("ours, in the process", process), ("ours, over HTTP", http), ("published, Python", published)]
        {
            print(kind, name, figures, published);
        }
    }
    runtime.block_on(in_process.close());
    Ok(())
}

fn print(kind: Kind, name: &str, figures: Figures, published: Figures) {
    say(format_args!(
        "{:<8}{name:<24}{:>10.0}{:>10.2}{:>10.2}{:>14.1}",
        kind.name(),
        figures.per_second,
        figures.p50_millis,
        figures.p99_millis,
        figures.per_second / published.per_second,
    ));
}

async fn fill(client: &ReflectClient) -> anyhow::Result<()> {
    for number in 0..MEMORIES {
        let reflection = AuthoredReflection {
            guidance: Some(format!("Look order {number} up before anything is changed.")),
            ..AuthoredReflection::default()
        };
        client.create_memory(format!("Refund order {number} in the shop"), true, reflection).await?;
    }
    Ok(())
}

/// As many calls as a round has time for, with the time of each.
async fn calls(client: &ReflectClient, kind: Kind, round: usize) -> anyhow::Result<Vec<Duration>> {
    let mut times = Vec::new();
    let start = Instant::now();
    while start.elapsed() < ROUND {
        let task = task(round, times.len());
        let call = Instant::now();
        match kind {
            Kind::Query => drop(client.query(task).limit(10).await?),
            Kind::Create => {
                let trajectory = [reflect_client::Message::user(&task), reflect_client::Message::assistant("Done.")];
                client.create_trace(&task, trajectory).passed().await?;
            }
        }
        times.push(call.elapsed());
    }
    Ok(times)
}

/// A task that was not asked before, as the Python side writes it too.
fn task(round: usize, number: usize) -> String {
    format!("Please refund order {} of round {round}", number % 5_000)
}
