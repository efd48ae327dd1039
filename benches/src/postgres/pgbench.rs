//! The yardstick: `pgbench` with a script that inserts the rows of an accepted trace, one commit each. No HTTP, no JSON to read, no key to
//! check.

use std::{path::Path, process::Command, time::Duration};

use anyhow::Context;
use reflect_store::Store;

use super::Database;
use crate::load;

/// What is on disk when a trace is acknowledged: trace, trajectory, review, job. Texts are sent with each transaction, as ours are sent by clients.
const SCRIPT: &str = "\
\\set trace random(1, 9000000000000000000)
\\set review random(1, 9000000000000000000)
BEGIN;
INSERT INTO traces (project_id, trace_id, task, final_response, retrieved_memory_ids, review_status, model, metadata, warnings, created_at)
VALUES ('bench', ID(:trace), 'Answer ticket 17: where is order 4711?', :final_response, '[]', 'pending', 'gpt-5.4-mini', '{\"run\":17}', '[]', 17);
INSERT INTO trajectories (project_id, trace_id, trajectory) VALUES ('bench', ID(:trace), :trajectory);
INSERT INTO reviews (project_id, trace_id, review_id, result, feedback_text, mode, source, alpha, created_at)
VALUES ('bench', ID(:trace), ID(:review), 'pass', 'Checked by hand.', 'inline', 'api', 0.3, 17);
INSERT INTO jobs (project_id, trace_id, review_id, priority, run_at) VALUES ('bench', ID(:trace), ID(:review), 1, 17);
COMMIT;
";

/// An id that begins with the time of the transaction, as those of version 7 do, so that indexes are appended to.
fn with_ids(script: &str) -> String {
    let id = |number: &str| {
        format!(
            "(lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint), 12, '0') || right(md5({number}::text), 20))::uuid"
        )
    };
    script.replace("ID(:trace)", &id(":trace")).replace("ID(:review)", &id(":review"))
}

pub(super) struct Pgbench<'a> {
    database: &'a Database,
    url: String,
    plain: std::path::PathBuf,
    pipelined: std::path::PathBuf,
}

impl<'a> Pgbench<'a> {
    /// Makes the server's own tables, in a schema of their own, and writes the scripts into a folder.
    pub(super) fn prepare(database: &'a Database, folder: &Path, reviews: bool) -> anyhow::Result<Self> {
        let url = database.schema("bench_pgbench")?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        drop(runtime.block_on(Store::connect(&url))?);
        let (plain, pipelined) = (folder.join("plain.sql"), folder.join("pipelined.sql"));
        let unreviewed = if reviews { None } else { SCRIPT.split_once("INSERT INTO reviews") };
        let script = with_ids(&unreviewed.map_or(SCRIPT.to_owned(), |(script, _)| format!("{script}COMMIT;\n")));
        std::fs::write(&plain, &script)?;
        let script = script.replace("BEGIN;", "\\startpipeline\nBEGIN;").replace("COMMIT;", "COMMIT;\n\\endpipeline");
        std::fs::write(&pipelined, script)?;
        Ok(Self { database, url, plain, pipelined })
    }

    /// Commits a second, with a round trip for each statement.
    pub(super) fn run(&self, clients: usize, duration: Duration) -> anyhow::Result<f64> {
        self.per_second(&self.plain, clients, duration)
    }

    /// Commits a second, with one round trip for each transaction.
    pub(super) fn run_pipelined(&self, clients: usize, duration: Duration) -> anyhow::Result<f64> {
        self.per_second(&self.pipelined, clients, duration)
    }

    fn per_second(&self, script: &Path, clients: usize, duration: Duration) -> anyhow::Result<f64> {
        let trace = load::trace(17);
        let mut pgbench = Command::new(Path::new(&self.database.psql).with_file_name("pgbench"));
        pgbench.args(["--no-vacuum", "--protocol=prepared", "--jobs=2"]);
        pgbench.args([format!("--client={clients}"), format!("--time={}", duration.as_secs().max(1))]);
        pgbench.arg(format!("--define=final_response={}", trace.get(..500).unwrap_or(&trace)));
        pgbench.arg(format!("--define=trajectory={trace}"));
        pgbench.arg("--file").arg(script).arg(&self.url);
        let ended = pgbench.output().context("starting pgbench")?;
        let said = String::from_utf8_lossy(&ended.stdout);
        let rate = said.lines().find_map(|line| line.strip_prefix("tps = ")?.split(' ').next()?.parse().ok());
        rate.with_context(|| format!("pgbench failed: {said}{}", String::from_utf8_lossy(&ended.stderr)))
    }
}
