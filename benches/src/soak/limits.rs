//! `limits`: what a neighbour notices of a key that is over its rate, and of traces that are being forgotten, beside a quiet server.

use std::{path::Path, sync::Arc, sync::atomic::AtomicU64, time::Duration};

use tokio::task::JoinSet;

use super::{
    attack::Attack,
    bystander::Bystanders,
    hostile_key,
    restarts::Restarts,
    timeline::{self, Timeline},
};
use crate::{
    load::{self, Requests, Until},
    say,
    server::Server,
};

/// How many old traces there are to be forgotten.
const OLD_TRACES: u64 = 20_000;

pub(crate) fn run(words: &[&str]) -> anyhow::Result<()> {
    let seconds: f64 = match words {
        [] => 20.0,
        ["--seconds", value] => value.parse()?,
        _ => anyhow::bail!("usage: reflect-bench limits [--seconds N]"),
    };
    std::fs::create_dir_all("target")?;
    let folder = tempfile::Builder::new().prefix("limits-").tempdir_in("target")?;
    let data = folder.path().join("data");
    fill(&data)?;
    let runtime = tokio::runtime::Runtime::new()?;
    let duration = Duration::from_secs_f64(seconds);
    say(format_args!("{}", timeline::HEAD));
    for _ in 0..2 {
        runtime.block_on(watch(&data, duration, &Nuisance { name: "nothing", settings: &[], attack: None }))?;
        let over = Nuisance {
            name: "a key over its rate",
            settings: &[("REFLECT_KEY_RATE", "20")],
            attack: Some(Attack::ManyQueries),
        };
        runtime.block_on(watch(&data, duration, &over))?;
    }
    let forgetting =
        Nuisance { name: "traces being forgotten", settings: &[("REFLECT_TRACE_COUNT", "100")], attack: None };
    runtime.block_on(watch(&data, duration, &forgetting))
}

/// Stores the traces that will be forgotten, and nothing that is to be learned from.
fn fill(data: &Path) -> anyhow::Result<()> {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let server = Server::start(data)?;
    let requests = Requests { method: "POST", path: "traces", body: old_trace };
    let stored = load::post(&server, requests, 32, Until::Number(OLD_TRACES), &NEXT)?;
    let per_second = stored.count as f64 / stored.elapsed.as_secs_f64();
    say(format_args!("{} traces of 2 KB without a review were stored, {per_second:.0} a second", stored.count));
    server.terminate()
}

fn old_trace(number: u64) -> String {
    let words = "The order was placed on Monday and the parcel has not arrived. ".repeat(30);
    let trajectory = serde_json::json!([{"role": "assistant", "content": words}]);
    serde_json::json!({"task": format!("Answer ticket {number}"), "trajectory": trajectory}).to_string()
}

struct Nuisance {
    name: &'static str,
    settings: &'static [(&'static str, &'static str)],
    attack: Option<Attack>,
}

/// Starts a server with the settings of the nuisance, and prints a line on what bystanders saw of it.
async fn watch(data: &Path, duration: Duration, nuisance: &Nuisance) -> anyhow::Result<()> {
    let restarts = Restarts::start_with(data, nuisance.settings).await?;
    let key = hostile_key(&restarts.address()).await?;
    let (timeline, bystanders) = (Arc::new(Timeline::default()), Arc::new(Bystanders::default()));
    let (mut work, mut attackers) = (JoinSet::new(), JoinSet::new());
    bystanders.spawn(&mut work, &restarts.seen(), &timeline)?;
    if let Some(attack) = nuisance.attack {
        attack.spawn(&mut attackers, &restarts.seen(), &key)?;
    }
    tokio::time::sleep(duration).await;
    say(format_args!("{}", timeline.line(nuisance.name, restarts.resident())));
    bystanders.finish();
    while let Some(ended) = work.join_next().await {
        ended?;
    }
    attackers.shutdown().await;
    restarts.stop().await
}
