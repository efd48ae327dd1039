use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use reflect_llm::Usage;

use super::*;
use crate::{BoxError, Evaluation, Evaluator, FinishedAttempt, evaluate::testing::finished, evaluator_fn};

const USAGE: Usage = Usage { input_tokens: 3, output_tokens: 1, cost_usd: Some(0.5) };

/// The three values, and an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum V {
    Pass,
    Fail,
    Unknown,
    Error,
}
use V::{Error as E, Fail as F, Pass as P, Unknown as U};

const VALUES: [V; 3] = [P, F, U];

fn says(value: V) -> impl Evaluator {
    evaluator_fn(move |_: FinishedAttempt| async move {
        let evaluation = match value {
            P => Evaluation::pass(),
            F => Evaluation::fail("is wrong"),
            U => Evaluation::unknown("cannot tell"),
            E => return Err(BoxError::from("broke")),
        };
        Ok(Evaluation { usage: USAGE, ..evaluation })
    })
}

fn pair(left: V, right: V) -> [Named; 2] {
    [named("left", says(left)), named("right", says(right))]
}

async fn value(evaluator: &impl Evaluator) -> V {
    match evaluator.evaluate(&finished("x")).await {
        Err(_) => E,
        Ok(evaluation) => match evaluation.verdict {
            Verdict::Pass => P,
            Verdict::Fail => F,
            Verdict::Unknown(_) => U,
        },
    }
}

#[tokio::test]
async fn truth_tables_are_kleenes() {
    // Rows and columns: pass, fail, unknown.
    let conjunction = [[P, F, U], [F, F, F], [U, F, U]];
    let disjunction = [[P, P, P], [P, F, U], [P, U, U]];
    // The mean has to reach a half, or more than that: the same tables, by arithmetic.
    for (row, left) in VALUES.into_iter().enumerate() {
        for (column, right) in VALUES.into_iter().enumerate() {
            let (both, one) = (conjunction[row][column], disjunction[row][column]);
            assert_eq!(value(&all(pair(left, right))).await, both, "{left:?} and {right:?}");
            assert_eq!(value(&cheap_first(pair(left, right))).await, both, "{left:?} then {right:?}");
            assert_eq!(value(&any(pair(left, right))).await, one, "{left:?} or {right:?}");
            let equal = || pair(left, right).map(|named| (1.0, named));
            assert_eq!(value(&weighted(equal(), 1.0)).await, both, "all of {left:?} and {right:?}");
            assert_eq!(value(&weighted(equal(), 0.5)).await, one, "half of {left:?} and {right:?}");
        }
    }
}

#[tokio::test]
async fn an_error_is_passed_on_unless_another_passes_any() {
    for right in VALUES {
        for (left, right) in [(E, right), (right, E)] {
            assert_eq!(value(&all(pair(left, right))).await, E, "{left:?} {right:?}");
            assert_eq!(value(&weighted(pair(left, right).map(|named| (1.0, named)), 0.5)).await, E);
            let expected = if left == P || right == P { P } else { E };
            assert_eq!(value(&any(pair(left, right))).await, expected, "{left:?} {right:?}");
            let expected = if left == F { F } else { E };
            assert_eq!(value(&cheap_first(pair(left, right))).await, expected, "{left:?} {right:?}");
        }
    }
    let error = all(pair(P, E)).evaluate(&finished("x")).await.unwrap_err();
    assert_eq!(error.to_string(), "evaluator `right` failed");
    assert_eq!(error.source().unwrap().to_string(), "broke");
}

#[tokio::test]
async fn without_evaluators_nothing_is_known() {
    assert_eq!(value(&all([])).await, U);
    assert_eq!(value(&any([])).await, U);
    assert_eq!(value(&cheap_first([])).await, U);
    assert_eq!(value(&weighted([], 0.0)).await, U);
    for weight in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(value(&weighted([(weight, named("one", says(P)))], 0.5)).await, U, "{weight}");
    }
}

#[tokio::test]
async fn feedback_keeps_its_name_and_usage_adds_up() {
    let evaluation = all(pair(F, U)).evaluate(&finished("x")).await.unwrap();
    assert_eq!(evaluation.feedback, "left (fail): is wrong\nright (unknown): cannot tell");
    assert_eq!(evaluation.usage, USAGE.plus(USAGE));
    let evaluation = any(pair(P, E)).evaluate(&finished("x")).await.unwrap();
    assert_eq!((evaluation.feedback.as_str(), evaluation.usage), ("right (error): broke", USAGE));
    let nested = all([named("inner", any(pair(F, F))), named("outer", says(P))]);
    let evaluation = nested.evaluate(&finished("x")).await.unwrap();
    assert_eq!(evaluation.feedback, "inner (fail): left (fail): is wrong\nright (fail): is wrong");
    assert_eq!(evaluation.usage.input_tokens, 9);
}

#[tokio::test]
async fn scores_are_the_lowest_the_highest_and_the_mean() {
    let scored = |score: f64| move |_: &FinishedAttempt| Evaluation::pass().scored(score);
    let both = || [named("low", scored(0.2)), named("high", scored(0.8)), named("none", says(P))];
    assert_eq!(all(both()).evaluate(&finished("x")).await.unwrap().score, Some(0.2));
    assert_eq!(any(both()).evaluate(&finished("x")).await.unwrap().score, Some(0.8));
    let mean = weighted(both().map(|named| (2.0, named)), 0.6).evaluate(&finished("x")).await.unwrap();
    assert!(mean.passed() && (mean.score.unwrap() - 2.0 / 3.0).abs() < 1e-12);
    let thirds = [0.1, 0.2, 0.3].map(|weight| (weight, named("one", scored(0.3))));
    assert_eq!(value(&weighted(thirds, 0.3)).await, P, "rounding is not held against it");
}

#[tokio::test]
async fn a_dear_evaluator_is_not_asked_after_a_fail() {
    for (first, ends_at, asked) in [
        (P, EndsAt::Fail, 1),
        (F, EndsAt::Fail, 0),
        (U, EndsAt::Fail, 1),
        (P, EndsAt::FailOrUnknown, 1),
        (F, EndsAt::FailOrUnknown, 0),
        (U, EndsAt::FailOrUnknown, 0),
        (E, EndsAt::Fail, 0),
    ] {
        let count = Arc::new(AtomicUsize::new(0));
        let counted = count.clone();
        let dear = move |_: &FinishedAttempt| {
            counted.fetch_add(1, Ordering::SeqCst);
            Evaluation::pass()
        };
        let _ = value(&cheap_first([named("cheap", says(first)), named("dear", dear)]).ends_at(ends_at)).await;
        assert_eq!(count.load(Ordering::SeqCst), asked, "{first:?} {ends_at:?}");
    }
}

#[tokio::test]
async fn a_threshold_decides_by_the_score_both_ways() {
    let scored = |value: V, score: Option<f64>| {
        move |_: &FinishedAttempt| {
            let evaluation = match value {
                P => Evaluation::pass(),
                F => Evaluation::fail("one test is red"),
                _ => Evaluation::unknown("?"),
            };
            Evaluation { score, ..evaluation }
        }
    };
    for (given, score, expected) in [
        (P, Some(0.9), P),
        (P, Some(0.7), F),
        (F, Some(0.8), P),
        (F, Some(0.7), F),
        (U, Some(1.0), U),
        (P, None, U),
        (F, None, F),
        (U, None, U),
    ] {
        assert_eq!(value(&threshold(scored(given, score), 0.8)).await, expected, "{given:?} {score:?}");
    }
    let changed = threshold(scored(F, Some(0.9)), 0.8).evaluate(&finished("x")).await.unwrap();
    assert_eq!(changed.feedback, "the score is 0.90, and 0.80 is needed; one test is red");
    assert_eq!(value(&threshold(scored(P, Some(0.99)), f64::NAN)).await, F, "what is no number is the strictest");
    assert_eq!(value(&threshold(scored(F, Some(0.0)), -3.0)).await, P);
    assert_eq!(value(&threshold(says(E), 0.5)).await, E);
}

/// Says these one after the other.
fn in_turn(values: Vec<V>) -> impl Evaluator {
    let next = AtomicUsize::new(0);
    evaluator_fn(move |_: FinishedAttempt| {
        let value = values[next.fetch_add(1, Ordering::SeqCst) % values.len()];
        async move { says(value).evaluate(&finished("x")).await }
    })
}

#[tokio::test]
async fn every_split_of_three_votes_is_decided_by_more_than_half() {
    for first in [P, F, U, E] {
        for second in [P, F, U, E] {
            for third in [P, F, U, E] {
                let cast = [first, second, third];
                let count = |value: V| cast.iter().filter(|vote| **vote == value).count();
                let expected = match (count(P), count(F), count(E)) {
                    (2.., _, _) => P,
                    (_, 2.., _) => F,
                    (_, _, 1..) => E,
                    _ => U,
                };
                assert_eq!(value(&votes(in_turn(cast.to_vec()), 3)).await, expected, "{cast:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_tie_is_unknown_and_the_score_is_the_share_of_passes() {
    let tied = votes(in_turn(vec![P, F]), 2).evaluate(&finished("x")).await.unwrap();
    assert_eq!((tied.verdict.as_str(), tied.score), ("unknown", Some(0.5)));
    let passed = votes(in_turn(vec![P, P, F, P]), 4).evaluate(&finished("x")).await.unwrap();
    assert_eq!((passed.passed(), passed.score, passed.usage.input_tokens), (true, Some(0.75), 12));
    assert_eq!(passed.feedback, "vote 3 (fail): is wrong");
    assert_eq!(value(&votes(in_turn(vec![P]), 0)).await, P, "at least one vote");
}

#[tokio::test(start_paused = true)]
async fn votes_are_cast_at_once_up_to_a_limit() {
    for (limit, rounds) in [(1, 6), (4, 2), (9, 1)] {
        let slow = evaluator_fn(|_: FinishedAttempt| async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            Ok(Evaluation::pass())
        });
        let begun = tokio::time::Instant::now();
        assert_eq!(value(&votes(slow, 6).concurrency(limit)).await, P);
        assert_eq!(begun.elapsed().as_secs(), rounds);
    }
}
