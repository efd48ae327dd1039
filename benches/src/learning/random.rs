//! Worlds whose every parameter is drawn.

use super::{
    dice::Dice,
    world::{Combine, Drift, World},
};

/// The world of that number: the same one every time.
pub(super) fn random_world(number: u64) -> World {
    let mut dice = Dice::new(0x5EED_0000 + number);
    let drifts = [Drift::None, Drift::Once(0.25), Drift::Once(0.5), Drift::Often(1), Drift::Often(3)];
    let at_start = dice.one_of(&[0, 0, 50, 300, 1_500], 0);
    let reviewed = dice.one_of(&[(1.0, 1.0), (0.5, 0.5), (0.25, 0.5), (0.11, 0.33)], (1.0, 1.0));
    World {
        name: format!("random {number}"),
        kinds: dice.one_of(&[4, 8, 15, 30, 60], 30),
        spread: dice.between(0.3, 1.1),
        zipf: dice.one_of(&[0.0, 0.5, 1.0], 0.0),
        slope: dice.between(0.0, 0.2),
        at_start,
        runs_per_lesson: dice.one_of(&[2, 4, 8, 20], 4),
        paraphrases: dice.one_of(&[0.0, 0.0, 0.2, 0.5], 0.0),
        from_failures: dice.toss(0.3),
        helpful: dice.between(0.1, 0.5),
        harmful: dice.between(0.05, 0.5),
        effect: dice.between(0.05, 0.3),
        reach: dice.between(0.2, 0.9),
        combine: dice.one_of(&[Combine::Sum, Combine::Best, Combine::Logistic], Combine::Sum),
        crowding: dice.one_of(&[0.0, 0.0, 0.0, 0.005], 0.0),
        drift: dice.one_of(&drifts, Drift::None),
        better_model: dice.one_of(&[0.0, 0.0, 0.0, 0.2], 0.0),
        wrong_reviews: dice.between(0.0, 0.3),
        reviewed,
        graded: dice.toss(0.2),
        delay: dice.one_of(&[0, 0, 10, 50], 0),
        limit: dice.one_of(&[1, 3, 5, 8], 3),
        squeeze: dice.one_of(&[1.0, 1.0, 0.5, 0.15], 1.0),
        ..World::base()
    }
}
