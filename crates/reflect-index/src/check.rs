//! Holding an index against the database: every memory, read in another order than the index was.

use std::{collections::HashSet, sync::Arc};

use reflect_core::{IndexRow, MemoryId, ProjectId};
use uuid::Uuid;

use crate::{
    block::Side,
    follow::{IndexKey, PAGE, RowSource, catch_up},
    index::Index,
    rows::{PreparedRow, Rows},
};

/// How often a difference must be seen to be one: memories may change while they are compared.
const LOOKS: usize = 3;

/// What a comparison of indexes with their rows found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct IndexReport {
    /// How many memories the indexes hold.
    pub memories: usize,
    /// Those that stand otherwise in the database, with their projects.
    pub differing: Vec<(ProjectId, MemoryId)>,
}

/// Makes these indexes as a server would, and compares each with its rows.
pub async fn check_anew<S: RowSource>(keys: Vec<IndexKey>, source: &S) -> Result<IndexReport, S::Error> {
    let mut report = IndexReport::default();
    for key in keys {
        report.add(&Arc::default(), key, source).await?;
    }
    report.differing.sort();
    Ok(report)
}

impl IndexReport {
    /// Compares one more index with its rows. Answers whether they are the same.
    pub(crate) async fn add<S: RowSource>(
        &mut self,
        index: &Arc<Index>,
        key: IndexKey,
        source: &S,
    ) -> Result<bool, S::Error> {
        let differing = differing(index, &key, source).await?;
        let same = differing.is_empty();
        self.memories += index.count_shown();
        self.differing.extend(differing.into_iter().map(|memory_id| (key.project_id.clone(), memory_id)));
        Ok(same)
    }
}

/// The memories that differ in every one of a few looks, each after bringing the index up to date.
async fn differing<S: RowSource>(
    index: &Arc<Index>,
    key: &IndexKey,
    source: &S,
) -> Result<HashSet<MemoryId>, S::Error> {
    let mut suspects: Option<HashSet<MemoryId>> = None;
    for _ in 0..LOOKS {
        catch_up(index, key, source).await?;
        let mut comparison = Comparison::default();
        let mut after = MemoryId::from_uuid(Uuid::nil());
        loop {
            let page = source.list_by_id(key, after, PAGE).await?;
            let Some(last) = page.last() else { break };
            after = last.memory_id;
            comparison.add(index, page.into_iter().filter(|row| key.covers(row)));
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
    fn add(&mut self, index: &Index, listed: impl Iterator<Item = IndexRow>) {
        let prepared: Vec<PreparedRow> = listed.map(PreparedRow::new).collect();
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
    let expected = listed.entry.as_ref().filter(|entry| entry.pair.task.dimension == rows.snapshot().dimension);
    let (Some(row), Some(entry)) = (found, expected) else {
        return found.is_none() && expected.is_none();
    };
    let facts = rows.snapshot().facts(row);
    let same_facts = facts.is_some_and(|facts| {
        facts.learned.is_exactly(&entry.learned)
            && (facts.changed, facts.run) == (listed.changed, entry.run)
            && (facts.is_hidden, facts.is_pinned) == (entry.is_hidden, entry.is_pinned)
    });
    let same_vector = rows.snapshot().vector(Side::Task, row) == Some(entry.pair.task.view())
        && rows.snapshot().vector(Side::Lesson, row) == Some(entry.pair.lesson.view());
    let same_terms = entry.terms.iter().all(|term| rows.has_term(row, *term)) && rows.terms(row) == &*entry.terms;
    same_facts && same_vector && same_terms
}
