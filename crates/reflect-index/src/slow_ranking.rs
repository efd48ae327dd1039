//! The ranking as the contract says it, over all memories, with nothing kept from one query to the next: what the index is held against.

use std::collections::BTreeMap;

use reflect_core::{
    IndexEntry, MemoryId, RunScore, Slate, Tells, Turn, cosine, matches_metadata,
    ranking::{Candidate, blend, diversify, pool_size},
    worth::{
        Due, LearningRule, LineUp, LocalScale, Neighbour, RESERVE, RunTotals, Surroundings, Viewpoint, WorthConstants,
    },
};
use serde_json::Value;

use crate::{ByWorth, Found, Hit, Search, search::MOST_LOOKS};

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
    let is_retired = |hit: &Hit| {
        let IndexEntry { learned, is_pinned, .. } = &memories[&hit.memory_id].entry;
        !is_pinned && viewpoint.is_retired(learned)
    };
    let left_out_now = LeftOut::of(memories, viewpoint);
    let may_sit_out = around.is_some() && search.by_worth.is_some_and(|by_worth| by_worth.sitting_out.most > 0.0);
    let wanted = search.settings.limit + if may_sit_out { RESERVE } else { 0 };
    let (mut pools, mut left_out, mut due) = (Vec::new(), Vec::new(), Vec::new());
    let says = |hit: &Hit| memories[&hit.memory_id].entry.same;
    for turn in Turn::ALL {
        let has_turn = |hit: &Hit| {
            let entry = &memories[&hit.memory_id].entry;
            let is_answer_to_another = entry.tells == Some(Tells::Answer) && entry.same != search.task_words;
            let has_turn = Turn::of(entry.tells) == turn && !is_answer_to_another && !left_out_now.outweigh(entry);
            search.empty_lessons || has_turn
        };
        let scored = score(memories, search, &viewpoint, around).into_iter().filter(has_turn);
        let (retired, pool): (Vec<Hit>, Vec<Hit>) = scored.partition(is_retired);
        let pool = one_of_each(memories, search, (&pool, &pools), wanted - due.len());
        due.extend(pick(memories, search, &pool, wanted - due.len()));
        pools.extend(pool);
        left_out.extend(retired);
        let is_over = if turn == Turn::Telling { due.len() == wanted } else { !due.is_empty() };
        if search.empty_lessons || is_over {
            break;
        }
    }
    let is_said = |hit: &Hit| says(hit).is_some() && pools.iter().any(|said| says(said) == says(hit));
    left_out.retain(|hit| search.empty_lessons || !is_said(hit));
    let mut all: Vec<Hit> = pools.into_iter().chain(left_out).collect();
    sort(&mut all, |hit| hit.score);
    match (around, search.by_worth) {
        (Some(around), Some(by_worth)) => {
            let sits_out = |hit: &Hit| {
                let IndexEntry { learned, tells, is_pinned, .. } = &memories[&hit.memory_id].entry;
                if *is_pinned {
                    return 0.0;
                }
                let worth = learned.worth.aged_to(by_worth.today, &by_worth.constants);
                by_worth.sitting_out.chance(&worth, *tells, &by_worth.constants, due.len() == 1)
            };
            let sits_out: Vec<f64> = due.iter().map(sits_out).collect();
            by_chance(&all, &due, &sits_out, (search.settings.limit, by_worth), around)
        }
        _ => {
            sort(&mut due, |hit| hit.score);
            Found { hits: due, ..Found::default() }
        }
    }
}

/// What answers leave out for what it has done.
struct LeftOut<'a> {
    entries: Vec<&'a IndexEntry>,
    viewpoint: Viewpoint,
}

impl<'a> LeftOut<'a> {
    fn of(memories: &'a BTreeMap<MemoryId, Known>, viewpoint: Viewpoint) -> Self {
        let is_retired =
            |entry: &&IndexEntry| !entry.is_hidden && !entry.is_pinned && viewpoint.is_retired(&entry.learned);
        Self { entries: memories.values().map(|known| &known.entry).filter(is_retired).collect(), viewpoint }
    }

    /// Whether a copy of a memory is among it that rests on more runs.
    fn outweigh(&self, entry: &IndexEntry) -> bool {
        let Viewpoint { today, constants, .. } = &self.viewpoint;
        let runs = |entry: &IndexEntry| entry.learned.worth.aged_to(*today, constants).runs();
        let is_answer = |entry: &IndexEntry| entry.tells == Some(Tells::Answer);
        let is_copy = |other: &IndexEntry| entry.same.is_some() && other.same == entry.same && !is_answer(other);
        let may_be = !entry.is_pinned && !is_answer(entry);
        may_be && self.entries.iter().any(|other| is_copy(other) && runs(other) > runs(entry))
    }
}

/// The best, of those that say the same only the best one, and none that says what was said.
fn one_of_each(
    memories: &BTreeMap<MemoryId, Known>,
    search: &Search,
    (all, said): (&[Hit], &[Hit]),
    wanted: usize,
) -> Vec<Hit> {
    let pool = pool_size(search.settings.limit);
    if search.empty_lessons {
        return all[..pool.min(all.len())].to_vec();
    }
    let enough = search.by_worth.map_or(wanted, |by_worth| wanted.max(by_worth.trials.among));
    let says = |hit: &Hit| memories[&hit.memory_id].entry.same;
    let mut kept: Vec<Hit> = Vec::new();
    for _ in 0..MOST_LOOKS {
        let is_said = |hit: &Hit, kept: &[Hit]| {
            let same = |other: &Hit| match says(hit) {
                Some(words) => says(other) == Some(words),
                None => other.memory_id == hit.memory_id,
            };
            said.iter().chain(kept).any(same)
        };
        let open: Vec<&Hit> = all.iter().filter(|hit| !is_said(hit, &kept)).take(pool).collect();
        for hit in &open {
            if !is_said(hit, &kept) {
                kept.push((*hit).clone());
            }
        }
        if open.len() < pool || kept.len() >= enough {
            break;
        }
    }
    kept
}

/// Whom diversity picks.
fn pick(memories: &BTreeMap<MemoryId, Known>, search: &Search, pool: &[Hit], limit: usize) -> Vec<Hit> {
    let candidates: Vec<Candidate> = pool.iter().map(|hit| candidate(hit, hit.score)).collect();
    let lesson = |position: usize| &memories[&pool[position].memory_id].kept_lesson;
    let nearness = |left: usize, right: usize| cosine(lesson(left), lesson(right));
    let picked = diversify(&candidates, limit, search.settings.mmr_lambda, nearness).into_iter();
    picked.map(|picked| Hit { mmr_penalty: picked.penalty, ..pool[picked.position].clone() }).collect()
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
        (similarity >= floor && passes && !known.entry.is_hidden).then(|| Hit {
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

/// The answer in which some sit out and a slot may be on trial.
fn by_chance(all: &[Hit], due: &[Hit], sits_out: &[f64], (limit, by_worth): (usize, ByWorth), around: Slate) -> Found {
    let position = |hit: &Hit| all.iter().position(|other| other.memory_id == hit.memory_id).unwrap();
    let line_up = LineUp {
        ranked: all.len(),
        due: due.iter().zip(sits_out).map(|(hit, &sits_out)| Due { position: position(hit), sits_out }).collect(),
        limit,
        trials: by_worth.trials,
    };
    let ByWorth { trials, draw, .. } = by_worth;
    let sits_out = |due: &Due| draw.coin(all[due.position].memory_id) < due.sits_out;
    let answer = line_up.answer(trials.pick(all.len(), draw), sits_out);
    let chances = line_up.chances();
    let hit = |position: &usize| {
        let of_due = |due: &&Hit| due.memory_id == all[*position].memory_id;
        let hit = due.iter().find(of_due).unwrap_or(&all[*position]).clone();
        Hit { probability: Some(chances[*position]), ..hit }
    };
    let slate = Some(Slate { probability: line_up.probability(&answer.shown), ..around });
    let sat_out = answer.sat_out.iter().map(|position| all[*position].memory_id).collect();
    Found { hits: answer.shown.iter().map(hit).collect(), sat_out, slate, ..Found::default() }
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
    let totals = RunTotals {
        runs: runs.len(),
        score: runs.iter().map(|run| run.score).sum(),
        similarity: runs.iter().map(|run| run.similarity).sum(),
    };
    let constants = search.by_worth.map_or_else(WorthConstants::default, |by_worth| by_worth.constants);
    Surroundings::of(runs, totals, search.settings.limit, &constants)
}
