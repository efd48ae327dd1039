//! The ranking as the contract says it, over all memories, with nothing kept from one query to the next: what the index is held against.

use std::collections::BTreeMap;

use reflect_core::{
    IndexEntry, MemoryId, RunScore, Slate, cosine, matches_metadata,
    ranking::{Candidate, blend, diversify, pool_size},
    worth::{
        LearningRule, LocalScale, Neighbour, RunTotals, SlatePlan, Surroundings, Viewpoint, WorthConstants, slate,
    },
};
use serde_json::Value;

use crate::{ByWorth, Found, Hit, Search};

/// A memory.
pub(crate) struct Known {
    pub(crate) changed: i64,
    pub(crate) entry: IndexEntry,
    /// What follows from the entry.
    pub(crate) metadata: Value,
    pub(crate) kept: Vec<f32>,
    /// The task's while there is none of the lesson.
    pub(crate) kept_lesson: Vec<f32>,
}

/// The answer to a search. What is usual for the task need not be exact, and is taken as found.
pub(crate) fn rank_slowly(memories: &BTreeMap<MemoryId, Known>, search: &Search, around: Option<Slate>) -> Found {
    let viewpoint = search.by_worth.map_or_else(Viewpoint::default, |ByWorth { constants, today, .. }| Viewpoint {
        rule: LearningRule::Worth,
        constants,
        today,
    });
    let is_retired = |hit: &Hit| viewpoint.is_retired(&memories[&hit.memory_id].entry.learned);
    let scored = score(memories, search, &viewpoint, around);
    let (retired, mut pool): (Vec<Hit>, Vec<Hit>) = scored.into_iter().partition(is_retired);
    let settings = &search.settings;
    pool.truncate(pool_size(settings.limit));
    let candidates: Vec<Candidate> = pool.iter().map(|hit| candidate(hit, hit.score)).collect();
    let lesson = |position: usize| &memories[&pool[position].memory_id].kept_lesson;
    let nearness = |left: usize, right: usize| cosine(lesson(left), lesson(right));
    let picked = diversify(&candidates, settings.limit, settings.mmr_lambda, nearness).into_iter();
    let greedy: Vec<Hit> =
        picked.map(|picked| Hit { mmr_penalty: picked.penalty, ..pool[picked.position].clone() }).collect();
    match (around, search.by_worth) {
        (Some(around), Some(by_worth)) => {
            let mut all: Vec<Hit> = pool.into_iter().chain(retired).collect();
            sort(&mut all, |hit| hit.score);
            try_one(&all, &greedy, (settings.limit, by_worth), around)
        }
        _ => Found { hits: greedy, ..Found::default() },
    }
}

/// What passes floor and filter, best first.
fn score(
    memories: &BTreeMap<MemoryId, Known>,
    search: &Search,
    viewpoint: &Viewpoint,
    around: Option<Slate>,
) -> Vec<Hit> {
    let (settings, Viewpoint { rule, constants, .. }) = (&search.settings, viewpoint);
    let scale = around.map_or(LocalScale::PLAIN, |slate| LocalScale::with_unit(slate.unit, constants));
    let floor = settings.similarity_threshold.unwrap_or(f64::NEG_INFINITY);
    let hit = |(memory_id, known): (&MemoryId, &Known)| {
        let learned = &known.entry.learned;
        let similarity =
            settings.matching.join(cosine(&known.kept, &search.task), cosine(&known.kept_lesson, &search.task));
        let passes = settings.metadata_filter.as_ref().is_none_or(|filter| matches_metadata(&known.metadata, filter));
        (similarity >= floor && passes).then(|| Hit {
            memory_id: *memory_id,
            changed: known.changed,
            utility: learned.q_value(*rule, constants),
            worth: search.by_worth.map(|_| learned.worth.mean(constants)),
            probability: None,
            similarity,
            score: blend(scale.similarity(similarity), learned.utility(*rule, constants), settings.lambda),
            mmr_penalty: 0.0,
            similarity_rank: None,
        })
    };
    let mut hits: Vec<Hit> = memories.iter().filter_map(hit).collect();
    sort(&mut hits, |hit| hit.similarity);
    for (rank, hit) in (1..).zip(&mut hits) {
        hit.similarity_rank = search.explain.then_some(rank);
    }
    sort(&mut hits, |hit| hit.score);
    hits
}

/// The answer with one slot on trial.
fn try_one(all: &[Hit], greedy: &[Hit], (limit, by_worth): (usize, ByWorth), around: Slate) -> Found {
    let picked = |hit: &Hit| greedy.iter().find(|picked| picked.memory_id == hit.memory_id);
    let build = |first| {
        let plan = SlatePlan { ranked: all.len(), limit, first };
        slate(plan, |position| picked(&all[position]).is_none())
    };
    let mut shown = build(by_worth.trials.pick(all.len(), by_worth.draw));
    shown.sort_unstable();
    let odds = by_worth.trials.odds(all.len(), build);
    let hit = |position: &usize| {
        let hit = picked(&all[*position]).unwrap_or(&all[*position]).clone();
        Hit { probability: Some(odds.of_position(*position)), ..hit }
    };
    let probability = odds.of_slate(&shown);
    let slate = Some(Slate { probability, ..around });
    Found { hits: shown.iter().map(hit).collect(), slate, ..Found::default() }
}

fn candidate(hit: &Hit, score: f64) -> Candidate {
    Candidate { memory_id: hit.memory_id, score }
}

fn sort(hits: &mut [Hit], by: impl Fn(&Hit) -> f64) {
    hits.sort_by(|left, right| Candidate::best_first(&candidate(left, by(left)), &candidate(right, by(right))));
}

/// What is usual for a task, over all memories that are left of reviewed runs.
pub(crate) fn surroundings_slowly(memories: &BTreeMap<MemoryId, Known>, search: &Search) -> Option<Surroundings> {
    let neighbour = |known: &Known| {
        let RunScore { score, added } = known.entry.run?;
        Some(Neighbour { similarity: cosine(&known.kept, &search.task).clamp(-1.0, 1.0), score, added })
    };
    let runs: Vec<Neighbour> = memories.values().filter_map(neighbour).collect();
    let totals = RunTotals { runs: runs.len(), score: runs.iter().map(|run| run.score).sum() };
    let constants = search.by_worth.map_or_else(WorthConstants::default, |by_worth| by_worth.constants);
    Surroundings::of(runs, totals, search.settings.limit, &constants)
}
