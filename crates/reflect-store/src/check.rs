//! Holding every cached utility against the fold of its ledger.

use std::{ops::ControlFlow, path::Path};

use reflect_core::{MemoryId, ProjectId, Tally};

use crate::{
    error::StoreResult,
    sql::{Read, params},
    sqlite::Readers,
    store::Store,
    tables::credits,
};

/// A memory whose cached tally is not the fold of its ledger.
#[derive(Debug, Clone, PartialEq)]
pub struct LedgerMismatch {
    /// The project.
    pub project_id: ProjectId,
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
        Readers::open_foreign(path)?.read(check).await
    }
}

fn check(read: &dyn Read) -> StoreResult<LedgerReport> {
    let mut report = LedgerReport::default();
    let sql = "SELECT project_id, memory_id, q_value, uses, passes, fails FROM memories ORDER BY project_id, memory_id";
    read.each_row(sql, params![], &mut |row| {
        let (project_id, memory_id) = (row.get("project_id")?, row.get("memory_id")?);
        let cached = credits::tally(row)?;
        let steps = credits::live_steps(read, &project_id, memory_id)?;
        report.memories += 1;
        report.credits += steps.len();
        let folded = Tally::of(steps);
        if !folded.is_exactly(&cached) {
            report.mismatches.push(LedgerMismatch { project_id, memory_id, cached, folded });
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(report)
}
