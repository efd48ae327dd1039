//! Searching a project that does not fit in memory.
//!
//! What changed last is in an index, as always; everything else is in lists that a database keeps: by the similarity of tasks, by that of
//! lessons, by utility. The memories that the lists begin with are put beside those of the index, and all of them are ranked as any index ranks.
//! That is the answer over the whole project as soon as nothing that follows in the lists can score as high as the worst of the pool (the
//! threshold algorithm of Fagin, Lotem and Naor, 2001). Until then more of the lists is wanted.

use std::collections::HashSet;

use reflect_core::{
    IndexRow, ListWish, ListedEntry, ListedRow, Match, MemoryId, QuerySettings, SearchLists,
    ranking::pool_size,
    worth::{LearningRule, WorthConstants},
};

use crate::{
    hits::{Found, Search},
    index::Index,
    postings::Selection,
    retired::Retired,
    rows::{PreparedRow, Rows, Snapshot},
    search::{Within, search_all},
    terms::{terms_of, wanted_by},
    unseen::Unseen,
};

/// How much of each list is read, in turns, until the answer is certain. The last is where a search ends in any case.
const DEPTHS: [usize; 3] = [256, 1_024, 4_096];

/// The largest coordinate that half of a float holds.
const LARGEST: f32 = 65_504.0;

/// A search over what an index has and what lists name.
pub struct CandidateSearch {
    rows: Rows,
    /// What the index has: the runs that came last.
    around: Snapshot,
    /// What the lists have named so far.
    named: HashSet<MemoryId>,
}

impl CandidateSearch {
    /// Begins with what an index has.
    pub fn new(index: &Index) -> Self {
        let rows = index.lock().clone();
        Self { around: rows.snapshot().clone(), rows, named: HashSet::new() }
    }

    /// How much of which lists a search wants, in turns.
    pub fn wishes(search: &Search) -> impl Iterator<Item = ListWish> + use<> {
        let matching = all_settings(search).map(|settings| settings.matching).reduce(wider).unwrap_or_default();
        let pool = all_settings(search).map(|settings| pool_size(settings.limit)).max().unwrap_or_default();
        let wish = ListWish {
            vector: search.task.clone(),
            matching,
            rule: search.by_worth.map_or(LearningRule::Constant, |_| LearningRule::Worth),
            terms: search.settings.metadata_filter.as_ref().map(wanted_by).unwrap_or_default(),
            depth: 0,
        };
        let deepest = DEPTHS.last().copied().unwrap_or_default();
        let depths = DEPTHS.into_iter().filter(move |depth| *depth >= pool.min(deepest));
        depths.map(move |depth| ListWish { depth, ..wish.clone() })
    }

    /// The memories that are named for the first time, may be among the best, and are not in the index.
    pub fn take_new(&mut self, search: &Search, lists: &SearchLists) -> Vec<MemoryId> {
        let unseen = Unseen::by(lists);
        let may_pass = |settings: &QuerySettings| {
            unseen.is_none_or(|unseen| settings.similarity_threshold <= Some(unseen.similarity(settings.matching)))
        };
        // What is useful, and similar to no more than what comes after the similar ones, may be under every floor.
        let useful = Some(&lists.by_utility).filter(|_| all_settings(search).any(may_pass));
        let named = lists.by_task.iter().chain(&lists.by_lesson).chain(useful).flat_map(|list| &list.entries);
        let is_new = |id: &MemoryId| self.rows.find(*id).is_none() && self.named.insert(*id);
        named.map(|(memory_id, _)| *memory_id).filter(is_new).collect()
    }

    /// Puts those in, as they are stored.
    pub fn add(&mut self, rows: Vec<IndexRow>) {
        self.rows.add_older(rows.into_iter().map(PreparedRow::new));
    }

    /// The best of all that is in here. It is unsettled if something might belong to it that the lists have not named.
    pub fn search(&self, search: &Search, lists: &SearchLists) -> Found {
        let wanted = search.settings.metadata_filter.as_ref().map(wanted_by).unwrap_or_default();
        // Nobody knows here of all that is retired, so each memory goes by its own evidence.
        let snapshot = &Snapshot { retired: Retired::default(), ..self.rows.snapshot().clone() };
        let unseen = Unseen::by(lists);
        let Some(postings) = self.rows.find_postings(&wanted) else {
            return Found { is_unsettled: unseen.is_some(), ..Found::default() };
        };
        let selection = Selection::intersection(postings, snapshot.len());
        let around = &self.around;
        search_all(search, &Within { snapshot, around, unseen, selection: &selection, threads: 1, shown: None })
    }
}

/// Those that are answered by, and those that are held against them.
fn all_settings(search: &Search) -> impl Iterator<Item = &QuerySettings> {
    [&search.settings].into_iter().chain(&search.also)
}

/// What is compared if both are.
fn wider(left: Match, right: Match) -> Match {
    if left == right { left } else { Match::Both }
}

/// A memory as lists name it. One that nothing can be compared with is in none, as it is in no index, nor one that no query answers with.
pub fn listed(row: IndexRow, dimension: usize) -> ListedRow {
    let fits = |vector: &[f32]| vector.len() == dimension && vector.iter().all(|value| value.abs() <= LARGEST);
    let entry = row.entry.filter(|entry| !entry.is_hidden && fits(&entry.vector)).map(|entry| ListedEntry {
        lesson: entry.lesson_vector.filter(|lesson| fits(lesson)).unwrap_or_else(|| entry.vector.clone()),
        terms: terms_of(&entry.metadata).into_vec(),
        average: entry.learned.average,
        worth: entry.learned.utility(LearningRule::Worth, &WorthConstants::default()),
        task: entry.vector,
    });
    ListedRow { memory_id: row.memory_id, entry }
}
