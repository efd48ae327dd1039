//! Whether anything that was acknowledged is gone.

use std::{path::Path, process::Command, time::Duration};

use anyhow::Context;
use serde_json::Value;
use tokio::time::Instant;

use super::{bystander::Bystanders, restarts::Restarts};
use crate::{say, server::MASTER_KEY};

/// How long the queue may take to empty once everybody has gone.
const QUEUE: Duration = Duration::from_secs(300);

pub(super) async fn check(restarts: &Restarts, bystanders: &Bystanders, data: &Path) -> anyhow::Result<()> {
    let client = super::client()?;
    let acknowledged = bystanders.acknowledged();
    let address = restarts.address();
    let deadline = Instant::now() + QUEUE;
    let (mut lost, mut unfinished) = (0_usize, 0_usize);
    for id in &acknowledged {
        loop {
            let url = format!("http://{address}/v1/projects/bystander/traces/{id}?view=summary");
            let answer = client.get(url).bearer_auth(MASTER_KEY).send().await?;
            if !answer.status().is_success() {
                lost += 1;
                break;
            }
            let trace: Value = serde_json::from_slice(&answer.bytes().await?)?;
            if trace.get("review_status").and_then(Value::as_str) == Some("reviewed") {
                break;
            }
            if Instant::now() > deadline {
                unfinished += 1;
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
    say(format_args!("{} runs acknowledged: {lost} lost, {unfinished} without a lesson", acknowledged.len()));
    let binary = std::env::var_os("REFLECT_BIN").context("no REFLECT_BIN")?;
    let checked = Command::new(binary).arg("check").arg("--data").arg(data).output()?;
    say(format_args!("reflect check: {}", String::from_utf8_lossy(&checked.stdout).trim_end()));
    anyhow::ensure!(checked.status.success(), "the database is damaged");
    anyhow::ensure!(lost == 0 && unfinished == 0, "something that was acknowledged is gone");
    Ok(())
}
