//! How far a copy has come, and what it came to.

use crate::check::LedgerReport;

/// What is being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyStep {
    /// Rows are written.
    Copying,
    /// They are read again, and compared.
    Comparing,
}

/// How far a copy has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopyProgress {
    /// In what.
    pub step: CopyStep,
    /// How many rows are dealt with.
    pub done: u64,
    /// Of how many.
    pub all: u64,
}

/// What was copied, and found equal to the source.
#[derive(Debug, Clone, PartialEq)]
pub struct CopyReport {
    /// Every table, with its rows.
    pub tables: Vec<(&'static str, u64)>,
    /// How many rows were there already, of a copy that had been begun.
    pub already_there: u64,
    /// The copy's utilities against its ledger. Those that differ do so in the source as well.
    pub ledger: LedgerReport,
}

impl CopyReport {
    /// All rows.
    pub fn rows(&self) -> u64 {
        self.tables.iter().map(|(_, rows)| rows).sum()
    }
}
