//! Worlds in which somebody wrote lessons for each kind of task: one that helps, one that harms, one that does nothing.
//!
//! Which is which shows only where answers differ. So these worlds tell whether a rule tells lessons apart that always belong together.

use super::{
    dice::Dice,
    learner::{Learner, Reviewed},
    parallel::in_parallel,
    product::ProductLearner,
    rules::{How, ProductRule, Rule},
    scene::Scene,
    statistics::Mean,
    world::{Drift, OwnLessons, World},
};
use crate::say;

/// What the lessons of each kind add.
const AUTHORED: [f64; 3] = [0.35, -0.30, 0.0];

/// A world and how many runs there are in it.
struct Told {
    world: World,
    runs: usize,
}

/// What came of one world with one seed.
#[derive(Debug, Clone, Copy, Default)]
struct Outcome {
    /// The mean true pass rate of the second half.
    late: f64,
    /// The shares of late runs that saw a lesson that helps, or one that harms.
    saw_helpful: f64,
    saw_harmful: f64,
    /// The shares of slots with a lesson that helps: in the second eighth of the runs, and in the second half.
    helpful_early: f64,
    helpful_slots: f64,
    /// How many lessons that help are retired, or below the middle.
    lost: f64,
    /// Whether in each kind the one that helps leads so, and whether the one that harms is last or retired.
    leads: f64,
    last: f64,
    /// Whether in each kind the one that helps leads by 0.15 of `q_value`, and the one that harms is last or retired.
    right: f64,
}

fn worlds() -> Vec<Told> {
    let six = || World {
        kinds: 6,
        rate: Some(0.4),
        authored: AUTHORED.to_vec(),
        floor: Some(0.4),
        limit: 5,
        runs_per_lesson: 0,
        wrong_reviews: 0.0,
        slope: 0.0,
        drift: Drift::None,
        ..World::base()
    };
    let told = |name: &str, runs, change: fn(&mut World)| {
        let mut world = World { name: name.to_owned(), ..six() };
        change(&mut world);
        Told { world, runs }
    };
    vec![
        told("six kinds", 1_200, |_| ()),
        told("six kinds, runs leave empty lessons", 1_200, |world| world.own_lessons = OwnLessons::Unsaid),
        told("six kinds, empty lessons say so", 1_200, |world| world.own_lessons = OwnLessons::Said),
        told("24 texts, runs leave empty lessons", 1_200, |world| {
            (world.own_lessons, world.texts) = (OwnLessons::Unsaid, 4)
        }),
        told("24 texts, empty lessons say so", 1_200, |world| (world.own_lessons, world.texts) = (OwnLessons::Said, 4)),
        told("24 texts, no empty lessons", 1_200, |world| world.texts = 4),
        told("growing, a new kind every 200 runs", 2_000, |world| (world.kinds, world.runs_per_kind) = (10, 200)),
        told("helpful and harmful swap half-way", 1_200, |world| world.drift = Drift::Swapped(600)),
        told("reviewers disagree", 1_200, |world| world.strictness = vec![-0.4, 0.0, 0.4]),
        told("three together", 400, |world| world.kinds = 1),
        told("three together, cosines squeezed", 400, |world| {
            (world.kinds, world.squeeze, world.floor) = (1, 0.15, None)
        }),
    ]
}

pub(super) fn print(rules: &[Rule], seeds: usize, threads: usize, only: Option<&str>) {
    for Told { world, runs } in worlds() {
        if only.is_some_and(|only| !world.name.contains(only)) {
            continue;
        }
        say(format_args!("\n{}, {runs} runs, {seeds} seeds\n", world.name));
        say(format_args!(
            "| rule | late | saw helpful | saw harmful | helpful slots early | late | helpful lost | leads | last | right |"
        ));
        say(format_args!("|---|---|---|---|---|---|---|---|---|---|"));
        for rule in rules {
            let How::Product(product) = rule.how else { continue };
            let outcomes = in_parallel(threads, seeds, |seed| play(&world, product, runs, seed as u64 + 1));
            let mean = |figure: fn(&Outcome) -> f64| Mean::of(&outcomes.iter().map(figure).collect::<Vec<_>>());
            let late = mean(|outcome| outcome.late);
            let figures: [fn(&Outcome) -> f64; 8] = [
                |outcome| outcome.saw_helpful,
                |outcome| outcome.saw_harmful,
                |outcome| outcome.helpful_early,
                |outcome| outcome.helpful_slots,
                |outcome| outcome.lost,
                |outcome| outcome.leads,
                |outcome| outcome.last,
                |outcome| outcome.right,
            ];
            let figures = figures.map(|figure| format!("{:.2}", mean(figure).value)).join(" | ");
            say(format_args!("| {} | {:.3} ± {:.3} | {figures} |", rule.name, late.value, late.error));
        }
    }
}

fn play(world: &World, rule: ProductRule, runs: usize, seed: u64) -> Outcome {
    let (mut scene, mut learner) = (Scene::new(world, seed), ProductLearner::new(rule, seed));
    let mut luck = Dice::new(seed ^ 0xF00D);
    let (mut outcome, mut slots, mut early_slots) = (Outcome::default(), 0.0, 0.0);
    for run in 0..runs {
        let task = scene.next_task();
        let showing = learner.show(&scene, &[]);
        let rate = scene.pass_rate(&task, &showing.lessons);
        let count = |is: fn(f64) -> bool| showing.lessons.iter().filter(|lesson| is(scene.effect(**lesson))).count();
        let (helpful, harmful) = (count(|effect| effect > 0.0), count(|effect| effect < 0.0));
        if (runs / 8..runs / 4).contains(&run) {
            outcome.helpful_early += helpful as f64;
            early_slots += showing.lessons.len() as f64;
        }
        if run >= runs / 2 {
            let share = 1.0 / (runs - runs / 2) as f64;
            outcome.late += share * rate;
            outcome.saw_helpful += share * f64::from(u8::from(helpful > 0));
            outcome.saw_harmful += share * f64::from(u8::from(harmful > 0));
            outcome.helpful_slots += helpful as f64;
            slots += showing.lessons.len() as f64;
        }
        let score = task.scored(f64::from(u8::from(luck.toss(rate))));
        learner.learn(&Reviewed { run, showing, score }, &scene);
    }
    outcome.helpful_slots /= f64::max(slots, 1.0);
    outcome.helpful_early /= f64::max(early_slots, 1.0);
    judge(&mut outcome, &learner, &scene, rule);
    outcome
}

fn judge(outcome: &mut Outcome, learner: &ProductLearner, scene: &Scene<'_>, rule: ProductRule) {
    let retired = learner.retired(scene);
    let q_value =
        |lesson: usize| learner.learned(lesson).map_or(0.5, |learned| learned.q_value(rule.learning, &rule.constants));
    let effect = |lesson: usize| scene.effect_on_its_own_task(lesson);
    let (mut all_lead, mut all_last, mut is_right) = (true, true, true);
    for kind in 0..scene.world.kinds {
        let mut lessons = scene.written_for(kind);
        lessons.sort_by(|left, right| effect(*right).total_cmp(&effect(*left)));
        let Ok([helpful, neutral, harmful]) = <[usize; 3]>::try_from(lessons) else { continue };
        let is_lost = retired.contains(&helpful) || q_value(helpful) < 0.5;
        outcome.lost += f64::from(u8::from(is_lost));
        let leads = q_value(helpful) >= q_value(harmful).max(q_value(neutral)) + 0.15;
        let is_last = retired.contains(&harmful) || q_value(harmful) <= q_value(neutral);
        (all_lead, all_last) = (all_lead && leads, all_last && is_last);
        is_right &= leads && is_last && !is_lost;
    }
    (outcome.leads, outcome.last) = (f64::from(u8::from(all_lead)), f64::from(u8::from(all_last)));
    outcome.right = f64::from(u8::from(is_right));
}
