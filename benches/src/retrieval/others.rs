//! The others, in a Python process that waits while we run.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Stdio},
};

use anyhow::Context;
use serde_json::Value;

/// One of them, and how it runs.
pub(crate) struct Contender {
    pub(crate) name: &'static str,
    /// 0: as many as it takes by itself.
    pub(crate) threads: usize,
}

impl Contender {
    pub(crate) fn threads_shown(&self) -> String {
        match (self.threads, self.name) {
            // What faiss and numpy's library take by themselves is every core.
            (0, "numpy" | "faiss") => {
                std::thread::available_parallelism().map_or(1, std::num::NonZero::get).to_string()
            }
            // A query of SQLite runs on the thread that asks.
            (0, "sqlite-vec") => "1".to_owned(),
            (0, _) => "its own".to_owned(),
            (threads, _) => threads.to_string(),
        }
    }
}

pub(crate) struct Others {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Others {
    pub(crate) fn start(folder: &Path) -> anyhow::Result<Self> {
        let mut command = crate::python()?;
        command.arg("benches/python/retrieval.py").arg(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().context("starting Python")?;
        let questions = child.stdin.take().context("no standard input")?;
        let answers = BufReader::new(child.stdout.take().context("no standard output")?);
        Ok(Self { child, questions, answers })
    }

    /// Milliseconds for each query.
    pub(crate) fn run(&mut self, contender: &Contender, first: usize, count: usize) -> anyhow::Result<Vec<f64>> {
        let first = first % super::data::QUERIES;
        writeln!(self.questions, "{} {} {first} {count}", contender.name, contender.threads)?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        let answer: Value = serde_json::from_str(&line).with_context(|| format!("{} ended early", contender.name))?;
        let micros = answer.get("micros").and_then(Value::as_array).context("no times")?;
        Ok(micros.iter().filter_map(Value::as_f64).map(|micros| micros / 1_000.0).collect())
    }
}

impl Drop for Others {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
