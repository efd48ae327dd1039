//! A rule at work: what it shows, and what it makes of reviews.

use std::collections::VecDeque;

use reflect_core::{
    ranking::blend,
    worth::{
        Evidence, Expectation, Learned, LearningRule, LocalScale, Neighbour, REMEMBERED_RUNS, RunTotals, SlatePlan,
        Surroundings, TrialDraw, TrialSlot, WorthConstants, slate,
    },
};

use super::{dice::Dice, rules::Rule, scene::Scene};

const LAMBDA: f64 = 0.5;
const ALPHA: f64 = 0.3;
/// How many of the best by score a slate is chosen from.
const POOL: usize = 100;
/// Runs in a day, by which evidence ages.
const RUNS_A_DAY: usize = 50;

/// What the rule keeps of a lesson.
#[derive(Clone, Copy, Default)]
struct Record {
    learned: Learned,
    score: f64,
    reviews: f64,
    /// The utility that it is ranked by.
    utility: f64,
    is_retired: bool,
}

/// A reviewed run, as a baseline sees it.
struct PastRun {
    run: usize,
    score: f64,
    added: f64,
}

/// A run that was shown lessons and waits for its review.
pub(super) struct Showing {
    run: usize,
    pub(super) shown: Vec<usize>,
    worths: Vec<f64>,
    /// What was usual for the task, where enough runs had been reviewed to say so.
    usual: Option<f64>,
    score: f64,
}

/// The most similar lessons, which all rules see alike.
pub(super) struct Nearest {
    /// Best first.
    pub(super) lessons: Vec<usize>,
}

/// One rule in one world.
pub(super) struct Learner {
    pub(super) rule: Rule,
    constants: WorthConstants,
    trials: TrialSlot,
    dice: Dice,
    records: Vec<Record>,
    past: VecDeque<PastRun>,
    waiting: VecDeque<Showing>,
}

impl Learner {
    pub(super) fn new(rule: Rule, seed: u64) -> Self {
        let share = if rule == Rule::WorthWithTrials { TrialSlot::default().share } else { 0.0 };
        Self {
            rule,
            constants: WorthConstants::default(),
            trials: TrialSlot { share, ..TrialSlot::default() },
            dice: Dice::new(seed ^ 0x7EA1),
            records: Vec::new(),
            past: VecDeque::new(),
            waiting: VecDeque::new(),
        }
    }

    /// What is shown in a run.
    pub(super) fn show(&mut self, run: usize, scene: &Scene<'_>, nearest: &Nearest) -> Showing {
        while self.records.len() < scene.cosines.len() {
            self.records.push(Record { utility: 0.5, ..Record::default() });
        }
        let limit = scene.world.limit;
        let (shown, usual) = match self.rule {
            Rule::Similarity => (nearest.lessons.iter().take(limit).copied().collect(), None),
            Rule::Constant | Rule::Ratio => (self.best(scene, limit, |cosine| cosine), None),
            Rule::MemRl => (self.best_by_z_scores(scene, nearest), None),
            Rule::Thompson => (self.best_by_draws(scene), None),
            Rule::Worth | Rule::WorthWithTrials => {
                let around = self.surroundings(scene);
                let scale = around.map_or(LocalScale::PLAIN, |around| around.scale);
                let pool = self.best(scene, POOL, |cosine| scale.similarity(cosine));
                let trials = if around.is_some() { self.trials } else { TrialSlot { share: 0.0, ..self.trials } };
                (self.slate(&pool, limit, trials), around.map(|around| around.baseline.usual))
            }
        };
        let worths = shown
            .iter()
            .filter_map(|lesson| self.records.get(*lesson))
            .map(|record| record.learned.worth.mean(&self.constants))
            .collect();
        Showing { run, shown, worths, usual, score: 0.0 }
    }

    /// A review of the run was written; it arrives after the world's delay.
    pub(super) fn review(&mut self, showing: Showing, score: f64, delay: usize) {
        let run = showing.run;
        self.waiting.push_back(Showing { score, ..showing });
        self.arrive(run, delay);
    }

    /// Takes in the reviews that have arrived by this run.
    pub(super) fn arrive(&mut self, run: usize, delay: usize) {
        while let Some(showing) = self.waiting.pop_front_if(|showing| showing.run + delay <= run) {
            self.learn(&showing);
        }
    }

    fn learn(&mut self, showing: &Showing) {
        let added = showing.usual.map_or(0.0, |_| showing.worths.iter().sum::<f64>());
        for (lesson, worth) in showing.shown.iter().zip(&showing.worths) {
            let Some(record) = self.records.get_mut(*lesson) else { continue };
            let known = showing.usual.map(|baseline| Expectation { baseline, others: added - worth });
            let expected = known.unwrap_or(Expectation::UNKNOWN);
            let day = (showing.run / RUNS_A_DAY) as i64;
            record.learned =
                record.learned.with(&Evidence { score: showing.score, alpha: ALPHA, expected, day }, &self.constants);
            record.score += showing.score;
            record.reviews += 1.0;
            let rule = if self.rule.has_baseline() { LearningRule::Worth } else { LearningRule::Constant };
            record.is_retired = record.learned.is_retired(rule, &self.constants);
            record.utility = match self.rule {
                Rule::Ratio => (record.score + 1.0) / (record.reviews + 2.0),
                _ => record.learned.utility(rule, &self.constants),
            };
        }
        if self.rule.has_baseline() {
            self.past.push_back(PastRun { run: showing.run, score: showing.score, added });
            if self.past.len() > REMEMBERED_RUNS {
                self.past.pop_front();
            }
        }
    }

    fn surroundings(&self, scene: &Scene<'_>) -> Option<Surroundings> {
        let neighbour = |past: &PastRun| {
            let similarity = *scene.past_cosines.get(past.run)?;
            Some(Neighbour { similarity, score: past.score, added: past.added })
        };
        let mut nearest: Vec<Neighbour> = self.past.iter().filter_map(neighbour).collect();
        let totals = RunTotals { runs: nearest.len(), score: nearest.iter().map(|run| run.score).sum() };
        let wanted = Surroundings::runs_wanted(totals.runs, scene.world.limit);
        if wanted < nearest.len() {
            nearest.select_nth_unstable_by(wanted, |left, right| right.similarity.total_cmp(&left.similarity));
            nearest.truncate(wanted);
        }
        Surroundings::of(nearest, totals, scene.world.limit, &self.constants)
    }

    /// The best by the blend of similarity and utility.
    fn best(&self, scene: &Scene<'_>, count: usize, similarity: impl Fn(f64) -> f64) -> Vec<usize> {
        let scores = scene.cosines.iter().zip(&self.records);
        best_of(scores.map(|(cosine, record)| blend(similarity(*cosine), record.utility, LAMBDA)), count)
    }

    fn slate(&mut self, pool: &[usize], limit: usize, trials: TrialSlot) -> Vec<usize> {
        let draw = TrialDraw { whether: self.dice.fraction(), who: self.dice.fraction() };
        let first = trials.pick(pool.len(), draw);
        let record = |position: usize| pool.get(position).and_then(|lesson| self.records.get(*lesson));
        let plan = SlatePlan { ranked: pool.len(), limit, first };
        let positions = slate(plan, |position| record(position).is_some_and(|record| record.is_retired));
        positions.into_iter().filter_map(|position| pool.get(position).copied()).collect()
    }

    fn best_by_z_scores(&self, scene: &Scene<'_>, nearest: &Nearest) -> Vec<usize> {
        let of = |lesson: &usize| Some((*scene.cosines.get(*lesson)?, self.records.get(*lesson)?.utility));
        let figures: Vec<(f64, f64)> = nearest.lessons.iter().filter_map(of).collect();
        let (similarities, utilities): (Vec<f64>, Vec<f64>) = figures.into_iter().unzip();
        let scores = z_scores(&similarities).into_iter().zip(z_scores(&utilities));
        let best = best_of(scores.map(|(similarity, utility)| blend(similarity, utility, LAMBDA)), scene.world.limit);
        best.into_iter().filter_map(|position| nearest.lessons.get(position).copied()).collect()
    }

    /// Draws from a normal distribution with the mean and the deviation of the Beta distribution.
    fn best_by_draws(&mut self, scene: &Scene<'_>) -> Vec<usize> {
        let Self { records, dice, .. } = self;
        let scores = scene.cosines.iter().zip(records).map(|(cosine, record)| {
            let (runs, mean) = (record.reviews + 2.0, (record.score + 1.0) / (record.reviews + 2.0));
            let deviation = (mean * (1.0 - mean) / (runs + 1.0)).sqrt();
            blend(*cosine, (mean + deviation * dice.normal()).clamp(0.0, 1.0), LAMBDA)
        });
        best_of(scores, scene.world.limit)
    }
}

/// The positions of the highest scores, best first.
pub(super) fn best_of(scores: impl Iterator<Item = f64>, count: usize) -> Vec<usize> {
    let mut scored: Vec<(usize, f64)> = scores.enumerate().collect();
    let best_first = |left: &(usize, f64), right: &(usize, f64)| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0));
    if count < scored.len() {
        scored.select_nth_unstable_by(count, best_first);
        scored.truncate(count);
    }
    scored.sort_unstable_by(best_first);
    scored.into_iter().map(|(position, _)| position).collect()
}

/// How many deviations each value is from the mean.
fn z_scores(values: &[f64]) -> Vec<f64> {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let deviation = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt().max(1e-9);
    values.iter().map(|value| (value - mean) / deviation).collect()
}
