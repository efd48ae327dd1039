//! The arithmetic of learning against figures of another program: the study's reference in Python, which shares no code with it.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "in tests a failure is the message")]

use reflect_core::{
    lift::{EProcess, PassRate, newcombe},
    ranking::blend,
    worth::{
        Baseline, Due, Evidence, Expectation, LineUp, LocalScale, Neighbour, RunTotals, TrialSlot, Worth,
        WorthConstants, edge_rank,
    },
};
use serde_json::Value;

fn cases(name: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("learning_reference.json")).unwrap();
    all[name].as_array().unwrap().clone()
}

/// The reference leaves out what is worth less than this, however little evidence there is.
const RETIRE_BELOW: f64 = -0.02;

/// The constants that the reference has.
fn constants() -> WorthConstants {
    WorthConstants { half_life_days: None, distance_cost: 0.02, largest_unit: 2.0, ..WorthConstants::default() }
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

fn positions(value: &Value) -> Vec<usize> {
    numbers(value).into_iter().map(|number| number as usize).collect()
}

#[track_caller]
fn assert_near(found: f64, expected: &Value) {
    let expected = expected.as_f64().unwrap();
    assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{found} {expected}");
}

#[test]
fn folds() {
    for case in cases("folds") {
        let rows = case["rows"].as_array().unwrap().iter().map(|row| {
            let [score, baseline, added, worth] = numbers(row)[..] else { panic!("{row}") };
            Evidence {
                score,
                alpha: 0.3,
                expected: Expectation { baseline, others: added - worth },
                day: 0,
                weight: 1.0,
            }
        });
        let worth = Worth::of(&rows.collect::<Vec<_>>(), &constants());
        let (sum, runs, _) = worth.parts();
        assert_near(sum, &case["sum"]);
        assert_near(runs, &case["runs"]);
        assert_near(worth.mean(&constants()), &case["worth"]);
        assert_near(worth.deviation(&constants()), &case["deviation"]);
        // The reference keeps utilities in [0, 1] by cutting them off.
        assert_near(worth.utility(&constants()).clamp(0.0, 1.0), &case["q_value"]);
    }
}

#[test]
fn baselines() {
    for case in cases("baselines") {
        let near = case["near"].as_array().unwrap().iter().map(|near| {
            let [similarity, score, added] = numbers(near)[..] else { panic!("{near}") };
            Neighbour { similarity, score, added }
        });
        let totals = RunTotals {
            runs: case["runs"].as_u64().unwrap() as usize,
            score: case["score"].as_f64().unwrap(),
            similarity: 0.0,
        };
        let baseline = Baseline::of(&near.collect::<Vec<_>>(), totals, &constants());
        assert_near(baseline.usual, &case["usual"]);
        assert_near(baseline.reach, &case["reach"]);
    }
}

#[test]
fn orders_slates_and_their_probabilities() {
    for case in cases("rankings") {
        let candidates: Vec<Vec<f64>> = case["candidates"].as_array().unwrap().iter().map(numbers).collect();
        let limit = case["limit"].as_u64().unwrap() as usize;
        let mut similarities: Vec<f64> = candidates.iter().map(|candidate| candidate[0]).collect();
        similarities.sort_by(|left, right| right.total_cmp(left));
        let edge = similarities[edge_rank(limit).min(similarities.len()) - 1];
        let baseline = Baseline { usual: 0.5, reach: case["reach"].as_f64().unwrap() };
        let scale = LocalScale::of(&baseline, Some(edge), 0.0, &constants());
        let utility = |worth: f64| 0.5 + constants().gain() * (worth - constants().prior_worth);
        let score = |candidate: &[f64]| blend(scale.similarity(candidate[0]), utility(candidate[1]), 0.5);
        let mut order: Vec<usize> = (0..candidates.len()).collect();
        order.sort_by(|left, right| score(&candidates[*right]).total_cmp(&score(&candidates[*left])));
        assert_eq!(order, positions(&case["order"]));

        let due = (0..order.len()).filter(|rank| candidates[order[*rank]][1] >= RETIRE_BELOW);
        let due = due.map(|position| Due { position, sits_out: 0.0 }).collect();
        let line_up = LineUp { ranked: order.len(), due, limit, trials: TrialSlot::default() };
        let shown: Vec<usize> = line_up.answer(None, |_| false).shown.iter().map(|rank| order[*rank]).collect();
        assert_eq!(shown, positions(&case["greedy"]));
        for slate in case["odds"].as_array().unwrap() {
            let rank = |wanted: &usize| order.iter().position(|position| position == wanted).unwrap();
            let mut ranks: Vec<usize> = positions(&slate[0]).iter().map(rank).collect();
            ranks.sort_unstable();
            assert_near(line_up.probability(&ranks), &slate[1]);
        }
    }
}

#[test]
fn evidence_and_intervals_of_a_holdout() {
    for case in cases("e_values") {
        let mut process = EProcess::default();
        for run in case["runs"].as_str().unwrap().chars() {
            process.add(run.is_uppercase(), case["share"].as_f64().unwrap(), run.eq_ignore_ascii_case(&'p'));
        }
        assert_near(process.value(), &case["value"]);
    }
    for case in cases("newcombe") {
        let [passes, runs, others_passes, others] = positions(&case["counts"])[..] else { panic!("{case}") };
        let rate = |passes: usize, runs: usize| PassRate { passes: passes as u64, runs: runs as u64 };
        let difference = newcombe(rate(passes, runs), rate(others_passes, others)).unwrap();
        assert_near(difference.points, &case["difference"][0]);
        assert_near(difference.low, &case["difference"][1]);
        assert_near(difference.high, &case["difference"][2]);
    }
}
