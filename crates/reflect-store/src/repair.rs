//! Mending what can be mended without a backup.

use reflect_core::{MemoryId, ProjectId};

use crate::{
    check,
    error::StoreResult,
    sql::{Query, Transaction, params},
    store::Store,
    tables::credits,
};

/// What was mended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Repaired {
    /// Memories that shared a change number with another and have one of their own now.
    pub renumbered: usize,
    /// Memories whose utility was folded again from their ledger.
    pub refolded: usize,
}

/// All memories of a project but the first that has the number.
const NUMBERED_ALIKE: &str = "SELECT m.project_id, m.memory_id FROM memories m NOT INDEXED
     JOIN (SELECT project_id, changed, min(rowid) AS first FROM memories NOT INDEXED
           GROUP BY project_id, changed HAVING count(*) > 1) a
       ON a.project_id = m.project_id AND a.changed = m.changed AND a.first < m.rowid";

impl Store {
    /// Makes all indexes anew, gives memories that were numbered alike numbers of their own, and folds utilities again that are not
    /// the fold of their ledger. One transaction, for a store that has no other user.
    pub async fn repair(&self) -> StoreResult<Repaired> {
        self.writer.write(repair).await
    }
}

fn repair(write: &dyn Transaction) -> StoreResult<Repaired> {
    write.execute("DROP INDEX IF EXISTS memories_by_change", params![])?;
    let alike: Vec<(ProjectId, MemoryId)> =
        write.query_all(NUMBERED_ALIKE, params![], |row| Ok((row.get("project_id")?, row.get("memory_id")?)))?;
    for (project_id, memory_id) in &alike {
        write.execute(
            "UPDATE memories SET changed = ?3 WHERE project_id = ?1 AND memory_id = ?2",
            params![project_id, *memory_id, write.next_change()],
        )?;
    }
    write.execute("CREATE UNIQUE INDEX memories_by_change ON memories (project_id, changed)", params![])?;
    write.execute("REINDEX", params![])?;
    let mismatches = check::fold_all(write)?.mismatches;
    for mismatch in &mismatches {
        credits::refold(write, &mismatch.project_id, mismatch.memory_id)?;
    }
    Ok(Repaired { renumbered: alike.len(), refolded: mismatches.len() })
}
