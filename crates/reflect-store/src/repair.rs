//! Mending what can be mended without a backup.

use reflect_core::{MemoryId, ProjectId};

use crate::{
    check::{self, LedgerMismatch},
    error::StoreResult,
    sql::{Lane, Query, Transaction, params},
    sqlite::dialect,
    store::Store,
    tables::{credits, same_words},
};

/// What was mended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Repaired {
    /// Memories that shared a change number with another and have one of their own now.
    pub renumbered: usize,
    /// Memories whose utility was folded again from their ledger.
    pub refolded: usize,
    /// Memories that were not found by what they say.
    pub reworded: usize,
}

impl Store {
    /// Folds utilities again that are not the fold of their ledger, and has memories found by what they say. In SQLite it also makes all indexes anew and gives memories that were
    /// numbered alike numbers of their own: one transaction, for a store that has no other user.
    pub async fn repair(&self) -> StoreResult<Repaired> {
        if !self.is_shared() {
            return self.writer.write(Lane::Server, repair).await;
        }
        let mismatches = self.check_ledger().await?.mismatches;
        for LedgerMismatch { project_id, memory_id, .. } in &mismatches {
            let (name, memory_id) = (project_id.clone(), *memory_id);
            let refold = move |write: &dyn Transaction| credits::refold(write, &name, memory_id);
            self.writer.write(Lane::of(project_id), refold).await?;
        }
        let differing = self.readers.read(same_words::list_differing).await?;
        for (project_id, memory_id) in &differing {
            let (name, memory_id) = (project_id.clone(), *memory_id);
            let keep = move |write: &dyn Transaction| same_words::keep(write, &name, memory_id);
            self.writer.write(Lane::of(project_id), keep).await?;
        }
        Ok(Repaired { renumbered: 0, refolded: mismatches.len(), reworded: differing.len() })
    }
}

fn repair(write: &dyn Transaction) -> StoreResult<Repaired> {
    write.execute("DROP INDEX IF EXISTS memories_by_change", params![])?;
    let alike: Vec<(ProjectId, MemoryId)> = write
        .query_all(dialect::NUMBERED_ALIKE, params![], |row| Ok((row.get("project_id")?, row.get("memory_id")?)))?;
    for (project_id, memory_id) in &alike {
        write.execute(
            "UPDATE memories SET changed = ?3 WHERE project_id = ?1 AND memory_id = ?2",
            params![project_id, *memory_id, write.next_change(project_id)?],
        )?;
    }
    write.execute("CREATE UNIQUE INDEX memories_by_change ON memories (project_id, changed)", params![])?;
    write.execute("REINDEX", params![])?;
    let mismatches = check::fold_all(write)?.mismatches;
    for mismatch in &mismatches {
        credits::refold(write, &mismatch.project_id, mismatch.memory_id)?;
    }
    let differing = same_words::list_differing(write)?;
    for (project_id, memory_id) in &differing {
        same_words::keep(write, project_id, *memory_id)?;
    }
    Ok(Repaired { renumbered: alike.len(), refolded: mismatches.len(), reworded: differing.len() })
}
