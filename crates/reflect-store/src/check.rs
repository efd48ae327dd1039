//! Looking whether a database is sound: every cached utility is the fold of its ledger, and nothing in the file is damaged.

use std::{ops::ControlFlow, path::Path};

use reflect_core::{
    MemoryId, ProjectId, Tally,
    worth::{LearningRule, WorthConstants},
};

use crate::{
    error::StoreResult,
    soundness::{self, FileReport},
    sql::{Read, params},
    sqlite::Readers,
    store::Store,
    tables::{credits, projects},
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
        self.readers.read(fold_all).await
    }

    /// Reads the whole database, and says what in it is damaged or lost.
    pub async fn check_texts(&self) -> StoreResult<FileReport> {
        self.readers.read(soundness::check).await
    }

    /// [`check_ledger`](Self::check_ledger) for a SQLite database that another process may have open.
    pub async fn check_ledger_at(path: &Path) -> StoreResult<LedgerReport> {
        Readers::open_foreign(path)?.read(fold_all).await
    }

    /// [`check_texts`](Self::check_texts) for a SQLite database that another process may have open.
    pub async fn check_file_at(path: &Path) -> StoreResult<FileReport> {
        Readers::open_foreign(path)?.read(soundness::check).await
    }
}

pub(crate) fn fold_all(read: &dyn Read) -> StoreResult<LedgerReport> {
    let mut report = LedgerReport::default();
    let mut constants: Option<(ProjectId, WorthConstants)> = None;
    let sql = "SELECT project_id, memory_id, q_value, uses, passes, fails, worth_sum, worth_runs, worth_day,
                      worth_q_value, retired_until FROM memories
               ORDER BY project_id, memory_id";
    read.walk(sql, params![], &mut |row| {
        let (project_id, memory_id): (ProjectId, MemoryId) = (row.get("project_id")?, row.get("memory_id")?);
        let cached = credits::tally(row)?;
        let constants = match &constants {
            Some((of, known)) if *of == project_id => *known,
            _ => constants.insert((project_id.clone(), projects::worth_constants(read, &project_id)?)).1,
        };
        let history = credits::history(read, &project_id, memory_id, i64::MAX)?;
        report.memories += 1;
        report.credits += history.steps.len();
        let folded = history.tally(&constants);
        let derived = (row.get::<f64>("worth_q_value")?.to_bits(), row.get("retired_until")?);
        let by_worth = folded.under(LearningRule::Worth).utility();
        let is_derived = derived == (by_worth.to_bits(), folded.retired_until(&constants));
        if !folded.is_exactly(&cached) || !is_derived {
            report.mismatches.push(LedgerMismatch { project_id, memory_id, cached, folded });
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(report)
}
