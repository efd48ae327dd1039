//! Holding an index against the database: every memory, read in another order than the index was.

use std::{collections::HashSet, path::Path, sync::Arc};

use reflect_core::{EmbedderId, IndexRow, MemoryId, ProjectId};
use reflect_store::{IndexReader, StoreResult};
use uuid::Uuid;

use super::{
    Index,
    indexes::{PAGE, catch_up},
    rows::{PreparedRow, Rows},
};

/// How often a difference must be seen to be one: memories may change while they are compared.
const LOOKS: usize = 3;

/// What a check of a database's indexes found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct IndexReport {
    /// How many memories the indexes hold.
    pub memories: usize,
    /// Those that stand otherwise in the database, with their projects.
    pub differing: Vec<(ProjectId, MemoryId)>,
}

/// Makes the index of every project as a server would, and holds each against the database, which another process may have
/// open.
pub async fn check_database(path: &Path) -> StoreResult<IndexReport> {
    let reader = IndexReader::open(path).await?;
    let mut report = IndexReport::default();
    for (project_id, embedder) in reader.list_projects().await? {
        let index = Arc::new(Index::default());
        let differing = differing(&index, &project_id, &embedder, &reader).await?;
        report.memories += index.len();
        report.differing.extend(differing.into_iter().map(|memory_id| (project_id.clone(), memory_id)));
    }
    report.differing.sort();
    Ok(report)
}

/// The memories that differ in every one of a few looks, each after bringing the index up to date.
pub(crate) async fn differing(
    index: &Arc<Index>,
    project_id: &ProjectId,
    embedder: &EmbedderId,
    reader: &IndexReader,
) -> StoreResult<HashSet<MemoryId>> {
    let mut suspects: Option<HashSet<MemoryId>> = None;
    for _ in 0..LOOKS {
        catch_up(index, project_id, embedder, reader).await?;
        let mut comparison = Comparison::default();
        let mut after = MemoryId::from_uuid(Uuid::nil());
        loop {
            let page = reader.list_by_id(project_id.clone(), embedder.as_str().to_owned(), after, PAGE).await?;
            let Some(last) = page.last() else { break };
            after = last.memory_id;
            comparison.add(index, page);
        }
        let found = comparison.finish(index);
        let still = suspects.map_or_else(|| found.clone(), |suspects| suspects.intersection(&found).copied().collect());
        if still.is_empty() {
            return Ok(still);
        }
        suspects = Some(still);
    }
    Ok(suspects.unwrap_or_default())
}

/// A comparison under way, page by page.
#[derive(Debug, Default)]
struct Comparison {
    listed: HashSet<MemoryId>,
    differing: HashSet<MemoryId>,
}

impl Comparison {
    /// Compares memories as the database lists them. What the index has not been told of yet is left aside.
    fn add(&mut self, index: &Index, listed: Vec<IndexRow>) {
        let prepared: Vec<PreparedRow> = listed.into_iter().map(PreparedRow::new).collect();
        let rows = index.lock();
        for row in &prepared {
            self.listed.insert(row.memory_id);
            if row.changed <= rows.changed() && !same(&rows, row) {
                self.differing.insert(row.memory_id);
            }
        }
    }

    /// Those that differ, and those that the database has never heard of.
    fn finish(mut self, index: &Index) -> HashSet<MemoryId> {
        let snapshot = index.lock().snapshot().clone();
        let known = snapshot.blocks.iter().flat_map(|block| block.facts()).map(|facts| facts.memory_id);
        self.differing.extend(known.filter(|memory_id| !self.listed.contains(memory_id)));
        self.differing
    }
}

fn same(rows: &Rows, listed: &PreparedRow) -> bool {
    let found = rows.find(listed.memory_id);
    // A vector of another dimension is left out on purpose.
    let expected = listed.entry.as_ref().filter(|entry| entry.vector.dimension == rows.snapshot().dimension);
    let (Some(row), Some(entry)) = (found, expected) else {
        return found.is_none() && expected.is_none();
    };
    let facts = rows.snapshot().facts(row);
    let same_facts = facts.is_some_and(|facts| {
        let (ours, theirs) = (facts.utility.to_bits(), entry.utility.to_bits());
        (facts.changed, ours, facts.lesson) == (listed.changed, theirs, entry.lesson)
    });
    let same_vector = rows.snapshot().vector(row) == Some(entry.vector.view());
    let same_terms = entry.terms.iter().all(|term| rows.has_term(row, *term)) && rows.terms(row) == &*entry.terms;
    same_facts && same_vector && same_terms
}
