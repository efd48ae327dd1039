//! From what a scan found to an answer: exact scores, the pool, diversity, and who of those that are due is shown.

use reflect_core::{
    MemoryId, QuerySettings, Slate, Turn,
    ranking::{Candidate, Picked, diversify, pool_size},
    what_if::Agreement,
    worth::{Due, LineUp, LocalScale, RESERVE, RULE_VERSION, Surroundings},
};

use crate::{
    block::{RowFacts, Side},
    candidates::Bounded,
    exact::{ExactSimilarity, Lessons},
    hits::{ByWorth, Found, Hit, Search},
    postings::Selection,
    rows::Snapshot,
    said::Said,
    scan::Scan,
    scoring::Scoring,
    sides::SearchedSide,
    similarity_rank::rank_by_similarity,
    surroundings::{LookedAround, look_around},
    task::RoundedTask,
    unseen::Unseen,
};

/// How often more is looked for that says something else.
pub(crate) const MOST_LOOKS: usize = 16;

/// A row with its exact figures.
#[derive(Debug, Clone, Copy)]
struct Scored {
    row: u32,
    facts: RowFacts,
    candidate: Candidate,
    similarity: f64,
}

/// The rows that an answer is put together from, each list best first.
#[derive(Debug, Default)]
struct Ranked {
    pool: Vec<Scored>,
    /// Those that answers leave out, as far as they reach into the pool.
    retired: Vec<Scored>,
}

/// What is searched through, and how.
#[derive(Clone, Copy)]
pub(crate) struct Within<'a> {
    pub(crate) snapshot: &'a Snapshot,
    /// Where the runs that came last are.
    pub(crate) around: &'a Snapshot,
    /// What a memory may have that is not in the snapshot, if there are any.
    pub(crate) unseen: Option<Unseen>,
    pub(crate) selection: &'a Selection,
    pub(crate) threads: usize,
    /// An answer that is held against this one.
    pub(crate) shown: Option<&'a [MemoryId]>,
}

/// The answer to a search, and how its other settings relate to that, by the same rows.
pub(crate) fn search_all(search: &Search, within: &Within<'_>) -> Found {
    let mut found = search_rows(search, within);
    if search.also.is_empty() {
        return found;
    }
    let shown: Vec<MemoryId> = found.hits.iter().map(|hit| hit.memory_id).collect();
    let mut other = Search { also: Vec::new(), explain: false, ..search.clone() };
    found.agreements.clear();
    for settings in &search.also {
        other.settings.clone_from(settings);
        let by_other = search_rows(&other, &Within { shown: Some(&shown), ..*within });
        found.is_unsettled |= by_other.is_unsettled;
        found.agreements.extend(by_other.agreements);
    }
    found
}

/// The best of a snapshot for a task, best first, after floor, filter and diversity.
fn search_rows(search: &Search, within: &Within<'_>) -> Found {
    let &Within { snapshot, around, unseen, selection, threads, shown } = within;
    let settings = &search.settings;
    let rounded = RoundedTask::new(&search.task).filter(|_| search.task.len() == snapshot.dimension);
    let Some(rounded) = rounded else {
        if snapshot.len() > 0 {
            let (found, expected) = (search.task.len(), snapshot.dimension);
            tracing::warn!(found, expected, "nothing can be compared with the vector of a task");
        }
        let agreements = shown.map(|_| Agreement::CERTAIN);
        return Found { agreements: agreements.into_iter().collect(), ..Found::default() };
    };
    let look = |by_worth: ByWorth| look_around(around, &rounded, settings.limit, &by_worth.constants);
    let looked = search.by_worth.map(look).unwrap_or_default();
    let surroundings = looked.surroundings;
    let scoring = Scoring::new(search, surroundings.map_or(LocalScale::PLAIN, |around| around.scale));
    let mut scan = Scan {
        snapshot,
        task: &rounded,
        around: if std::ptr::eq(snapshot, around) { looked } else { LookedAround::default() },
        sides: SearchedSide::of(settings.matching, &scoring, &rounded, snapshot),
        selection,
        scoring: &scoring,
        floor: settings.similarity_threshold.unwrap_or(f64::NEG_INFINITY),
        turn: None,
        said: Said::default(),
        task_words: search.task_words,
        pool: pool_size(settings.limit).min(snapshot.len()),
        threads,
    };
    let by_chance = search.by_worth.zip(surroundings);
    let may_sit_out = by_chance.is_some_and(|(by_worth, _)| by_worth.sitting_out.most > 0.0);
    let wanted = settings.limit.saturating_add(if may_sit_out { RESERVE } else { 0 });
    let (ranked, picked, is_unsettled) = in_turns(search, &mut scan, wanted, unseen);
    let mut found = match by_chance {
        Some((by_worth, around)) => {
            Slots { by_worth, around, scoring: &scoring, shown }.answer(&ranked, &picked, settings.limit)
        }
        None => plain_answer(hits(&ranked.pool, &picked, &scoring), shown),
    };
    if search.explain {
        rank_by_similarity(&mut found.hits, &scan, &search.task);
    }
    if let Some(unseen) = unseen {
        let similarity = unseen.similarity(settings.matching);
        found.hits.iter_mut().filter(|hit| hit.similarity < similarity).for_each(|hit| hit.similarity_rank = None);
        found.is_unsettled = is_unsettled;
    }
    found
}

/// The best and whom diversity picks of them, turn by turn, until as many are picked as are wanted; and whether a memory that is not in the
/// snapshot may belong to those whose turn is first. What was said in one turn is not said again in the next, nor on trial.
fn in_turns(
    search: &Search,
    scan: &mut Scan<'_>,
    wanted: usize,
    unseen: Option<Unseen>,
) -> (Ranked, Vec<Picked>, bool) {
    let settings = &search.settings;
    let (mut ranked, mut picked, mut is_unsettled) = (Ranked::default(), Vec::new(), None);
    for turn in Turn::ALL {
        scan.turn = (!search.empty_lessons).then_some(turn);
        let left = wanted - picked.len();
        let (next, may_lack) = one_of_each(search, scan, left, unseen);
        is_unsettled.get_or_insert(may_lack);
        let before = ranked.pool.len();
        let by_diversity = pick(&next.pool, left, settings.mmr_lambda, scan.snapshot).into_iter();
        picked.extend(by_diversity.map(|picked| Picked { position: before + picked.position, ..picked }));
        ranked.pool.extend(next.pool);
        ranked.retired.extend(next.retired);
        // What tells nothing is for those who would see nothing else.
        let is_enough = if turn == Turn::Telling { wanted } else { 1 };
        if search.empty_lessons || picked.len() >= is_enough {
            break;
        }
    }
    ranked.retired.retain(|scored| !scan.said.has(&scored.facts));
    (ranked, picked, is_unsettled.unwrap_or_default())
}

/// The best, of those that say the same only the best one, and none that says what was said. Where most of the best say the same, those that say
/// something else are looked for again, a few times. Says too whether a memory that is not in the snapshot may belong to them.
fn one_of_each(search: &Search, scan: &mut Scan<'_>, wanted: usize, unseen: Option<Unseen>) -> (Ranked, bool) {
    scan.pool = pool_size(search.settings.limit).min(scan.snapshot.len());
    let enough = search.by_worth.map_or(wanted, |by_worth| wanted.max(by_worth.trials.among));
    let (mut all, mut may_lack) = (Ranked::default(), false);
    for _ in 0..MOST_LOOKS {
        let exact = ExactSimilarity::new(scan.snapshot, &scan.sides, &search.task);
        let mut found = Ranking { exact, scan: &*scan }.best_of(scan.candidates());
        may_lack |= unseen.is_some_and(|unseen| found.may_take(scan, unseen, &search.settings));
        if search.empty_lessons {
            return (found, may_lack);
        }
        let are_all = found.pool.len() < scan.pool;
        found.pool.retain(|scored| scan.said.add(&scored.facts));
        all.pool.append(&mut found.pool);
        // Each look reaches farther than the one before.
        all.retired = found.retired;
        if are_all || all.pool.len() >= enough {
            break;
        }
    }
    (all, may_lack)
}

impl Ranked {
    /// Whether a memory with no more than this similarity and utility may belong into the pool.
    fn may_take(&self, scan: &Scan<'_>, unseen: Unseen, settings: &QuerySettings) -> bool {
        let similarity = unseen.similarity(settings.matching);
        let looked_at = pool_size(settings.limit).max(scan.pool);
        let worst = looked_at.checked_sub(1).and_then(|last| self.pool.get(last));
        let score = scan.scoring.blend(similarity, unseen.utility);
        similarity >= scan.floor && worst.is_none_or(|worst| score >= worst.candidate.score)
    }
}

/// Exact scores of what a scan found.
struct Ranking<'a> {
    scan: &'a Scan<'a>,
    exact: ExactSimilarity<'a>,
}

impl Ranking<'_> {
    /// The best of the pool's size by exact score.
    fn best_of(&mut self, candidates: Vec<Bounded>) -> Ranked {
        let mut ranked = if self.scan.scoring.lambda == 1.0 {
            self.best_by_utility(candidates)
        } else {
            self.best_by_score(candidates)
        };
        ranked.pool.sort_unstable_by(best_first);
        ranked.pool.truncate(self.scan.pool);
        ranked.retired.sort_unstable_by(best_first);
        ranked
    }

    fn best_by_score(&mut self, mut candidates: Vec<Bounded>) -> Ranked {
        let pool = self.scan.pool;
        candidates.sort_unstable_by(|left, right| right.highest.total_cmp(&left.highest));
        let mut ranked = Ranked::default();
        let mut threshold = f64::NEG_INFINITY;
        for chunk in candidates.chunks((pool / 2).max(16)) {
            let cannot_win = |candidate: &Bounded| f64::from(candidate.highest) < threshold;
            if chunk.first().is_some_and(cannot_win) {
                break;
            }
            let may_win = || chunk.iter().take_while(|candidate| !cannot_win(candidate));
            may_win().for_each(|candidate| self.exact.prefetch(candidate.row, candidate.nearer));
            may_win().for_each(|candidate| self.add(candidate.row, candidate.nearer, &mut ranked));
            if let Some(last) = pool.checked_sub(1).filter(|last| *last < ranked.pool.len()) {
                let (_, nth, _) = ranked.pool.select_nth_unstable_by(last, best_first);
                threshold = nth.candidate.score;
            }
        }
        ranked
    }

    /// With λ = 1 a score is known before the similarity is, and ties are the rule: rows are looked at from the best on, until
    /// enough have passed the floor.
    fn best_by_utility(&mut self, candidates: Vec<Bounded>) -> Ranked {
        let of = |candidate: Bounded| {
            let facts = self.scan.snapshot.facts(candidate.row)?;
            let score = self.scan.scoring.score(0.0, &facts.learned);
            Some((candidate.row, Candidate { memory_id: facts.memory_id, score }))
        };
        let mut by_utility: Vec<(u32, Candidate)> = candidates.into_iter().filter_map(of).collect();
        by_utility.sort_unstable_by(|left, right| Candidate::best_first(&left.1, &right.1));
        let mut ranked = Ranked::default();
        let mut rest = by_utility.into_iter();
        while ranked.pool.len() < self.scan.pool
            && let Some((row, _)) = rest.next()
        {
            self.add(row, None, &mut ranked);
        }
        ranked
    }

    /// Adds a row with its exact figures, unless it is under the floor.
    fn add(&mut self, row: u32, nearer: Option<Side>, ranked: &mut Ranked) {
        let Some(facts) = self.scan.snapshot.facts(row).filter(|facts| self.scan.has_turn(facts)) else { return };
        let similarity = self.exact.of(row, nearer);
        if similarity < self.scan.floor || similarity.is_nan() {
            return;
        }
        let score = self.scan.scoring.score(similarity, &facts.learned);
        let candidate = Candidate { memory_id: facts.memory_id, score };
        let is_retired = self.scan.scoring.is_retired(&facts);
        let list = if is_retired { &mut ranked.retired } else { &mut ranked.pool };
        list.push(Scored { row, facts, candidate, similarity });
    }
}

/// An answer in which some sit out and a slot is on trial now and then, and which knows how probable it was.
struct Slots<'a> {
    by_worth: ByWorth,
    around: Surroundings,
    scoring: &'a Scoring,
    /// An answer that is held against this one.
    shown: Option<&'a [MemoryId]>,
}

impl Slots<'_> {
    /// Those whom diversity picked are due in its order; the rest is shown only on trial.
    fn answer(&self, ranked: &Ranked, picked: &[Picked], limit: usize) -> Found {
        let ByWorth { trials, draw, .. } = self.by_worth;
        let mut all: Vec<&Scored> = ranked.pool.iter().chain(&ranked.retired).collect();
        all.sort_unstable_by(|left, right| best_first(left, right));
        let (mut penalties, due_count) = (vec![0.0; all.len()], picked.len());
        let due = |picked: &Picked| {
            let scored = ranked.pool.get(picked.position)?;
            let position = all.binary_search_by(|other| best_first(other, scored)).ok()?;
            *penalties.get_mut(position)? = picked.penalty;
            Some(Due { position, sits_out: self.sits_out(scored, due_count) })
        };
        let line_up = LineUp { ranked: all.len(), due: picked.iter().filter_map(due).collect(), limit, trials };
        let id = |position: usize| all.get(position).map(|scored| scored.candidate.memory_id);
        let answer = line_up.answer(trials.pick(all.len(), draw), |due| {
            id(due.position).is_some_and(|memory_id| draw.coin(memory_id) < due.sits_out)
        });
        let chances = line_up.chances();
        let hit = |position: &usize| {
            let hit = all.get(*position)?.hit(*penalties.get(*position)?, self.scoring);
            Some(Hit { probability: chances.get(*position).copied(), ..hit })
        };
        let slate = Slate {
            usual: self.around.baseline.usual,
            unit: self.around.scale.unit,
            probability: line_up.probability(&answer.shown),
            rule_version: RULE_VERSION,
        };
        let chance_of = |other: &[MemoryId]| {
            let position = |wanted: &MemoryId| all.iter().position(|scored| scored.candidate.memory_id == *wanted);
            let mut other = other.iter().map(position).collect::<Option<Vec<usize>>>()?;
            other.sort_unstable();
            Some(line_up.probability(&other))
        };
        let agreement = |other: &[MemoryId]| Agreement { chance: chance_of(other).unwrap_or_default() };
        Found {
            hits: answer.shown.iter().filter_map(hit).collect(),
            sat_out: answer.sat_out.into_iter().filter_map(id).collect(),
            slate: Some(slate),
            agreements: self.shown.map(agreement).into_iter().collect(),
            is_unsettled: false,
        }
    }

    fn sits_out(&self, scored: &Scored, due: usize) -> f64 {
        let ByWorth { constants, today, sitting_out, .. } = self.by_worth;
        if scored.facts.is_pinned {
            return 0.0;
        }
        let worth = scored.facts.learned.worth.aged_to(today, &constants);
        sitting_out.chance(&worth, scored.facts.tells, &constants, due == 1)
    }
}

/// An answer that nothing is left to chance in, and whether it is the other one.
fn plain_answer(hits: Vec<Hit>, shown: Option<&[MemoryId]>) -> Found {
    let has = |id: &MemoryId| hits.iter().any(|hit| hit.memory_id == *id);
    let is_same = |shown: &[MemoryId]| shown.len() == hits.len() && shown.iter().all(has);
    let agreement = shown.map(|shown| if is_same(shown) { Agreement::CERTAIN } else { Agreement::default() });
    Found { agreements: agreement.into_iter().collect(), hits, ..Found::default() }
}

fn hits(pool: &[Scored], picked: &[Picked], scoring: &Scoring) -> Vec<Hit> {
    let scored = |picked: &Picked| Some((pool.get(picked.position)?, picked.penalty));
    let mut picked: Vec<(&Scored, f64)> = picked.iter().filter_map(scored).collect();
    picked.sort_unstable_by(|(left, _), (right, _)| best_first(left, right));
    picked.into_iter().map(|(scored, penalty)| scored.hit(penalty, scoring)).collect()
}

fn best_first(left: &Scored, right: &Scored) -> std::cmp::Ordering {
    Candidate::best_first(&left.candidate, &right.candidate)
}

/// Lets diversity choose. Two memories are as near as what they say; with a weight of 1 nobody asks how near that is.
fn pick(pool: &[Scored], limit: usize, mmr_lambda: f64, snapshot: &Snapshot) -> Vec<Picked> {
    let candidates: Vec<Candidate> = pool.iter().map(|scored| scored.candidate).collect();
    let compared = if mmr_lambda < 1.0 { pool } else { &[] };
    let lessons = Lessons::of(snapshot, compared.iter().map(|scored| scored.row));
    diversify(&candidates, limit, mmr_lambda, |left, right| lessons.nearness(left, right))
}

impl Scored {
    fn hit(&self, mmr_penalty: f64, scoring: &Scoring) -> Hit {
        Hit {
            memory_id: self.facts.memory_id,
            changed: self.facts.changed,
            utility: scoring.q_value(&self.facts.learned),
            worth: scoring.worth(&self.facts.learned),
            probability: None,
            similarity: self.similarity,
            score: self.candidate.score,
            mmr_penalty,
            similarity_rank: None,
        }
    }
}
