//! What was asked for on the command line.

use std::{path::PathBuf, time::Duration};

use anyhow::Context;

use super::super::options::ModelOptions;

const USAGE: &str = "\
usage: reflect-bench lessons lift [--runs N] [--minutes N] [--holdout SHARE] [--limit N] [--window N] [--folder FOLDER]
                                  [--picture FILE] [--llm-url URL --model NAME] [--parallel N] [--max-tokens N] [--cache FOLDER]";

/// How the runs are done.
#[derive(Debug, Clone)]
pub(super) struct Options {
    pub(super) model: ModelOptions,
    /// How many runs there are to be, with those that the folder has already.
    pub(super) runs: usize,
    /// No run begins after so much time.
    pub(super) time: Duration,
    /// The share of tasks that do without memories.
    pub(super) holdout: f64,
    /// How many memories a query asks for: a model on two cores reads slowly.
    pub(super) limit: u32,
    /// How many runs a row of the table and a point of the picture stand for.
    pub(super) window: usize,
    /// The server's data, and every run as a line of JSON.
    pub(super) folder: PathBuf,
    pub(super) picture: Option<PathBuf>,
}

impl Options {
    pub(super) fn parse(arguments: &[&str]) -> anyhow::Result<Self> {
        let mut options = Self {
            model: ModelOptions::answering_with(60),
            runs: 400,
            time: Duration::MAX,
            holdout: 0.3,
            limit: 3,
            window: 50,
            folder: "target/lessons-lift".into(),
            picture: None,
        };
        let mut rest = arguments.iter().copied();
        while let Some(name) = rest.next() {
            let value = rest.next().with_context(|| format!("`{name}` needs a value\n{USAGE}"))?;
            options.set(name, value).with_context(|| format!("`{name} {value}`\n{USAGE}"))?;
        }
        anyhow::ensure!(options.window > 0 && options.model.parallel > 0, "`--window` and `--parallel` are at least 1");
        Ok(options)
    }

    fn set(&mut self, name: &str, value: &str) -> anyhow::Result<()> {
        match name {
            "--runs" => self.runs = value.parse()?,
            "--minutes" => self.time = Duration::from_secs(60 * value.parse::<u64>()?),
            "--holdout" => self.holdout = value.parse()?,
            "--limit" => self.limit = value.parse()?,
            "--window" => self.window = value.parse()?,
            "--folder" => self.folder = value.into(),
            "--picture" => self.picture = Some(value.into()),
            _ => self.model.set(name, value)?,
        }
        Ok(())
    }
}
