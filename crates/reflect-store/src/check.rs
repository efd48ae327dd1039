//! Holding every cached utility against the fold of its ledger.

use std::path::Path;

use reflect_core::{MemoryId, Tally};
use rusqlite::Connection;

use crate::{Store, StoreResult, credits, readers::Readers, schema};

/// A memory whose cached tally is not the fold of its ledger.
#[derive(Debug, Clone, PartialEq)]
pub struct LedgerMismatch {
    /// The project.
    pub project_id: String,
    /// The memory.
    pub memory_id: MemoryId,
    /// What stands on the memory.
    pub cached: Tally,
    /// What the ledger says.
    pub folded: Tally,
}

/// What a check of the whole ledger found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LedgerReport {
    /// How many memories were checked.
    pub memories: usize,
    /// How many live credits they have.
    pub credits: usize,
    /// Those that differ, to the bit.
    pub mismatches: Vec<LedgerMismatch>,
}

impl Store {
    /// Folds the whole ledger again, in every project, and compares. Reads one consistent view and changes nothing.
    pub async fn check_ledger(&self) -> StoreResult<LedgerReport> {
        self.readers.read(check).await
    }

    /// The same for a database that another process may have open.
    pub async fn check_ledger_at(path: &Path) -> StoreResult<LedgerReport> {
        Readers::open(path)?
            .read(|read| {
                schema::refuse_newer(read)?;
                check(read)
            })
            .await
    }
}

fn check(read: &Connection) -> StoreResult<LedgerReport> {
    let mut report = LedgerReport::default();
    let mut statement = read.prepare(
        "SELECT project_id, memory_id, q_value, uses, passes, fails FROM memories ORDER BY project_id, memory_id",
    )?;
    let mut memories = statement.query([])?;
    while let Some(row) = memories.next()? {
        let project_id: String = row.get("project_id")?;
        let memory_id = MemoryId::from_uuid(row.get("memory_id")?);
        let cached = credits::tally(row)?;
        let steps = credits::live_steps(read, &project_id, memory_id)?;
        report.memories += 1;
        report.credits += steps.len();
        let folded = Tally::of(steps);
        if !folded.is_exactly(&cached) {
            report.mismatches.push(LedgerMismatch { project_id, memory_id, cached, folded });
        }
    }
    Ok(report)
}
