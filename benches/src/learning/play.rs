//! One world from the first run to the last, all rules side by side on the same tasks.

use super::{
    learner::{Learner, Nearest, best_of},
    rules::Rule,
    scene::{RUNS, Scene, Task},
    world::World,
};

/// After how many runs success is told: the mean over the last fifth of them.
pub(super) const HORIZONS: [usize; 3] = [300, 2_000, 6_000];

/// The most similar lessons that MemRL chooses from, at least.
const FEWEST_NEAREST: usize = 20;

/// Mean true pass rates at each horizon.
pub(super) type Success = [f64; HORIZONS.len()];

/// What came of one world with one seed.
#[derive(Debug, Clone)]
pub(super) struct Outcome {
    pub(super) without: Success,
    pub(super) oracle: Success,
    /// In the order of [`Rule::ALL`].
    pub(super) rules: Vec<Success>,
}

impl Outcome {
    pub(super) fn of(&self, rule: Rule) -> Success {
        let found = Rule::ALL.iter().zip(&self.rules).find(|(other, _)| **other == rule);
        found.map(|(_, success)| *success).unwrap_or_default()
    }
}

pub(super) fn play(world: &World, seed: u64) -> Outcome {
    let mut scene = Scene::new(world, seed);
    let mut learners: Vec<Learner> = Rule::ALL.iter().map(|rule| Learner::new(*rule, seed)).collect();
    let mut outcome = Outcome { without: [0.0; 3], oracle: [0.0; 3], rules: vec![[0.0; 3]; learners.len()] };
    for run in 0..RUNS {
        let task = scene.next_task();
        let nearest = nearest(&scene);
        let counted = HORIZONS.iter().position(|horizon| run < *horizon && run >= horizon - horizon / 5);
        if let Some(horizon) = counted {
            note(&mut outcome.without, horizon, task.rate);
            note(&mut outcome.oracle, horizon, scene.pass_rate(&task, &scene.oracle()));
        }
        for (learner, success) in learners.iter_mut().zip(&mut outcome.rules) {
            learner.arrive(run, world.delay);
            let showing = learner.show(run, &scene, &nearest);
            let rate = scene.pass_rate(&task, &showing.shown);
            if let Some(horizon) = counted {
                note(success, horizon, rate);
            }
            if let Some(score) = review(world, &task, rate) {
                learner.review(showing, score, world.delay);
            }
        }
    }
    outcome
}

fn note(success: &mut Success, horizon: usize, rate: f64) {
    if let (Some(sum), Some(runs)) = (success.get_mut(horizon), HORIZONS.get(horizon)) {
        *sum += rate / (runs / 5) as f64;
    }
}

fn nearest(scene: &Scene<'_>) -> Nearest {
    Nearest { lessons: best_of(scene.cosines.iter().copied(), (3 * scene.world.limit).max(FEWEST_NEAREST)) }
}

/// What the reviewer says of a run with that pass rate; nothing of one that nobody looks at.
fn review(world: &World, task: &Task, rate: f64) -> Option<f64> {
    let passed = (task.luck < rate) != (task.error < world.wrong_reviews);
    let (of_passes, of_fails) = world.reviewed;
    let share = if passed { of_passes } else { of_fails };
    let score = if world.graded { (rate + 0.25 * task.noise).clamp(0.0, 1.0) } else { f64::from(u8::from(passed)) };
    (task.attention < share).then_some(score)
}
