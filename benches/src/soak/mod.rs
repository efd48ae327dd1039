//! `soak`: bystanders work while one project attacks, and the server is killed and restarted under them.
//!
//! Prints what the bystanders saw, a line every fifteen seconds, and ends with an error if anything that was acknowledged is gone.

mod attack;
mod bystander;
pub(crate) mod limits;
mod restarts;
mod timeline;
mod verdict;

use std::{path::Path, sync::Arc, time::Duration};

use anyhow::Context;
use tokio::{task::JoinSet, time::Instant};

use crate::{say, server::MASTER_KEY};
use attack::Attack;
use bystander::Bystanders;
use restarts::Restarts;
use timeline::Timeline;

/// How often a line is printed; each attack lasts two of them.
const TICK: Duration = Duration::from_secs(15);

/// The server is restarted after so many lines, in turns by SIGKILL and by SIGTERM.
const TICKS_BETWEEN_RESTARTS: usize = 5;

pub(crate) fn run(words: &[&str]) -> anyhow::Result<()> {
    let minutes: f64 = match words {
        [] => 20.0,
        ["--minutes", value] => value.parse()?,
        _ => anyhow::bail!("usage: reflect-bench soak [--minutes N]"),
    };
    std::fs::create_dir_all("target")?;
    let folder = tempfile::Builder::new().prefix("soak-").tempdir_in("target")?;
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(soak(&folder.path().join("data"), Duration::from_secs_f64(minutes * 60.0)))
}

async fn soak(data: &Path, duration: Duration) -> anyhow::Result<()> {
    let mut restarts = Restarts::start(data).await?;
    let hostile_key = hostile_key(&restarts.address()).await?;
    let (timeline, bystanders) = (Arc::new(Timeline::default()), Arc::new(Bystanders::default()));
    let mut work = JoinSet::new();
    bystanders.spawn(&mut work, &restarts.seen(), &timeline)?;
    say(format_args!("{}", timeline::HEAD));
    let end = Instant::now() + duration;
    for tick in 0.. {
        let attack = Attack::ALL.get(tick / 2 % Attack::ALL.len()).copied().context("no attack")?;
        let mut attackers = JoinSet::new();
        attack.spawn(&mut attackers, &restarts.seen(), &hostile_key)?;
        tokio::time::sleep(TICK.min(end.saturating_duration_since(Instant::now()))).await;
        attackers.abort_all();
        say(format_args!("{}", timeline.line(attack.name(), restarts.resident())));
        if Instant::now() >= end {
            break;
        }
        if (tick + 1) % TICKS_BETWEEN_RESTARTS == 0 {
            say(format_args!("{}", restarts.restart().await?));
        }
    }
    bystanders.finish();
    while let Some(ended) = work.join_next().await {
        ended?;
    }
    say(format_args!("{}", restarts.restart().await?));
    verdict::check(&restarts, &bystanders, data).await
}

/// A client of its own, for loopback.
fn client() -> anyhow::Result<reqwest::Client> {
    Ok(reflect_http::client_for(&"http://127.0.0.1".parse()?, |builder| builder)?)
}

/// A key of the project `hostile`, which may write traces and read memories.
async fn hostile_key(address: &str) -> anyhow::Result<String> {
    let wish = serde_json::json!({"label": "hostile", "scopes": ["trace:write", "memory:read"]});
    let url = format!("http://{address}/v1/projects/hostile/api-keys");
    let made = client()?.post(url).bearer_auth(MASTER_KEY).body(wish.to_string());
    let answer = made.header("Content-Type", "application/json").send().await?.error_for_status()?.bytes().await?;
    let answer: serde_json::Value = serde_json::from_slice(&answer)?;
    Ok(answer.get("api_key").and_then(serde_json::Value::as_str).context("no key was made")?.to_owned())
}
