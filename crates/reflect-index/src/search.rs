//! From what a scan found to an answer: exact scores, the pool, diversity.

use reflect_core::{
    QuerySettings,
    ranking::{Candidate, Picked, blend, diversify, pool_size},
};

use crate::{
    block::RowFacts,
    candidates::Bounded,
    exact::{ExactSimilarity, Lessons},
    hits::{Hit, Search},
    postings::Selection,
    rows::Snapshot,
    scan::Scan,
    sides::SearchedSide,
    similarity_rank::rank_by_similarity,
    task::RoundedTask,
};

/// A row with its exact figures.
#[derive(Debug, Clone, Copy)]
struct Scored {
    row: u32,
    facts: RowFacts,
    candidate: Candidate,
    similarity: f64,
}

/// The best of a snapshot for a task, best first, after floor, filter and diversity.
pub(crate) fn search_rows(search: &Search, snapshot: &Snapshot, selection: &Selection, threads: usize) -> Vec<Hit> {
    let settings = &search.settings;
    let rounded = RoundedTask::new(&search.task).filter(|_| search.task.len() == snapshot.dimension);
    let Some(rounded) = rounded else {
        if snapshot.len() > 0 {
            let (found, expected) = (search.task.len(), snapshot.dimension);
            tracing::warn!(found, expected, "nothing can be compared with the vector of a task");
        }
        return Vec::new();
    };
    let scan = Scan {
        snapshot,
        task: &rounded,
        sides: SearchedSide::of(settings, &rounded, snapshot),
        selection,
        floor: settings.similarity_threshold.unwrap_or(f64::NEG_INFINITY),
        pool: pool_size(settings.limit).min(snapshot.len()),
        threads,
    };
    let exact = ExactSimilarity::new(snapshot, &scan.sides, &search.task);
    let mut scoring = Scoring { exact, scan: &scan, lambda: settings.lambda };
    let pool = scoring.best_of(scan.candidates());
    let picked = pick(&pool, settings, snapshot).into_iter();
    let mut hits: Vec<Hit> = picked.filter_map(|picked| Some(pool.get(picked.position)?.hit(picked))).collect();
    if search.explain {
        rank_by_similarity(&mut hits, &scan, &search.task);
    }
    hits
}

/// Exact scores of what a scan found.
struct Scoring<'a> {
    scan: &'a Scan<'a>,
    exact: ExactSimilarity<'a>,
    lambda: f64,
}

impl Scoring<'_> {
    /// The best of the pool's size by exact score, best first.
    fn best_of(&mut self, mut candidates: Vec<Bounded>) -> Vec<Scored> {
        if self.lambda == 1.0 {
            return self.best_by_utility(candidates);
        }
        let pool = self.scan.pool;
        candidates.sort_unstable_by(|left, right| right.highest.total_cmp(&left.highest));
        let mut scored: Vec<Scored> = Vec::new();
        let mut threshold = f64::NEG_INFINITY;
        for chunk in candidates.chunks((pool / 2).max(16)) {
            let cannot_win = |candidate: &Bounded| f64::from(candidate.highest) < threshold;
            if chunk.first().is_some_and(cannot_win) {
                break;
            }
            let may_win = chunk.iter().take_while(|candidate| !cannot_win(candidate));
            scored.extend(may_win.filter_map(|candidate| self.score(candidate.row)));
            if let Some(last) = pool.checked_sub(1).filter(|last| *last < scored.len()) {
                let (_, nth, _) = scored.select_nth_unstable_by(last, best_first);
                threshold = nth.candidate.score;
            }
        }
        scored.sort_unstable_by(best_first);
        scored.truncate(pool);
        scored
    }

    /// With λ = 1 a score is known before the similarity is, and ties are the rule: rows are looked at from the best on, until
    /// enough have passed the floor.
    fn best_by_utility(&mut self, candidates: Vec<Bounded>) -> Vec<Scored> {
        let pool = self.scan.pool;
        let of = |candidate: Bounded| {
            let facts = self.scan.snapshot.facts(candidate.row)?;
            let score = blend(0.0, facts.utility, self.lambda);
            Some((candidate.row, Candidate { memory_id: facts.memory_id, score }))
        };
        let mut by_utility: Vec<(u32, Candidate)> = candidates.into_iter().filter_map(of).collect();
        by_utility.sort_unstable_by(|left, right| Candidate::best_first(&left.1, &right.1));
        let passing = by_utility.into_iter().filter_map(|(row, _)| self.score(row));
        let mut scored: Vec<Scored> = passing.take(pool).collect();
        scored.sort_unstable_by(best_first);
        scored
    }

    /// The row's exact figures; `None` if it is under the floor.
    fn score(&mut self, row: u32) -> Option<Scored> {
        let facts = self.scan.snapshot.facts(row)?;
        let similarity = self.exact.of(row);
        let score = blend(similarity, facts.utility, self.lambda);
        let candidate = Candidate { memory_id: facts.memory_id, score };
        (similarity >= self.scan.floor).then_some(Scored { row, facts, candidate, similarity })
    }
}

fn best_first(left: &Scored, right: &Scored) -> std::cmp::Ordering {
    Candidate::best_first(&left.candidate, &right.candidate)
}

/// Lets diversity choose. Two memories are as near as what they say; with a weight of 1 nobody asks how near that is.
fn pick(pool: &[Scored], settings: &QuerySettings, snapshot: &Snapshot) -> Vec<Picked> {
    let candidates: Vec<Candidate> = pool.iter().map(|scored| scored.candidate).collect();
    let compared = if settings.mmr_lambda < 1.0 { pool } else { &[] };
    let lessons = Lessons::of(snapshot, compared.iter().map(|scored| scored.row));
    diversify(&candidates, settings.limit, settings.mmr_lambda, |left, right| lessons.nearness(left, right))
}

impl Scored {
    fn hit(&self, picked: Picked) -> Hit {
        Hit {
            memory_id: self.facts.memory_id,
            changed: self.facts.changed,
            utility: self.facts.utility,
            similarity: self.similarity,
            score: self.candidate.score,
            mmr_penalty: picked.penalty,
            similarity_rank: None,
        }
    }
}
