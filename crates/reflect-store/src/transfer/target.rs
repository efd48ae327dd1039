//! The database that is copied into.

use std::{collections::BTreeMap, path::Path};

use super::{
    progress::{CopyProgress, CopyStep},
    reading::{Batch, sum_tables},
    sums::TableSum,
};
use crate::{
    error::{StoreError, StoreResult},
    sql::{Lane, Transaction},
    store::{Opened, Store},
    tables::unfinished_copy,
};

/// A database that is empty, or a copy that was begun.
pub struct CopyTarget(pub(super) Store);

impl CopyTarget {
    /// The SQLite database at `path`, which is made if need be.
    pub fn open(path: &Path) -> StoreResult<Self> {
        Store::open_as(path, Opened::Unfinished).map(Self)
    }

    /// The PostgreSQL database at `url`, whose tables are made if need be.
    pub async fn connect(url: &str) -> StoreResult<Self> {
        Store::connect_as(url, Opened::Unfinished).await.map(Self)
    }

    /// Begins a copy, unless one was begun; answers how many rows of each table it has.
    pub(super) async fn begin(&self) -> StoreResult<BTreeMap<String, u64>> {
        self.0.writer.write(Lane::Import, unfinished_copy::begin).await
    }

    /// Stores some rows, and counts them.
    pub(super) async fn write(&self, batch: Batch) -> StoreResult<()> {
        self.0.writer.write(Lane::Import, move |write| insert(write, &batch)).await
    }

    /// Reads everything again, and refuses what is not as it is in the source.
    pub(super) async fn compare(
        &self,
        source: &[TableSum],
        mut each: impl FnMut(CopyProgress) + Send + 'static,
    ) -> StoreResult<()> {
        let all = source.iter().map(|sum| sum.rows).sum();
        let mut each = move |done| each(CopyProgress { step: CopyStep::Comparing, done, all });
        let copied = self.0.readers.read(move |read| sum_tables(read, &mut each)).await?;
        match source.iter().zip(&copied).find(|(source, copied)| source != copied) {
            Some((source, copied)) => {
                Err(StoreError::CopyDiffers { table: source.table, rows: source.rows, copied: copied.rows })
            }
            None => Ok(()),
        }
    }

    /// Lets others open it.
    pub(super) async fn finish(&self) -> StoreResult<()> {
        self.0.writer.write(Lane::Import, unfinished_copy::finish).await
    }
}

fn insert(write: &dyn Transaction, batch: &Batch) -> StoreResult<()> {
    let numbers: Vec<String> = (1..=batch.columns.len()).map(|number| format!("?{number}")).collect();
    let (table, columns, numbers) = (batch.table, batch.columns.join(", "), numbers.join(", "));
    let sql = format!("INSERT INTO {table} ({columns}) VALUES ({numbers}) ON CONFLICT DO NOTHING");
    // What is there already is found when both are compared.
    for row in &batch.rows {
        write.submit(&sql, row)?;
    }
    unfinished_copy::count(write, table, batch.rows.len())
}
