//! One world from the first run to the last, all rules side by side on the same tasks.

use std::collections::VecDeque;

use super::{
    learner::{Learner, Reviewed},
    product::ProductLearner,
    published::{PublishedLearner, best_of},
    rules::{How, Rule},
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
    /// By the rules' names.
    rules: Vec<(&'static str, Success)>,
    /// What each rule leaves out in the end.
    left_out: Vec<(&'static str, LeftOut)>,
}

/// Lessons that are left out, by what they truly do.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LeftOut {
    pub(super) harmful: usize,
    pub(super) neutral: usize,
    pub(super) helpful: usize,
}

impl LeftOut {
    fn of(lessons: &[usize], scene: &Scene<'_>) -> Self {
        let count = |truth: fn(f64) -> bool| {
            lessons.iter().filter(|lesson| truth(scene.effect_on_its_own_task(**lesson))).count()
        };
        Self {
            harmful: count(|effect| effect < 0.0),
            neutral: count(|effect| effect == 0.0),
            helpful: count(|effect| effect > 0.0),
        }
    }

    pub(super) const fn and(self, other: Self) -> Self {
        Self {
            harmful: self.harmful + other.harmful,
            neutral: self.neutral + other.neutral,
            helpful: self.helpful + other.helpful,
        }
    }
}

impl Outcome {
    pub(super) fn of(&self, name: &str) -> Success {
        by_name(&self.rules, name)
    }

    pub(super) fn left_out(&self, name: &str) -> LeftOut {
        by_name(&self.left_out, name)
    }
}

fn by_name<T: Copy + Default>(figures: &[(&'static str, T)], name: &str) -> T {
    figures.iter().find(|(other, _)| *other == name).map(|(_, figure)| *figure).unwrap_or_default()
}

/// A rule, its success so far, and reviews that have not arrived.
struct Contestant {
    name: &'static str,
    learner: Box<dyn Learner>,
    waiting: VecDeque<Reviewed>,
    success: Success,
}

impl Contestant {
    fn new(rule: &Rule, seed: u64) -> Self {
        let learner: Box<dyn Learner> = match rule.how {
            How::Published(rule) => Box::new(PublishedLearner::new(rule, seed)),
            How::Product(rule) => Box::new(ProductLearner::new(rule, seed)),
        };
        Self { name: rule.name, learner, waiting: VecDeque::new(), success: Success::default() }
    }

    /// Takes in the reviews that have arrived by the latest run.
    fn catch_up(&mut self, scene: &Scene<'_>) {
        let has_arrived = |reviewed: &mut Reviewed| reviewed.run + scene.world.delay <= scene.run();
        while let Some(reviewed) = self.waiting.pop_front_if(has_arrived) {
            self.learner.learn(&reviewed, scene);
        }
    }
}

pub(super) fn play(world: &World, rules: &[Rule], seed: u64) -> Outcome {
    let mut scene = Scene::new(world, seed);
    let mut contestants: Vec<Contestant> = rules.iter().map(|rule| Contestant::new(rule, seed)).collect();
    let (mut without, mut oracle) = (Success::default(), Success::default());
    for run in 0..RUNS {
        let task = scene.next_task();
        let nearest = best_of(scene.cosines.iter().copied(), (3 * world.limit).max(FEWEST_NEAREST));
        let counted = HORIZONS.iter().position(|horizon| run < *horizon && run >= horizon - horizon / 5);
        if let Some(horizon) = counted {
            note(&mut without, horizon, task.rate);
            note(&mut oracle, horizon, scene.pass_rate(&task, &scene.oracle()));
        }
        for contestant in &mut contestants {
            contestant.catch_up(&scene);
            let showing = contestant.learner.show(&scene, &nearest);
            let rate = scene.pass_rate(&task, &showing.lessons);
            if let Some(horizon) = counted {
                note(&mut contestant.success, horizon, rate);
            }
            if let Some(score) = review(world, &task, rate) {
                contestant.waiting.push_back(Reviewed { run, showing, score });
                contestant.catch_up(&scene);
            }
        }
    }
    let left_out = |contestant: &Contestant| LeftOut::of(&contestant.learner.retired(&scene), &scene);
    let left_out = contestants.iter().map(|contestant| (contestant.name, left_out(contestant))).collect();
    let rules = contestants.into_iter().map(|contestant| (contestant.name, contestant.success)).collect();
    Outcome { without, oracle, rules, left_out }
}

fn note(success: &mut Success, horizon: usize, rate: f64) {
    if let (Some(sum), Some(runs)) = (success.get_mut(horizon), HORIZONS.get(horizon)) {
        *sum += rate / (runs / 5) as f64;
    }
}

/// What the reviewer says of a run with that pass rate; nothing of one that nobody looks at.
fn review(world: &World, task: &Task, rate: f64) -> Option<f64> {
    let passed = (task.luck < rate) != (task.error < world.wrong_reviews);
    let (of_passes, of_fails) = world.reviewed;
    let share = if passed { of_passes } else { of_fails };
    let score = if world.graded { (rate + 0.25 * task.noise).clamp(0.0, 1.0) } else { f64::from(u8::from(passed)) };
    (task.attention < share).then_some(task.scored(score))
}
