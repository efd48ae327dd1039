//! A real PostgreSQL with pgvector, for tests and trials.

use std::{
    io::{BufRead, BufReader},
    process::{Child, ChildStdin, Command, Stdio},
};

use anyhow::Context;

use crate::{
    python,
    shell::{root, say},
};

/// A PostgreSQL that runs until this is dropped, or this process ends, however it ends: `tools/postgres/run.py` sees to that.
pub(crate) struct Postgres {
    child: Child,
    stdin: Option<ChildStdin>,
    /// Where it is, with a role that may create databases.
    pub(crate) url: String,
    /// The program that asks it.
    psql: String,
}

impl Postgres {
    /// One whose commits survive everything but a crash of the machine.
    pub(crate) fn start() -> anyhow::Result<Self> {
        Self::started_by(command()?)
    }

    /// One whose commits are flushed to a disk, for benchmarks.
    pub(crate) fn start_durable() -> anyhow::Result<Self> {
        let mut command = command()?;
        command.arg("--durable");
        Self::started_by(command)
    }

    fn started_by(mut command: Command) -> anyhow::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().context("starting PostgreSQL")?;
        let stdin = child.stdin.take();
        let mut lines = BufReader::new(child.stdout.take().context("its output is piped")?).lines();
        let mut line = || lines.next().context("PostgreSQL does not start").and_then(|line| Ok(line?));
        let (url, psql) = (line()?, line()?);
        say("PostgreSQL runs in a temporary folder");
        Ok(Self { child, stdin, url, psql })
    }

    /// Tells a benchmark where it is.
    pub(crate) fn tell_benchmark(&self, benchmark: &mut Command) {
        benchmark.env("REFLECT_BENCH_DATABASE_URL", &self.url).env("REFLECT_BENCH_PSQL", &self.psql);
    }

    /// Tells tests where it is, and how they start one that they can stop.
    pub(crate) fn tell(&self, tests: &mut Command) -> anyhow::Result<()> {
        tests.env("REFLECT_TEST_DATABASE_URL", &self.url).env("REFLECT_TEST_PSQL", &self.psql);
        tests.env("REFLECT_TEST_POSTGRES_PYTHON", command()?.get_program());
        Ok(())
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // It ends when nobody can tell it anything any more.
        drop(self.stdin.take());
        let _ = self.child.wait();
    }
}

fn command() -> anyhow::Result<Command> {
    let mut command = python::POSTGRES.ready()?;
    command.arg("tools/postgres/run.py").current_dir(root());
    Ok(command)
}
