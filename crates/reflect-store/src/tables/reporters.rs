//! Who has brought how many reviewed runs, and for how much a run counts.

use std::{collections::HashMap, ops::ControlFlow};

use reflect_core::{BroughtBy, Heard, KeyId, MemoryId, ProjectId, REMEMBERED_CREDITS, RunsBrought};

use crate::{
    error::StoreResult,
    sql::{Query, Read, Transaction, Value, params},
};

/// How many runs others have brought whose keys still open the project: who is given a new key is not held back by what came with the one before.
/// What the reporter brings does not change the answer.
pub(crate) const OTHERS: &str = "SELECT CAST(coalesce(sum(r.runs), 0) AS BIGINT) AS runs FROM reporters r
     LEFT JOIN api_keys k ON k.key_id = r.reporter AND k.revoked_at IS NULL
     WHERE r.project_id = ?1 AND r.reporter <> ?2 AND coalesce(k.key_id, ?3) = r.reporter";

const OWN: &str = "SELECT runs FROM reporters WHERE project_id = ?1 AND reporter = ?2";

/// The newest live credits of a memory by who brought them, where that is known.
const NEWEST: &str = "SELECT memory_id, reporter, alpha, weight, count(*) AS runs FROM (
         SELECT memory_id, reporter, alpha, coalesce(weight, 1.0) AS weight FROM credits
         WHERE project_id = ?1 AND memory_id = ?2 AND removed_at IS NULL ORDER BY position DESC LIMIT ?3) AS newest
     WHERE reporter IS NOT NULL GROUP BY memory_id, reporter, alpha, weight ORDER BY reporter, alpha, weight";

/// Says that [`Weights::of`] comes.
pub(crate) fn prefetch(read: &dyn Read, project_id: &ProjectId, reporter: KeyId) -> StoreResult<()> {
    read.prefetch(OTHERS, params![project_id, reporter, KeyId::MASTER])
}

/// How much a run counts for each of the memories that it saw.
pub(crate) enum Weights {
    /// Its reporter teaches fully.
    Full,
    /// What was heard of each memory before.
    Shared(HashMap<MemoryId, Heard>),
}

impl Weights {
    /// Those of the next run of a reporter. Memories are looked at only where others have brought more runs.
    pub(crate) fn of<'a>(
        read: &dyn Read,
        project_id: &ProjectId,
        reporter: KeyId,
        memory_ids: impl IntoIterator<Item = &'a MemoryId>,
    ) -> StoreResult<Self> {
        let others = read.query_one(OTHERS, params![project_id, reporter, KeyId::MASTER], |row| row.get("runs"))?;
        if others == 0 {
            return Ok(Self::Full);
        }
        let mine = read.query_opt(OWN, params![project_id, reporter], |row| row.get("runs"))?.unwrap_or_default();
        if (RunsBrought { mine, others }).is_half() {
            return Ok(Self::Full);
        }
        let newest = |id: &MemoryId| params![project_id, *id, REMEMBERED_CREDITS].to_vec();
        let keys: Vec<Vec<Value<'_>>> = memory_ids.into_iter().map(newest).collect();
        let mut heard: HashMap<MemoryId, Heard> = HashMap::new();
        read.each_row_of_all(NEWEST, &keys, &mut |row| {
            let by = if row.get::<KeyId>("reporter")? == reporter { BroughtBy::Me } else { BroughtBy::Others };
            let heard = heard.entry(row.get("memory_id")?).or_default();
            heard.add(by, row.get("runs")?, row.get("alpha")?, row.get("weight")?);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(Self::Shared(heard))
    }

    /// The share for which a run of that step size counts for a memory; none where its reporter teaches fully.
    pub(crate) fn of_run(&self, memory_id: MemoryId, alpha: f64) -> Option<f64> {
        match self {
            Self::Full => None,
            Self::Shared(heard) => Some(heard.get(&memory_id).copied().unwrap_or_default().weight(alpha)),
        }
    }
}

pub(crate) const COUNT: &str = "INSERT INTO reporters (project_id, reporter, runs) VALUES (?1, ?2, 1)
     ON CONFLICT (project_id, reporter) DO UPDATE SET runs = reporters.runs + 1";

/// Counts one more run of a reporter.
pub(crate) fn count_run(write: &dyn Transaction, project_id: &ProjectId, reporter: KeyId) -> StoreResult<()> {
    write.submit(COUNT, params![project_id, reporter])
}

/// Counts a project's runs by its ledger, as after an import.
pub(crate) fn count_all(write: &dyn Transaction, project_id: &ProjectId) -> StoreResult<()> {
    write.submit("DELETE FROM reporters WHERE project_id = ?1", params![project_id])?;
    write.submit(
        "INSERT INTO reporters (project_id, reporter, runs)
         SELECT project_id, reporter, count(DISTINCT trace_id) FROM credits
         WHERE project_id = ?1 AND reporter IS NOT NULL AND coalesce(weight, 1.0) > 0.0 GROUP BY project_id, reporter",
        params![project_id],
    )
}
