//! The published rules at work. They rank by cosines as the embedder gives them.

use reflect_core::{ranking::blend, step};

use super::{
    dice::Dice,
    learner::{Learner, Reviewed, Showing},
    rules::Published,
    scene::Scene,
};

const LAMBDA: f64 = 0.5;
const ALPHA: f64 = 0.3;

/// What a rule keeps of a lesson.
#[derive(Clone, Copy)]
struct Record {
    average: f64,
    score: f64,
    reviews: f64,
}

impl Record {
    const NEW: Self = Self { average: 0.5, score: 0.0, reviews: 0.0 };

    fn ratio(&self) -> f64 {
        (self.score + 1.0) / (self.reviews + 2.0)
    }
}

pub(super) struct PublishedLearner {
    rule: Published,
    dice: Dice,
    records: Vec<Record>,
}

impl PublishedLearner {
    pub(super) fn new(rule: Published, seed: u64) -> Self {
        Self { rule, dice: Dice::new(seed ^ 0x7EA1), records: Vec::new() }
    }

    fn best_by_ratio(&self, scene: &Scene<'_>) -> Vec<usize> {
        let scores = scene.cosines.iter().zip(&self.records);
        best_of(scores.map(|(cosine, record)| blend(*cosine, record.ratio(), LAMBDA)), scene.world.limit)
    }

    fn best_by_z_scores(&self, scene: &Scene<'_>, nearest: &[usize]) -> Vec<usize> {
        let of = |lesson: &usize| Some((*scene.cosines.get(*lesson)?, self.records.get(*lesson)?.average));
        let (similarities, averages): (Vec<f64>, Vec<f64>) = nearest.iter().filter_map(of).unzip();
        let scores = z_scores(&similarities).into_iter().zip(z_scores(&averages));
        let best = best_of(scores.map(|(similarity, average)| blend(similarity, average, LAMBDA)), scene.world.limit);
        best.into_iter().filter_map(|position| nearest.get(position).copied()).collect()
    }

    /// Draws from a normal distribution with the mean and the deviation of the Beta distribution.
    fn best_by_draws(&mut self, scene: &Scene<'_>) -> Vec<usize> {
        let Self { records, dice, .. } = self;
        let scores = scene.cosines.iter().zip(records).map(|(cosine, record)| {
            let (runs, mean) = (record.reviews + 2.0, record.ratio());
            let deviation = (mean * (1.0 - mean) / (runs + 1.0)).sqrt();
            blend(*cosine, (mean + deviation * dice.normal()).clamp(0.0, 1.0), LAMBDA)
        });
        best_of(scores, scene.world.limit)
    }
}

impl Learner for PublishedLearner {
    fn show(&mut self, scene: &Scene<'_>, nearest: &[usize]) -> Showing {
        self.records.resize(scene.cosines.len(), Record::NEW);
        let lessons = match self.rule {
            Published::Similarity => nearest.iter().take(scene.world.limit).copied().collect(),
            Published::Ratio => self.best_by_ratio(scene),
            Published::MemRl => self.best_by_z_scores(scene, nearest),
            Published::Thompson => self.best_by_draws(scene),
        };
        Showing { lessons, ..Showing::default() }
    }

    fn learn(&mut self, reviewed: &Reviewed, _scene: &Scene<'_>) {
        for lesson in &reviewed.showing.lessons {
            let Some(record) = self.records.get_mut(*lesson) else { continue };
            record.average = step(record.average, ALPHA, reviewed.score);
            record.score += reviewed.score;
            record.reviews += 1.0;
        }
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
