use std::collections::BTreeMap;

use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::{
    MemoryId,
    draws::draws,
    worth::{SittingOut, SlateDraw},
};

fn line_up(ranked: usize, due: &[(usize, f64)], limit: usize, share: f64) -> LineUp {
    let due = due.iter().map(|&(position, sits_out)| Due { position, sits_out }).collect();
    LineUp { ranked, due, limit, trials: TrialSlot { share, among: 20 } }
}

/// Every answer with its probability: all coins of all who are due, with each position on trial and with none.
fn slowly(line_up: &LineUp) -> BTreeMap<Vec<usize>, f64> {
    let mut answers = BTreeMap::new();
    let among = line_up.trials.among.min(line_up.ranked);
    let share = if among > 1 && line_up.limit > 0 { line_up.trials.share } else { 0.0 };
    let trials = (0..among).map(|tried| (Some(tried), share / among as f64));
    for (on_trial, weight) in trials.chain([(None, 1.0 - share)]) {
        for coins in 0..1_u32 << line_up.due.len() {
            let sits_out = |number: usize| coins >> number & 1 == 1;
            let of_coin =
                |(number, due): (usize, &Due)| if sits_out(number) { due.sits_out } else { 1.0 - due.sits_out };
            let probability: f64 = line_up.due.iter().enumerate().map(of_coin).product();
            let number = |due: &Due| line_up.due.iter().position(|other| other == due).unwrap();
            let answer = line_up.answer(on_trial, |due| sits_out(number(due)));
            *answers.entry(answer.shown).or_default() += weight * probability;
        }
    }
    answers
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn probabilities_are_those_of_all_coins(
        (ranked, limit) in (0..9_usize, 0..6_usize),
        share in prop_oneof![Just(0.0), 0.0..=1.0_f64],
        sits_out in prop::collection::vec(prop_oneof![Just(0.0), Just(0.02), 0.0..=1.0_f64], 9),
        order in Just((0..9_usize).collect::<Vec<_>>()).prop_shuffle(),
        due in 0..9_usize,
    ) {
        let due: Vec<(usize, f64)> = order.into_iter().filter(|position| *position < ranked).take(due).zip(sits_out).collect();
        let line_up = line_up(ranked, &due, limit, share);
        let answers = slowly(&line_up);
        prop_assert!((answers.values().sum::<f64>() - 1.0).abs() < 1e-9);
        let mut chances = vec![0.0; ranked];
        for (shown, probability) in &answers {
            prop_assert!((line_up.probability(shown) - probability).abs() < 1e-12, "{:?}", shown);
            shown.iter().for_each(|position| chances[*position] += probability);
        }
        for (chance, wanted) in line_up.chances().iter().zip(&chances) {
            prop_assert!((chance - wanted).abs() < 1e-12, "{} {}", chance, wanted);
        }
    }
}

#[test]
fn probabilities_are_the_frequencies_of_a_hundred_thousand_draws() {
    let due: Vec<(usize, f64)> = [4, 0, 2, 5, 3, 8].into_iter().zip([0.3, 0.02, 0.3, 0.1, 0.25, 0.3]).collect();
    for (seed, limit) in [(1, 3), (2, 9)] {
        let line_up = line_up(30, &due, limit, 0.05);
        let mut draw = draws(seed);
        let (mut answers, mut positions): (BTreeMap<Vec<usize>, f64>, _) = (BTreeMap::new(), vec![0.0; 30]);
        for coins in 0..100_000 {
            let draw = SlateDraw { whether: draw(), who: draw(), coins };
            let id = |position: usize| MemoryId::from_uuid(Uuid::from_u128(position as u128));
            let answer =
                line_up.answer(line_up.trials.pick(30, draw), |due| draw.coin(id(due.position)) < due.sits_out);
            answer.shown.iter().for_each(|position| positions[*position] += 1e-5);
            *answers.entry(answer.shown).or_default() += 1e-5;
        }
        let is_near = |frequency: f64, probability: f64| {
            let error = (probability * (1.0 - probability) / 1e5).sqrt();
            assert!((frequency - probability).abs() < 4.5 * error + 2e-5, "{frequency} {probability}");
        };
        answers.iter().for_each(|(shown, frequency)| is_near(*frequency, line_up.probability(shown)));
        positions.iter().zip(line_up.chances()).for_each(|(frequency, probability)| is_near(*frequency, probability));
    }
}

#[test]
fn the_next_best_takes_the_place_and_somebody_is_always_left() {
    let all = [(0, 0.3), (1, 0.3), (2, 0.3), (3, 0.3)];
    let two = line_up(4, &all, 2, 0.0);
    assert_eq!(two.answer(None, |due| due.position == 0), Shown { shown: vec![1, 2], sat_out: vec![0] });
    assert_eq!(two.answer(None, |_| true), Shown { shown: vec![3], sat_out: vec![0, 1, 2] });
    assert_eq!(two.answer(Some(3), |_| false).shown, [0, 3]);
    assert_eq!(two.answer(Some(0), |due| due.position == 1).shown, [0, 2]);
    assert_eq!(line_up(1, &all[..1], 2, 0.0).answer(None, |_| true).shown, [0; 0]);
    assert_eq!(line_up(4, &all, 0, 0.5).answer(Some(2), |_| true), Shown::default());
    let many: Vec<(usize, f64)> = (0..60).map(|position| (position, 0.3)).collect();
    let answer = line_up(60, &many, 44, 0.0).answer(None, |_| true);
    assert_eq!((answer.sat_out.len(), answer.shown.len()), (RESERVE, 44));
}

#[test]
fn nobody_sits_out_where_that_is_off() {
    let constants = crate::worth::WorthConstants::default();
    let never = SittingOut::NEVER.chance(&crate::worth::Worth::default(), None, &constants, false);
    let due = [(0, never), (1, never), (2, never)];
    assert_eq!(line_up(3, &due, 2, 0.0).chances(), [1.0, 1.0, 0.0]);
}
