//! A world in motion: tasks that arrive, lessons that are written, and the truth about both.

use reflect_core::{Tells, cosine};

use super::{
    dice::Dice,
    embedder::{DIMENSION, Vector, embedded},
    world::{Combine, Drift, OwnLessons, World},
};

/// The runs of a whole simulation.
pub(super) const RUNS: usize = 6_000;

const MEAN_RATE: f64 = 0.425;
const RATE_DEVIATION: f64 = 0.17;

struct Kind {
    centre: Vector,
    rate: f64,
    /// In which direction its tasks get easier.
    easier: Vector,
    /// The share of tasks up to and with this kind.
    up_to: f64,
    /// All of its tasks, where there are no others.
    texts: Vec<Vector>,
}

impl Kind {
    /// A share of all tasks at which there is one of this kind.
    fn own_share(&self) -> f64 {
        self.up_to - 1e-9
    }
}

struct Lesson {
    /// Of the task that it was learned from.
    vector: Vector,
    /// Of what it says: half its task, half its own.
    words: Vector,
    effect: f64,
    /// What the effect is once lessons have swapped theirs.
    swapped: f64,
    /// The only kind that it does anything for, if it was written for one.
    kind: Option<usize>,
    /// The runs after which its effect changes sign.
    flips: Vec<usize>,
    tells: Option<Tells>,
}

/// One task, and the random numbers that every rule shares.
pub(super) struct Task {
    /// The pass rate without lessons.
    pub(super) rate: f64,
    /// Decides whether a run passes.
    pub(super) luck: f64,
    /// Decides whether its review is wrong.
    pub(super) error: f64,
    /// Decides whether it is reviewed.
    pub(super) attention: f64,
    /// The error of a score.
    pub(super) noise: f64,
    /// Of whoever reviews it.
    pub(super) strictness: f64,
}

impl Task {
    /// What its reviewer says of a run that went so well.
    pub(super) fn scored(&self, score: f64) -> f64 {
        (score - self.strictness).clamp(0.0, 1.0)
    }
}

/// The world as it stands at a run. `cosines` belong to the latest task.
pub(super) struct Scene<'a> {
    pub(super) world: &'a World,
    dice: Dice,
    kinds: Vec<Kind>,
    lessons: Vec<Lesson>,
    tasks: Vec<Vector>,
    /// Of the latest task.
    kind: usize,
    /// Of each lesson, as rules see it.
    pub(super) cosines: Vec<f64>,
}

impl<'a> Scene<'a> {
    pub(super) fn new(world: &'a World, seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let weights: Vec<f64> = (1..=world.kinds).map(|number| (number as f64).powf(-world.zipf)).collect();
        let total: f64 = weights.iter().sum();
        let mut up_to = 0.0;
        let kinds = weights.iter().map(|weight| {
            up_to += weight / total;
            let rate = (MEAN_RATE + RATE_DEVIATION * dice.normal()).clamp(0.05, 0.9);
            let rate = world.rate.unwrap_or(rate);
            Kind { centre: direction(&mut dice), rate, easier: direction(&mut dice), up_to, texts: Vec::new() }
        });
        let kinds = kinds.collect();
        let (lessons, tasks, cosines) = (Vec::new(), Vec::new(), Vec::new());
        let mut scene = Self { world, dice, kinds, lessons, tasks, kind: 0, cosines };
        scene.write_texts();
        (0..scene.arrived_at(0)).for_each(|kind| scene.author_lessons(kind));
        (0..world.at_start).for_each(|_| scene.write_lesson(0));
        scene
    }

    /// The next task; before every few of them a lesson is written.
    pub(super) fn next_task(&mut self) -> Task {
        let run = self.tasks.len();
        if self.world.own_lessons != OwnLessons::None {
            self.leave_lesson();
        }
        if self.world.runs_per_lesson > 0 && run.is_multiple_of(self.world.runs_per_lesson) {
            self.write_lesson(run);
        }
        if self.arrived_at(run) > self.arrived_at(run.saturating_sub(1)) {
            self.author_lessons(self.arrived_at(run) - 1);
        }
        let (vector, rate) = self.draw_anywhere();
        let seen = |other: &Vector| 1.0 - self.world.squeeze * (1.0 - cosine(&vector, other));
        self.cosines = self.lessons.iter().map(|lesson| seen(&lesson.vector)).collect();
        self.tasks.push(vector);
        let reviewers = &self.world.strictness;
        let better = if run * 2 >= RUNS { self.world.better_model } else { 0.0 };
        Task {
            rate: (rate + better).clamp(0.02, 0.98),
            luck: self.dice.fraction(),
            error: self.dice.fraction(),
            attention: self.dice.fraction(),
            noise: self.dice.normal(),
            strictness: if reviewers.is_empty() { 0.0 } else { self.dice.one_of(reviewers, 0.0) },
        }
    }

    /// The latest run.
    pub(super) fn run(&self) -> usize {
        self.tasks.len().saturating_sub(1)
    }

    /// The task of a run as the embedder gives it.
    pub(super) fn task(&self, run: usize) -> Vec<f32> {
        self.tasks.get(run).map(|task| embedded(task, self.world.squeeze)).unwrap_or_default()
    }

    /// The task of a lesson and what it says, as the embedder gives them.
    pub(super) fn lesson(&self, number: usize) -> Option<(Vec<f32>, Vec<f32>)> {
        let lesson = self.lessons.get(number)?;
        let [vector, words] = [lesson.vector, lesson.words].map(|vector| embedded(&vector, self.world.squeeze));
        Some((vector, words))
    }

    /// How much a lesson tells.
    pub(super) fn tells(&self, number: usize) -> Option<Tells> {
        self.lessons.get(number)?.tells
    }

    /// The true pass rate of the latest task with these lessons.
    pub(super) fn pass_rate(&self, task: &Task, shown: &[usize]) -> f64 {
        let effects = shown.iter().map(|lesson| self.effect(*lesson));
        let crowding = self.world.crowding * shown.len() as f64;
        let rate = match self.world.combine {
            Combine::Sum => task.rate + effects.sum::<f64>(),
            Combine::Best => task.rate + effects.reduce(f64::max).unwrap_or(0.0),
            Combine::Logistic => {
                let logit = (task.rate / (1.0 - task.rate)).ln() + 4.0 * effects.sum::<f64>();
                1.0 / (1.0 + (-logit).exp())
            }
        };
        (rate - crowding).clamp(0.02, 0.98)
    }

    /// The lessons that someone who knows all effects would show.
    pub(super) fn oracle(&self) -> Vec<usize> {
        let mut effects: Vec<(usize, f64)> =
            (0..self.lessons.len()).map(|lesson| (lesson, self.effect(lesson))).collect();
        effects.retain(|(_, effect)| *effect > self.world.crowding);
        effects.sort_unstable_by(|left, right| right.1.total_cmp(&left.1));
        effects.truncate(self.world.limit);
        effects.into_iter().map(|(lesson, _)| lesson).collect()
    }

    /// What a lesson adds to the latest task.
    pub(super) fn effect(&self, number: usize) -> f64 {
        if let Some(kind) = self.lessons.get(number).and_then(|lesson| lesson.kind) {
            return if kind == self.kind { self.effect_on_its_own_task(number) } else { 0.0 };
        }
        let distance = |seen: &f64| (1.0 - seen) / self.world.squeeze / self.world.reach;
        let distance = self.cosines.get(number).map_or(f64::INFINITY, distance);
        self.effect_on_its_own_task(number) * (-distance * distance).exp()
    }

    /// The lessons that somebody wrote for a kind.
    pub(super) fn written_for(&self, kind: usize) -> Vec<usize> {
        (0..).zip(&self.lessons).filter(|(_, lesson)| lesson.kind == Some(kind)).map(|(number, _)| number).collect()
    }

    /// What a lesson adds to the task that it was learned from, by now.
    pub(super) fn effect_on_its_own_task(&self, number: usize) -> f64 {
        let Some(lesson) = self.lessons.get(number) else { return 0.0 };
        let run = self.tasks.len();
        let flips = lesson.flips.iter().filter(|at| **at < run).count();
        let sign = if flips.is_multiple_of(2) { 1.0 } else { -1.0 };
        let fading = if self.world.better_model > 0.0 && run * 2 > RUNS { 0.5 } else { 1.0 };
        let has_swapped = matches!(self.world.drift, Drift::Swapped(at) if run > at);
        sign * fading * if has_swapped { lesson.swapped } else { lesson.effect }
    }

    /// A task of the kind at that share of all tasks, and its pass rate.
    fn draw(&mut self, share: f64) -> (Vector, f64) {
        let number = self.kinds.iter().position(|kind| share < kind.up_to).unwrap_or(self.kinds.len() - 1);
        self.kind = number;
        let Some(kind) = self.kinds.get(number) else {
            return ([0.0; DIMENSION], MEAN_RATE);
        };
        if !kind.texts.is_empty() {
            return (self.dice.one_of(&kind.texts, kind.centre), kind.rate);
        }
        let mut vector = kind.centre;
        let mut lean = 0.0;
        for (value, easier) in vector.iter_mut().zip(&kind.easier) {
            let step = self.dice.normal() / (DIMENSION as f64).sqrt();
            *value += (self.world.spread * step) as f32;
            lean += step * f64::from(*easier) * (DIMENSION as f64).sqrt();
        }
        (unit(vector), kind.rate + self.world.slope * lean)
    }

    fn write_texts(&mut self) {
        for number in 0..self.kinds.len() {
            let texts = (0..self.world.texts).map(|_| self.draw(self.kinds.get(number).map_or(0.0, Kind::own_share)).0);
            let texts: Vec<Vector> = texts.collect();
            if let Some(kind) = self.kinds.get_mut(number) {
                kind.texts = texts;
            }
        }
    }

    /// Writes the lessons for a kind.
    fn author_lessons(&mut self, number: usize) {
        let mut swapped = self.world.authored.clone();
        if let [first, second, ..] = swapped.as_mut_slice() {
            std::mem::swap(first, second);
        }
        for (&effect, swapped) in self.world.authored.iter().zip(swapped) {
            let (vector, _) = self.draw(self.kinds.get(number).map_or(0.0, Kind::own_share));
            let words = self.words(&vector);
            let (kind, flips) = (Some(number), Vec::new());
            self.lessons.push(Lesson { vector, words, effect, swapped, kind, flips, tells: None });
        }
    }

    /// How many kinds of task there are by that run.
    fn arrived_at(&self, run: usize) -> usize {
        let further = run.checked_div(self.world.runs_per_kind);
        further.map_or(self.kinds.len(), |further| self.kinds.len().min(1 + further))
    }

    /// What the latest run leaves: a lesson that does nothing.
    fn leave_lesson(&mut self) {
        if let Some(&vector) = self.tasks.last() {
            let words = self.words(&vector);
            let said = if self.lessons.len().is_multiple_of(2) { Tells::Example } else { Tells::Nothing };
            let tells = (self.world.own_lessons == OwnLessons::Said).then_some(said);
            let (effect, swapped, flips) = (0.0, 0.0, Vec::new());
            self.lessons.push(Lesson { vector, words, effect, swapped, kind: None, flips, tells });
        }
    }

    /// What a lesson for that task says: half its task, half its own.
    fn words(&mut self, vector: &Vector) -> Vector {
        let mut words = *vector;
        words.iter_mut().zip(direction(&mut self.dice)).for_each(|(value, own)| *value += own);
        unit(words)
    }

    fn write_lesson(&mut self, run: usize) {
        let flips = match self.world.drift {
            Drift::None | Drift::Swapped(_) => Vec::new(),
            Drift::Once(share) => {
                if self.dice.toss(share) {
                    vec![RUNS / 2]
                } else {
                    Vec::new()
                }
            }
            Drift::Often(times) => (0..times).map(|_| run + self.dice.below(RUNS - run)).collect(),
        };
        if self.dice.toss(self.world.paraphrases) && !self.lessons.is_empty() {
            let number = self.dice.below(self.lessons.len());
            if let Some(Lesson { vector, words, effect, flips, .. }) = self.lessons.get(number) {
                let (effect, flips) = (*effect, flips.clone());
                let [vector, words] = [*vector, *words].map(|vector| nudged(vector, &mut self.dice));
                self.lessons.push(Lesson { vector, words, effect, swapped: effect, kind: None, flips, tells: None });
            }
            return;
        }
        let (mut vector, mut rate) = self.draw_anywhere();
        while self.world.from_failures && self.dice.toss(rate) {
            (vector, rate) = self.draw_anywhere();
        }
        let size = self.world.effect * self.dice.between(0.5, 1.5);
        let which = self.dice.fraction();
        let sign = if which < self.world.helpful {
            1.0
        } else if which < self.world.helpful + self.world.harmful {
            -1.0
        } else {
            0.0
        };
        let words = self.words(&vector);
        let effect = sign * size;
        self.lessons.push(Lesson { vector, words, effect, swapped: effect, kind: None, flips, tells: None });
    }

    /// A task of any kind that there is by now.
    fn draw_anywhere(&mut self) -> (Vector, f64) {
        let arrived = self.arrived_at(self.tasks.len());
        let newest = self.kinds.get(arrived.saturating_sub(1)).filter(|_| arrived < self.kinds.len());
        let share = self.dice.fraction() * newest.map_or(1.0, |kind| kind.up_to);
        self.draw(share)
    }
}

/// A unit vector.
pub(super) fn direction(dice: &mut Dice) -> Vector {
    unit(std::array::from_fn(|_| dice.normal() as f32))
}

/// Almost the same vector.
fn nudged(vector: Vector, dice: &mut Dice) -> Vector {
    unit(vector.map(|value| value + (0.03 * dice.normal()) as f32))
}

fn unit(vector: Vector) -> Vector {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt().max(1e-6);
    vector.map(|value| value / length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_further_kind_comes_up_with_its_lessons() {
        let authored = vec![0.3, -0.3];
        let world = World { kinds: 3, runs_per_kind: 10, runs_per_lesson: 0, authored, ..World::base() };
        let mut scene = Scene::new(&world, 3);
        let mut kinds = [0; 3];
        for run in 0..40 {
            scene.next_task();
            assert_eq!(scene.lessons.len(), 2 * (1 + run / 10).min(3), "run {run}");
            assert!(scene.kind <= run / 10);
            kinds[scene.kind] += 1;
        }
        assert!(kinds.iter().all(|tasks| *tasks > 0), "{kinds:?}");
        assert_eq!(scene.written_for(2), [4, 5]);
    }
    #[test]
    fn written_lessons_swap_what_they_do_and_keep_it() {
        let (drift, authored) = (Drift::Swapped(2), vec![0.3, -0.2, 0.0]);
        let world = World { kinds: 1, runs_per_lesson: 0, drift, authored, ..World::base() };
        let mut scene = Scene::new(&world, 3);
        let effects = [0, 1, 2, 3].map(|_| {
            scene.next_task();
            [0, 1, 2].map(|lesson| scene.effect(lesson))
        });
        let (before, after) = ([0.3, -0.2, 0.0], [-0.2, 0.3, 0.0]);
        assert_eq!(effects, [before, before, after, after]);
    }
    #[test]
    fn reviewers_differ_about_the_same_run() {
        let world = World { strictness: vec![-0.25, 0.5], ..World::base() };
        let mut scene = Scene::new(&world, 3);
        let tasks: Vec<Task> = (0..20).map(|_| scene.next_task()).collect();
        let says = |pass, fail| tasks.iter().any(|task| (task.scored(1.0), task.scored(0.0)) == (pass, fail));
        assert!(says(1.0, 0.25) && says(0.5, 0.0) && !says(1.0, 0.0));
    }
}
