//! The yardstick: a loop that writes the same rows straight into SQLite, one flushed commit for each trace. No HTTP, no
//! JSON to read, no key to check, no one to answer.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use reflect_store::Store;
use rusqlite::{Connection, config::DbConfig};
use uuid::Uuid;

use crate::load;

/// Rows to write for each trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rows {
    /// What is on disk when a trace is acknowledged: trace, trajectory, review, job.
    Accepted,
    /// What is on disk once its lesson is written: trace, trajectory, review, memory, vector.
    Reflected,
}

/// A database with the server's own schema and settings.
pub(crate) struct BareLoop {
    connection: Connection,
    rows: Rows,
    number: u64,
}

impl BareLoop {
    pub(crate) fn open(path: &Path, rows: Rows) -> anyhow::Result<Self> {
        drop(Store::open(path)?);
        let connection = Connection::open(path)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "cache_size", -8_000)?;
        connection.pragma_update(None, "wal_autocheckpoint", 4_000)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        Ok(Self { connection, rows, number: 0 })
    }

    /// Writes for `duration`; answers how many traces were committed, and in what time.
    pub(crate) fn run(&mut self, duration: Duration) -> anyhow::Result<(u64, Duration)> {
        let trace = load::trace(1);
        let vector = vec![0_u8; 1_024];
        let start = Instant::now();
        let before = self.number;
        while start.elapsed() < duration {
            self.number += 1;
            self.write_one(&trace, &vector)?;
        }
        Ok((self.number - before, start.elapsed()))
    }

    fn write_one(&self, trace: &str, vector: &[u8]) -> anyhow::Result<()> {
        let id = self.id(0x7000);
        let now = i64::try_from(self.number)?;
        let run =
            |sql: &str, parameters: &[&dyn rusqlite::ToSql]| self.connection.prepare_cached(sql)?.execute(parameters);
        let reflected = self.rows == Rows::Reflected;
        let memory_id = self.id(0x7001);
        run("BEGIN IMMEDIATE", &[])?;
        run(
            "INSERT INTO traces (project_id, trace_id, task, final_response, retrieved_memory_ids, review_status, model,
                                 metadata, created_memory_id, warnings, created_at)
             VALUES ('bench', ?1, 'Answer ticket 17: where is order 4711?', ?2, '[]', ?3, 'gpt-5.4-mini', '{\"run\":17}', ?4, '[]', ?5)",
            &[&id, &trace.get(..500), &if reflected { "reviewed" } else { "pending" }, &reflected.then_some(memory_id), &now],
        )?;
        run("INSERT INTO trajectories (project_id, trace_id, trajectory) VALUES ('bench', ?1, ?2)", &[&id, &trace])?;
        run(
            "INSERT INTO reviews (project_id, trace_id, review_id, result, feedback_text, mode, source, alpha, created_at)
             VALUES ('bench', ?1, ?2, 'pass', 'Checked by hand.', 'inline', 'api', 0.3, ?3)",
            &[&id, &self.id(0x7002), &now],
        )?;
        if reflected {
            run(
                "INSERT INTO memories (project_id, memory_id, trace_id, task, lesson, success, status, revision, written_by,
                                       q_value, uses, passes, fails, next_position, metadata, created_at, updated_at, changed)
                 VALUES ('bench', ?1, ?2, 'Answer ticket 17: where is order 4711?', ?3, 1, 'active', 1, '{}', 0.5, 0, 0, 0, 0,
                         '{\"run\":17}', ?4, ?4, ?4)",
                &[&memory_id, &id, &trace.get(..400), &now],
            )?;
            run(
                "INSERT INTO vectors (project_id, memory_id, embedder, vector) VALUES ('bench', ?1, 'hashing-v1-256', ?2)",
                &[&memory_id, &vector],
            )?;
        } else {
            run(
                "INSERT INTO jobs (project_id, trace_id, review_id, priority, run_at) VALUES ('bench', ?1, ?2, 1, ?3)",
                &[&id, &self.id(0x7002), &now],
            )?;
        }
        run("COMMIT", &[])?;
        Ok(())
    }

    fn id(&self, kind: u64) -> Uuid {
        Uuid::from_u64_pair(self.number << 16 | kind, self.number.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }
}
