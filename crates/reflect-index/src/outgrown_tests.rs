//! Searches over lists, held against the slow ranking of all memories.

use std::collections::BTreeMap;

use reflect_core::{
    IndexEntry, IndexRow, ListWish, ListedEntry, Match, MemoryId, QuerySettings, SearchList, SearchLists, cosine,
    worth::LearningRule,
};
use serde_json::json;

use crate::{
    CandidateSearch, Found, Index, Layout, Search, listed,
    slow_ranking::rank_slowly,
    tests::{Project, always_by_worth, filled, scattered, settings},
};

/// What a database has listed of a project.
struct Listed(BTreeMap<MemoryId, ListedEntry>);

impl Listed {
    fn of(project: &Project) -> Self {
        let entry = |(memory_id, entry): (MemoryId, IndexEntry)| {
            let row = IndexRow { memory_id, changed: 0, entry: Some(entry) };
            let entry = listed(row, 384).entry?;
            let halves = |vector: &[f32]| vector.iter().map(|value| half(*value)).collect();
            Some((memory_id, ListedEntry { task: halves(&entry.task), lesson: halves(&entry.lesson), ..entry }))
        };
        Self(entries(project).filter_map(entry).collect())
    }

    fn read(&self, wish: &ListWish) -> SearchLists {
        let vector: Vec<f32> = wish.vector.iter().map(|value| half(*value)).collect();
        let list = |figure: &dyn Fn(&ListedEntry) -> f64| {
            let passing = self.0.iter().filter(|(_, entry)| wish.terms.iter().all(|term| entry.terms.contains(term)));
            let mut entries: Vec<_> = passing.map(|(memory_id, entry)| (*memory_id, figure(entry))).collect();
            entries.sort_by(|left, right| right.1.total_cmp(&left.1));
            entries.truncate(wish.depth);
            SearchList { is_whole: entries.len() < wish.depth, entries }
        };
        SearchLists {
            by_task: (wish.matching != Match::Lesson).then(|| list(&|entry| cosine(&entry.task, &vector))),
            by_lesson: (wish.matching != Match::Task).then(|| list(&|entry| cosine(&entry.lesson, &vector))),
            by_utility: list(&|entry| if wish.rule == LearningRule::Worth { entry.worth } else { entry.average }),
            by_graph: false,
        }
    }
}

/// The nearest value that half of a float holds, but for the smallest.
fn half(value: f32) -> f32 {
    f32::from_bits(value.to_bits().wrapping_add(0x1000) & !0x1FFF)
}

/// What is known of each memory.
fn entries(project: &Project) -> impl Iterator<Item = (MemoryId, IndexEntry)> {
    project.memories.iter().map(|(memory_id, known)| (*memory_id, known.entry.clone()))
}

/// A memory as it is stored now.
fn row(project: &Project, memory_id: MemoryId) -> IndexRow {
    let known = project.memories.get(&memory_id);
    let changed = known.map_or_else(|| project.changed, |known| known.changed);
    IndexRow { memory_id, changed, entry: known.map(|known| known.entry.clone()) }
}

/// The answers after each turn, until one is certain.
fn search(project: &Project, (listed, newest): (&Listed, &Index), search: &Search) -> Vec<Found> {
    let (mut candidates, mut found) = (CandidateSearch::new(newest), Vec::new());
    for wish in CandidateSearch::wishes(search) {
        let lists = listed.read(&wish);
        let rows = candidates.take_new(search, &lists).into_iter().map(|memory_id| row(project, memory_id));
        candidates.add(rows.collect());
        found.push(candidates.search(search, &lists));
        if found.last().is_some_and(|found| !found.is_unsettled) {
            break;
        }
    }
    found
}

/// A project of which the lists know an earlier state: since then memories were deleted, moved, credited and made.
fn outgrown() -> (Project, Listed, Index) {
    // Tasks in clusters, as real ones are: every seventh number is near to the others like it.
    let vector = |number: u32| -> Vec<f32> {
        let (own, shared) = (scattered(number), scattered(90_000 + number % 7));
        let sum: Vec<f32> = own.iter().zip(shared).map(|(own, shared)| 0.6 * own + 0.8 * shared).collect();
        let length = sum.iter().map(|value| value * value).sum::<f32>().sqrt();
        sum.iter().map(|value| value / length).collect()
    };
    let mut project = filled(Layout::default(), 6_000, vector);
    let listed = Listed::of(&project);
    let newest = Index::after(project.changed);
    let some: Vec<(MemoryId, IndexEntry)> = entries(&project).step_by(97).collect();
    for (number, (memory_id, entry)) in (0..).zip(some) {
        let moved = IndexEntry { vector: vector(7_000 + number), lesson_vector: Some(vector(number)), ..entry };
        project.change(memory_id, (number % 3 != 0).then_some(moved));
        newest.apply(vec![IndexRow { changed: project.changed, ..row(&project, memory_id) }]);
    }
    (project, listed, newest)
}

#[test]
fn a_certain_answer_is_what_the_slow_ranking_of_all_memories_gives() {
    let (project, listed, newest) = outgrown();
    let (mut early, mut late) = (0, 0);
    let filters = [json!({}), json!({"third": 1}), json!({"number": 77}), json!({"x": 1})];
    for (filter, lambda) in filters.iter().flat_map(|filter| [0.0, 0.3, 0.5, 1.0].map(|lambda| (filter, lambda))) {
        for (matching, floor) in [(Match::Task, None), (Match::Lesson, Some(0.4)), (Match::Both, Some(0.2))] {
            for by_worth in [None, always_by_worth(0.2)] {
                let metadata_filter = filter.as_object().cloned();
                let similarity_threshold = floor;
                let settings = QuerySettings { lambda, matching, metadata_filter, similarity_threshold, ..settings() };
                let asked = Search { explain: true, by_worth, ..Search::new(scattered(90_003), settings) };
                let mut found = search(&project, (&listed, &newest), &asked);
                let answer = found.pop().unwrap();
                if answer.is_unsettled {
                    late += 1;
                    continue;
                }
                early += usize::from(found.is_empty());
                assert_equal(&project, &asked, answer);
            }
        }
    }
    assert!(early > 40, "{early} answers were certain at once");
    assert!(late < 12, "{late} answers were never certain");
}

/// Ranks by similarity are left out where they are not known, and never wrong.
fn assert_equal(project: &Project, asked: &Search, answer: Found) {
    let mut expected = rank_slowly(&project.memories, asked, answer.slate);
    for (expected, hit) in expected.hits.iter_mut().zip(&answer.hits) {
        expected.similarity_rank = expected.similarity_rank.filter(|_| hit.similarity_rank.is_some());
    }
    assert_eq!(answer, expected);
}

#[test]
fn other_settings_are_certain_too() {
    let (project, listed, newest) = outgrown();
    let also = vec![
        QuerySettings { lambda: 0.1, ..settings() },
        QuerySettings { matching: Match::Lesson, limit: 3, ..settings() },
    ];
    let first = QuerySettings { matching: Match::Task, ..settings() };
    let asked = Search { also, ..Search::new(scattered(90_001), first) };
    let answer = search(&project, (&listed, &newest), &asked).pop().unwrap();
    assert!(!answer.is_unsettled);
    assert_eq!(answer, project.index.search(&asked, 1));
}

#[test]
fn an_answer_says_when_more_may_belong_to_it() {
    let (project, listed, newest) = outgrown();
    let asked = Search::new(scattered(90_002), settings());
    let mut candidates = CandidateSearch::new(&newest);
    let wish = CandidateSearch::wishes(&asked).next().unwrap();
    let lists = listed.read(&ListWish { depth: 20, ..wish });
    let rows = candidates.take_new(&asked, &lists).into_iter().map(|memory_id| row(&project, memory_id));
    candidates.add(rows.collect());
    assert!(candidates.search(&asked, &lists).is_unsettled);
    assert_eq!(candidates.take_new(&asked, &lists), [], "named once");
}
