//! Every answer of the index against the slow, obvious ranking.

use std::collections::BTreeMap;

use proptest::prelude::*;
use reflect_core::{
    IndexEntry, IndexRow, Match, MemoryId, QuerySettings, RawJson, RunScore, SameWords, Tells,
    worth::{Learned, LearningRule, RULE_VERSION, SittingOut, SlateDraw, TrialSlot, Worth, WorthConstants},
};
use serde_json::json;
use uuid::Uuid;

use crate::{
    ByWorth, Index, Layout, Search,
    acts::*,
    as_kept,
    slow_ranking::{Known, rank_slowly, surroundings_slowly},
};

/// An index beside what it should know.
pub(crate) struct Project {
    pub(crate) index: Index,
    pub(crate) memories: BTreeMap<MemoryId, Known>,
    pub(crate) changed: i64,
}

impl Project {
    fn new(layout: Layout) -> Self {
        Self { index: Index::new(layout), memories: BTreeMap::new(), changed: 0 }
    }

    pub(crate) fn change(&mut self, memory_id: MemoryId, entry: Option<IndexEntry>) {
        self.changed += 1;
        match &entry {
            Some(entry) => {
                let (metadata, kept) = (entry.metadata.read().unwrap(), as_kept(&entry.vector));
                let kept_lesson = entry.lesson_vector.as_deref().map_or_else(|| kept.clone(), as_kept);
                let known = Known { changed: self.changed, entry: entry.clone(), metadata, kept, kept_lesson };
                self.memories.insert(memory_id, known)
            }
            None => self.memories.remove(&memory_id),
        };
        self.index.apply(vec![IndexRow { memory_id, changed: self.changed, entry }]);
    }

    fn act(&mut self, vectors: &[Vec<f32>], act: Act) -> Result<(), TestCaseError> {
        match act {
            Act::Put { memory, vector, lesson, figures, metadata } => {
                let Figures { learned, run, tells, same, is_pinned } = figures;
                let metadata = RawJson::from_value(&metadata);
                let lesson_vector = lesson.map(|lesson| vectors[lesson].clone());
                let found_by = IndexEntry { lesson_vector, ..IndexEntry::new(vectors[vector].clone()) };
                self.change(
                    memory_id(memory),
                    Some(IndexEntry { learned, run, is_pinned, tells, same, metadata, ..found_by }),
                );
            }
            Act::Credit { memory, learned } => {
                if let Some(known) = self.memories.get(&memory_id(memory)) {
                    let entry = IndexEntry { learned, ..known.entry.clone() };
                    self.change(memory_id(memory), Some(entry));
                }
            }
            Act::Hide { memory } => {
                if let Some(known) = self.memories.get(&memory_id(memory)) {
                    let hidden = IndexEntry { is_hidden: true, ..known.entry.clone() };
                    self.change(memory_id(memory), Some(hidden));
                }
            }
            Act::Delete { memory } => self.change(memory_id(memory), None),
            Act::Ask(ask) => {
                let Ask { task, settings, threads, explain, empty_lessons, task_words, by_worth } = ask;
                let all = Search::new(vectors[task].clone(), settings);
                let search = Search { explain, empty_lessons, task_words, by_worth, ..all };
                let found = self.index.search(&search, threads);
                let expected = rank_slowly(&self.memories, &search, found.slate);
                prop_assert_eq!(found, expected);
            }
        }
        prop_assert_eq!(self.index.len(), self.memories.len());
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]
    #[test]
    fn an_answer_is_what_the_slow_ranking_of_all_memories_gives(
        layout in layout(),
        vectors in vectors(),
        first in prop::collection::vec(put(), 0..250),
        acts in prop::collection::vec(act(), 1..80),
    ) {
        let mut project = Project::new(layout);
        for act in first.into_iter().chain(acts) {
            project.act(&vectors, act)?;
        }
    }
}

pub(crate) fn filled(layout: Layout, count: u32, vector: impl Fn(u32) -> Vec<f32>) -> Project {
    let mut project = Project::new(layout);
    for number in 0..count {
        let metadata = RawJson::from_value(&json!({"third": number % 3, "number": number}));
        let utility = f64::from(number * 7 % 11) / 10.0;
        let id = MemoryId::from_uuid(Uuid::from_u128(u128::from(number.wrapping_mul(2_654_435_761))));
        let lesson_vector = (number % 9 != 0).then(|| vector(number * 31 % 997));
        let learned = Learned { average: utility, worth: Worth::cached(10.0 * (utility - 0.5), 12.0, 0) };
        let run = (number % 5 != 0).then_some(RunScore { score: utility.min(1.0), added: 0.03 });
        let tells = number.is_multiple_of(3).then(|| Tells::ALL[number as usize / 3 % Tells::ALL.len()]);
        let same = (number % 4 == 0).then(|| SameWords::of(&(number % 64).to_string())).flatten();
        let entry =
            IndexEntry { learned, run, tells, same, metadata, lesson_vector, ..IndexEntry::new(vector(number)) };
        project.change(id, Some(entry));
    }
    project
}

pub(crate) fn scattered(number: u32) -> Vec<f32> {
    scattered_in(384, number)
}

fn scattered_in(dimension: usize, number: u32) -> Vec<f32> {
    let mut state = u64::from(number) * 2 + 1;
    let values = (0..dimension).map(|_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
    });
    unit(values.collect())
}

pub(crate) fn settings() -> QuerySettings {
    QuerySettings {
        limit: 10,
        lambda: 0.5,
        mmr_lambda: 0.7,
        matching: Match::Both,
        similarity_threshold: None,
        metadata_filter: None,
    }
}

/// Holds one answer against the slow ranking.
fn assert_exact(project: &Project, search: &Search, threads: usize) {
    let found = project.index.search(search, threads);
    assert_eq!(found, rank_slowly(&project.memories, search, found.slate));
}

pub(crate) fn always_by_worth(share: f64) -> Option<ByWorth> {
    let draw = SlateDraw { whether: 0.0, who: 0.7, coins: 0 };
    let trials = TrialSlot { share, ..TrialSlot::default() };
    Some(ByWorth { constants: WorthConstants::default(), today: 10, trials, sitting_out: SittingOut::NEVER, draw })
}

/// Diversity that counts for almost everything picks from all of the pool, so a row that was passed over shows.
#[test]
fn what_is_near_rules_out_nothing_that_belongs_into_the_pool() {
    let project = filled(small(64), 1_500, |number| scattered(number % 700));
    for (limit, lambda) in [(20, 0.0), (40, 0.05), (40, 0.5), (200, 0.05)] {
        for (matching, similarity_threshold) in [(Match::Task, None), (Match::Both, Some(0.05)), (Match::Both, None)] {
            let filter = json!({"third": 1});
            for metadata_filter in [None, filter.as_object().cloned()] {
                let settings =
                    QuerySettings { limit, lambda, mmr_lambda: 0.05, matching, similarity_threshold, metadata_filter };
                let search = Search { by_worth: always_by_worth(0.0), ..Search::new(scattered(3), settings) };
                assert_exact(&project, &search, 2);
            }
        }
    }
}

#[test]
fn many_blocks_are_searched_as_one_whatever_the_filter_passes() {
    let filters =
        [json!({}), json!({"third": 1}), json!({"number": 77}), json!({"third": 0, "number": 1}), json!({"x": 1})];
    for layout in [Layout::default(), small(16)] {
        let project = filled(layout, 1_500, |number| scattered(number % 700));
        for filter in &filters {
            for (lambda, threads) in [(0.0, 1), (0.5, 2), (0.9, 3), (1.0, 7)] {
                for matching in [Match::Task, Match::Lesson, Match::Both] {
                    let metadata_filter = filter.as_object().cloned();
                    let settings = QuerySettings { lambda, matching, metadata_filter, ..settings() };
                    for by_worth in [None, always_by_worth(0.0), always_by_worth(0.2)] {
                        let (task, settings) = (scattered(5), settings.clone());
                        assert_exact(
                            &project,
                            &Search { explain: true, by_worth, ..Search::new(task, settings) },
                            threads,
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn what_is_left_out_is_left_out_in_every_copy_that_rests_on_less() {
    let mut project = filled(small(16), 1_500, |number| scattered(number % 700));
    let ids: Vec<MemoryId> = project.memories.keys().copied().collect();
    for (number, memory_id) in (0..).zip(&ids).step_by(5) {
        let worth = Worth::cached(-9.0, 10.0 + f64::from(number % 4), 0);
        let known = &project.memories[memory_id].entry;
        let entry = IndexEntry { learned: Learned { worth, ..known.learned }, ..known.clone() };
        project.change(*memory_id, Some(entry));
    }
    let ask = |project: &Project| {
        for (lambda, share) in [(0.0, 0.0), (0.5, 0.3), (1.0, 0.0)] {
            let settings = QuerySettings { lambda, limit: 30, ..settings() };
            let search = Search { by_worth: always_by_worth(share), ..Search::new(scattered(5), settings) };
            assert_exact(project, &search, 2);
        }
    };
    ask(&project);
    let retired = project.index.lock().snapshot().retired.clone();
    assert!(!retired.is_empty());
    for memory_id in &ids {
        if project.memories[memory_id].entry.learned.is_retired(LearningRule::Worth, &WorthConstants::default()) {
            project.change(*memory_id, None);
        }
    }
    ask(&project);
    assert!(project.index.lock().snapshot().retired.is_empty());
}

#[test]
fn blocks_of_the_shipped_layout_are_joined_and_changed_afterwards() {
    const DIMENSION: usize = 16_384;
    let (layout, rows) = (Layout::default(), 520);
    assert!(layout.blocks_to_join(DIMENSION / 2) * layout.block_rows.get() < rows);
    let mut project = filled(layout, rows as u32, |number| scattered_in(DIMENSION, number % 50));
    let joined: Vec<MemoryId> = project.memories.keys().step_by(9).copied().collect();
    for (number, memory_id) in (0..).zip(joined) {
        let entry = project.memories[&memory_id].entry.clone();
        let moved = IndexEntry { vector: scattered_in(DIMENSION, 1_000 + number), ..entry };
        project.change(memory_id, (number % 3 != 0).then_some(moved));
    }
    let task = scattered_in(DIMENSION, 1_001);
    for by_worth in [None, always_by_worth(0.0)] {
        assert_exact(&project, &Search { explain: true, by_worth, ..Search::new(task.clone(), settings()) }, 2);
    }
}

#[test]
fn vectors_that_cannot_be_compared_are_left_out() {
    let mut project = filled(Layout::default(), 3, scattered);
    let strange = [vec![1.0; 5], vec![f32::NAN; 384], Vec::new()];
    for (number, vector) in (100..).zip(strange) {
        let lesson_vector = Some(scattered(7));
        let entry = IndexEntry { lesson_vector, ..IndexEntry::new(vector) };
        project.change(memory_id(number), Some(entry));
    }
    assert_eq!(project.index.len(), 3);
    let ask = |task: &[f32]| project.index.search(&Search::new(task.to_vec(), settings()), 1).hits.len();
    assert_eq!(ask(&scattered(1)), 3);
    assert_eq!((ask(&[1.0; 5]), ask(&[f32::NAN; 384]), ask(&[])), (0, 0, 0));
}

/// In the runs' coarse form a cosine may be off by a hundredth; in their sketches by more, but those only choose who is looked at.
#[test]
fn what_is_usual_is_found_in_the_runs_nearby() {
    for runs in [1, 7, 8, 40, 900, 1_500] {
        let project = filled(Layout::default(), runs * 5 / 4, |number| scattered(number % 700));
        for (task, limit, largest_unit) in [(5, 10, 0.41), (321, 3, 2.0), (9_999, 10, 2.0)] {
            let settings = QuerySettings { limit, ..settings() };
            let constants = WorthConstants { largest_unit, ..WorthConstants::default() };
            let by_worth = always_by_worth(0.0).map(|by_worth| ByWorth { constants, ..by_worth });
            let search = Search { by_worth, ..Search::new(scattered(task), settings) };
            let found = project.index.search(&search, 1).slate;
            let expected = surroundings_slowly(&project.memories, &search);
            assert_eq!(found.is_some(), expected.is_some(), "{runs} runs");
            let (Some(found), Some(expected)) = (found, expected) else { continue };
            assert_eq!(found.rule_version, RULE_VERSION);
            assert!((found.unit - expected.scale.unit).abs() < 0.02, "{found:?} {expected:?}");
            assert!((found.usual - expected.baseline.usual).abs() < 0.05, "{found:?} {expected:?}");
        }
    }
}

#[test]
fn a_search_keeps_what_it_began_with_while_changes_come_in() {
    let mut project = filled(Layout::default(), 600, scattered);
    let before = project.index.lock().snapshot().clone();
    let known: Vec<_> = (0..600).map(|row| before.facts(row).unwrap()).collect();
    for facts in &known {
        project.change(facts.memory_id, None);
    }
    assert_eq!(project.index.len(), 0);
    let held: Vec<_> = (0..600).map(|row| before.facts(row).unwrap()).collect();
    assert_eq!(held, known);
}

#[test]
fn changes_that_are_known_are_skipped() {
    let mut project = filled(Layout::default(), 1, scattered);
    let (id, Known { changed, entry, .. }) = project.memories.pop_first().unwrap();
    project.index.apply(vec![IndexRow { memory_id: id, changed, entry: None }]);
    assert_eq!(project.index.len(), 1);
    project.index.apply(vec![IndexRow { memory_id: id, changed: changed + 1, entry: Some(entry) }]);
    assert_eq!((project.index.len(), project.index.changed()), (1, changed + 1));
}
