//! The model's endpoint: one that runs already, or one that is started here.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Stdio},
};

use anyhow::Context;

use super::options::ModelOptions;

/// An OpenAI-compatible endpoint. One that was started here ends when it is dropped.
pub(super) struct Endpoint {
    /// Ends in `/v1`.
    pub(super) url: String,
    started: Option<Child>,
}

impl Endpoint {
    pub(super) fn reach(options: &ModelOptions) -> anyhow::Result<Self> {
        if let Some(url) = &options.llm_url {
            return Ok(Self { url: url.clone(), started: None });
        }
        let mut child = crate::python()?
            .arg("benches/python/lessons_model.py")
            .args([&options.name, &options.parallel.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut address = String::new();
        let stdout = child.stdout.take().context("the model has no standard output")?;
        let started = Some(child);
        BufReader::new(stdout).read_line(&mut address)?;
        let endpoint = Self { url: format!("{}/v1", address.trim()), started };
        anyhow::ensure!(!address.trim().is_empty(), "the model ended before it listened");
        Ok(endpoint)
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        if let Some(child) = &mut self.started {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
