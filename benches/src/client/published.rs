//! The published Python client, in a process of its own.

use std::time::Duration;

use anyhow::Context;

use super::Kind;

/// The times of its calls in one round.
pub(super) fn calls(url: &str, key: &str, kind: Kind, round: Duration) -> anyhow::Result<Vec<Duration>> {
    let output = crate::python()?
        .arg("benches/python/published_client.py")
        .args([url, key, kind.name(), &round.as_secs_f64().to_string()])
        .output()?;
    anyhow::ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let seconds: Vec<f64> = serde_json::from_slice(&output.stdout).context("what Python printed")?;
    Ok(seconds.into_iter().map(Duration::from_secs_f64).collect())
}
