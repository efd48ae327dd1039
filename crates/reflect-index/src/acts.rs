//! What may happen to a project, made at random.

use std::num::NonZeroUsize;

use proptest::prelude::*;
use reflect_core::{
    Match, MemoryId, QuerySettings, RunScore, SameWords, Tells,
    worth::{Learned, SittingOut, SlateDraw, TrialSlot, Worth, WorthConstants},
};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::{ByWorth, Layout};

/// Something that happens to a project.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    Put { memory: u8, vector: usize, lesson: Option<usize>, figures: Figures, metadata: Value },
    Credit { memory: u8, learned: Learned },
    Hide { memory: u8 },
    Delete { memory: u8 },
    Ask(Ask),
}

/// What is known of a memory beside its vectors.
#[derive(Debug, Clone)]
pub(crate) struct Figures {
    pub(crate) learned: Learned,
    pub(crate) run: Option<RunScore>,
    pub(crate) tells: Option<Tells>,
    pub(crate) same: Option<SameWords>,
    pub(crate) is_pinned: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct Ask {
    pub(crate) task: usize,
    pub(crate) settings: QuerySettings,
    pub(crate) threads: usize,
    pub(crate) explain: bool,
    pub(crate) empty_lessons: bool,
    pub(crate) task_words: Option<SameWords>,
    pub(crate) by_worth: Option<ByWorth>,
}

pub(crate) fn share() -> impl Strategy<Value = f64> {
    prop_oneof![2 => Just(0.0), 2 => Just(0.5), 2 => Just(1.0), 1 => 0.0..=1.0_f64]
}

pub(crate) fn utility() -> impl Strategy<Value = f64> {
    prop_oneof![3 => Just(0.5), 1 => Just(0.65), 1 => Just(0.35), 1 => 0.0..=1.0_f64]
}

pub(crate) fn learned() -> impl Strategy<Value = Learned> {
    let worth = prop_oneof![
        2 => Just(Worth::default()),
        1 => Just(Worth::cached(-6.0, 12.0, 0)),
        2 => (-8.0..8.0_f64, 0.0..60.0_f64, 0..400_i64).prop_map(|(sum, runs, day)| Worth::cached(sum, runs, day)),
    ];
    (utility(), worth).prop_map(|(average, worth)| Learned { average, worth })
}

pub(crate) fn run() -> impl Strategy<Value = Option<RunScore>> {
    prop::option::of((0.0..=1.0_f64, -0.1..0.3_f64).prop_map(|(score, added)| RunScore { score, added }))
}

pub(crate) fn by_worth() -> impl Strategy<Value = Option<ByWorth>> {
    let sitting_out =
        prop_oneof![Just(SittingOut::NEVER), Just(SittingOut { first_runs: 0.0, ..SittingOut::default() })];
    let drawn = (0..900_i64, share(), sitting_out, 0.0..1.0_f64, 0.0..1.0_f64, any::<u64>());
    prop::option::of(drawn.prop_map(|(today, share, sitting_out, whether, who, coins)| ByWorth {
        constants: WorthConstants::default(),
        today,
        trials: TrialSlot { share, ..TrialSlot::default() },
        sitting_out,
        draw: SlateDraw { whether, who, coins },
    }))
}

pub(crate) fn metadata() -> impl Strategy<Value = Value> {
    prop_oneof![
        2 => Just(json!({})),
        3 => (0..3, 0..2).prop_map(|(tier, odd)| json!({"tier": tier, "tags": [odd, "all"]})),
        1 => (0..50).prop_map(|session| json!({"session": session, "tags": "all"})),
    ]
}

pub(crate) fn matching() -> impl Strategy<Value = Match> {
    prop_oneof![1 => Just(Match::Task), 1 => Just(Match::Lesson), 3 => Just(Match::Both)]
}

pub(crate) fn filter() -> impl Strategy<Value = Option<Map<String, Value>>> {
    let filter = prop_oneof![
        Just(json!({})),
        Just(json!({"tags": "all"})),
        (0..4).prop_map(|tier| json!({"tier": f64::from(tier)})),
        (0..3, 0..2).prop_map(|(tier, odd)| json!({"tier": tier, "tags": odd})),
        (0..60).prop_map(|session| json!({"session": session})),
        Just(json!({"tags": [1, "all"]})),
    ];
    prop_oneof![2 => Just(None), 3 => filter.prop_map(|filter| filter.as_object().cloned())]
}

pub(crate) fn ask() -> impl Strategy<Value = Act> {
    let floor = prop_oneof![3 => Just(None), 1 => Just(Some(0.0)), 1 => (-1.0..=1.0_f64).prop_map(Some)];
    let limit = prop_oneof![4 => 1..8_usize, 1 => 20..60_usize, 1 => Just(1_000_usize)];
    let how = (1..4_usize, any::<bool>(), any::<bool>(), same_words(), by_worth());
    (0..VECTORS, limit, share(), share(), matching(), floor, filter(), how).prop_map(
        |(task, limit, lambda, mmr_lambda, matching, similarity_threshold, metadata_filter, how)| {
            let (threads, explain, empty_lessons, task_words, by_worth) = how;
            let settings = QuerySettings { limit, lambda, mmr_lambda, matching, similarity_threshold, metadata_filter };
            Act::Ask(Ask { task, settings, threads, explain, empty_lessons, task_words, by_worth })
        },
    )
}

pub(crate) fn put() -> impl Strategy<Value = Act> {
    let put = (any::<u8>(), 0..VECTORS, prop::option::weighted(0.8, 0..VECTORS), figures(), metadata());
    put.prop_map(|(memory, vector, lesson, figures, metadata)| Act::Put { memory, vector, lesson, figures, metadata })
}

pub(crate) fn figures() -> impl Strategy<Value = Figures> {
    let tells = prop_oneof![3 => Just(None), 3 => prop::sample::select(Tells::ALL).prop_map(Some)];
    let figures = (learned(), run(), tells, same_words(), prop::bool::weighted(0.1));
    figures.prop_map(|(learned, run, tells, same, is_pinned)| Figures { learned, run, tells, same, is_pinned })
}

/// Few, so that many say the same.
pub(crate) fn same_words() -> impl Strategy<Value = Option<SameWords>> {
    prop_oneof![Just(None), (0..6_u8).prop_map(|number| SameWords::of(&number.to_string()))]
}

pub(crate) fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        3 => put(),
        2 => (any::<u8>(), learned()).prop_map(|(memory, learned)| Act::Credit { memory, learned }),
        1 => any::<u8>().prop_map(|memory| Act::Hide { memory }),
        1 => any::<u8>().prop_map(|memory| Act::Delete { memory }),
        3 => ask(),
    ]
}

/// How many vectors a project's tasks are drawn from: fewer than memories, so that many tie.
pub(crate) const VECTORS: usize = 60;

/// Vectors in a few tight clusters, some equal, some opposite, some with a single coordinate, some longer than one.
pub(crate) fn vectors() -> impl Strategy<Value = Vec<Vec<f32>>> {
    (prop_oneof![1..5_usize, 64..100_usize, 127..130_usize, 130..300_usize], 1..6_usize, any::<u64>()).prop_map(
        |(dimension, clusters, seed)| {
            let mut state = seed | 1;
            let mut next = move || {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
            };
            let centres: Vec<Vec<f32>> = (0..clusters).map(|_| (0..dimension).map(|_| next()).collect()).collect();
            let vector = |number: usize| -> Vec<f32> {
                let spread = [0.0, 0.001, 0.05, 1.0][number % 4];
                let sign = if number % 7 == 3 { -1.0 } else { 1.0 };
                let values = centres[number % clusters].iter().map(|value| sign * (value + spread * next()));
                let length = [1.0, 1.0, 0.5, 3.0][number % 5 % 4];
                unit(values.collect()).into_iter().map(|value| length * value).collect()
            };
            (0..VECTORS).map(vector).collect()
        },
    )
}

pub(crate) fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let norm = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|value| *value /= norm.max(1e-6));
    vector
}

pub(crate) fn memory_id(number: u8) -> MemoryId {
    // Not in the order of their numbers, so that ties are not by accident in the order of insertion.
    MemoryId::from_uuid(Uuid::from_u128(u128::from(number.wrapping_mul(77))))
}

/// A layout in which a few rows fill many blocks, some of them joined, with both forms of postings and early pruning.
pub(crate) fn small(block_rows: usize) -> Layout {
    Layout {
        block_rows: NonZeroUsize::new(block_rows).unwrap(),
        joined_bytes: 2 * 4 * 64 * block_rows,
        bitmap_rows: 32,
        spare_pools: 0,
        spare_candidates: 4,
        few_rows: 4,
    }
}

/// The one that ships, and some that reach its edges with fewer rows.
pub(crate) fn layout() -> impl Strategy<Value = Layout> {
    prop_oneof![3 => Just(Layout::default()), 3 => Just(small(16)), 1 => Just(small(21)), 1 => Just(small(1))]
}
