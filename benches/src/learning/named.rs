//! The worlds with names: a base, and variants that change what they name.

use super::world::{Combine, Drift, World};

/// All of them. The last three are ours beside those of the study.
pub(super) fn named_worlds() -> Vec<World> {
    let change = |name: &str, change: fn(&mut World)| {
        let mut world = World { name: name.to_owned(), ..World::base() };
        change(&mut world);
        world
    };
    vec![
        World::base(),
        change("no drift", |world| world.drift = Drift::None),
        change("every lesson flips three times", |world| world.drift = Drift::Often(3)),
        change("best of the shown, no sum", |world| world.combine = Combine::Best),
        change("logistic effects", |world| world.combine = Combine::Logistic),
        change("reach halved", |world| world.reach *= 0.5),
        change("reach × 2.5", |world| world.reach *= 2.5),
        change("5 % harmful", |world| world.harmful = 0.05),
        change("50 % harmful, 25 % helpful", |world| (world.harmful, world.helpful) = (0.5, 0.25)),
        change("2,000 at the start, 40 % paraphrases", |world| (world.at_start, world.paraphrases) = (2_000, 0.4)),
        change("difficulty confounded, kinds overlap", |world| (world.slope, world.spread) = (0.25, 1.1)),
        change("20 % reviewed, fails 3 : 1", |world| world.reviewed = (0.11, 0.33)),
        change("no wrong reviews", |world| world.wrong_reviews = 0.0),
        change("30 % of reviews wrong", |world| world.wrong_reviews = 0.3),
        change("1 lesson shown", |world| world.limit = 1),
        change("8 lessons shown", |world| world.limit = 8),
        change("small team: 8 kinds", |world| world.kinds = 8),
        change("small team, 150 at the start", |world| (world.kinds, world.at_start) = (8, 150)),
        change("small team, effects × 2", |world| (world.kinds, world.effect) = (8, 0.3)),
        change("no lesson has any effect", |world| world.effect = 0.0),
        change("no effect, each costs 1 point", |world| (world.effect, world.crowding, world.limit) = (0.0, 0.01, 5)),
        change("cosines squeezed", |world| world.squeeze = 0.15),
        change("reviews 200 runs late", |world| world.delay = 200),
        change("10 % very helpful, rest neutral", |world| {
            (world.helpful, world.harmful, world.effect) = (0.1, 0.0, 0.45);
        }),
        change("graded reviews", |world| world.graded = true),
        change("tasks repeat word for word", |world| (world.spread, world.slope) = (0.0, 0.0)),
        change("a better model half-way", |world| world.better_model = 0.2),
        change("lessons come from failures", |world| world.from_failures = true),
    ]
}
