//! A copy, from its first row to its comparison.

use tokio::sync::mpsc;

use super::{
    progress::{CopyProgress, CopyReport, CopyStep},
    reading::read_tables,
    source::CopySource,
    target::CopyTarget,
};
use crate::error::{StoreError, StoreResult};

/// How many batches are on their way between those who read and those who write.
const BATCHES: usize = 2;

impl CopyTarget {
    /// Copies everything, or goes on with a copy that was begun, and compares. Says as it goes how far it has come.
    ///
    /// Refuses a target that holds anything else, and what is found not to be equal in the end: the source has changed since the copy was
    /// begun, then, or someone has written to the target.
    pub async fn copy_from(
        self,
        source: &CopySource,
        mut each: impl FnMut(CopyProgress) + Send + 'static,
    ) -> StoreResult<CopyReport> {
        let there = self.begin().await?;
        let already_there = there.values().sum();
        let (sender, batches) = mpsc::channel(BATCHES);
        let reading = source.0.read(move |read| {
            read_tables(read, &there, &mut |batch| sender.blocking_send(batch).map_err(|_| StoreError::Closed))
        });
        let writing = async {
            // Owned here: once this has ended, whoever reads finds out that nobody listens.
            let mut batches = batches;
            while let Some(batch) = batches.recv().await {
                let (done, all) = (batch.done, batch.all);
                self.write(batch).await?;
                each(CopyProgress { step: CopyStep::Copying, done, all });
            }
            Ok::<(), StoreError>(())
        };
        let (read, written) = tokio::join!(reading, writing);
        written?;
        let sums = read?;
        self.compare(&sums, each).await?;
        self.finish().await?;
        let tables = sums.into_iter().map(|sum| (sum.table, sum.rows)).collect();
        Ok(CopyReport { tables, already_there, ledger: self.0.check_ledger().await? })
    }
}
