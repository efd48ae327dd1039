//! `builds`: server binaries in turns, each over a data folder of its own: what a build setting gains, and what it costs.

use crate::{
    load::{self, Requests},
    query::{self, Asked},
    say,
    server::Server,
};

/// The first binary is what the others are compared with.
pub(crate) fn run(binaries: &[&str]) -> anyhow::Result<()> {
    std::fs::create_dir_all("target")?;
    let folder = tempfile::Builder::new().prefix("bench-").tempdir_in("target")?;
    let mut servers = Vec::new();
    for (number, binary) in binaries.iter().enumerate() {
        let megabytes = std::fs::metadata(binary)?.len() as f64 / 1e6;
        say(format_args!("{number}: {megabytes:.1} MB, {binary}"));
        servers.push([Server::start_other(binary.as_ref(), &folder.path().join(number.to_string()))?]);
    }
    let asked: Vec<Asked<'_>> =
        servers.iter().enumerate().map(|(number, server)| (format!("build {number}"), &server[..])).collect();
    query::fill(&asked)?;
    query::compare_all(&asked)?;
    query::compare(&asked, ("pages of 500 memories", PAGES))?;
    query::compare(
        &asked,
        ("traces acknowledged", Requests { method: "POST", path: "traces", body: load::unreviewed_trace }),
    )?;
    Ok(())
}

const PAGES: Requests = Requests { method: "GET", path: "memories?limit=500", body: |_| String::new() };
