//! What holds for every configuration.

use std::time::Duration;

use proptest::prelude::*;
use reflexion::{
    AnswerPolicy, Attempt, AttemptContext, AttemptEnd, BestLessons, BoxError, Budgets, Evaluation, Evaluator,
    FinishedAttempt, Isolation, Outcome, Plateau, ReflexionBuilder, StagePolicies, StagePolicy, StopReason,
    Strategy as Showing, StuckDetection, UnknownPolicy, Verdict, actor_fn, evaluator_fn,
};

use crate::support::{Saying, builder};

/// What plugged-in code does at a trial.
#[derive(Debug, Clone, Copy)]
enum Does {
    Well,
    Badly,
    Unclearly,
    Fails,
    Panics,
    TakesLong,
}

fn deed() -> impl Strategy<Value = Does> {
    prop_oneof![
        2 => Just(Does::Well),
        6 => Just(Does::Badly),
        2 => Just(Does::Unclearly),
        1 => Just(Does::Fails),
        1 => Just(Does::Panics),
        1 => Just(Does::TakesLong),
    ]
}

fn at(deeds: &[Does], trial: u32) -> Does {
    deeds[(trial as usize - 1) % deeds.len()]
}

fn actor(deeds: Vec<Does>) -> impl reflexion::Actor {
    actor_fn(move |_: String, context: AttemptContext| {
        let deed = at(&deeds, context.trial);
        async move {
            match deed {
                Does::Fails => return Err(BoxError::from("failed")),
                Does::Panics => panic!("panicked"),
                Does::TakesLong => tokio::time::sleep(Duration::from_secs(40)).await,
                _ => {}
            }
            let end = if matches!(deed, Does::Unclearly) {
                AttemptEnd::Stuck("circles".into())
            } else {
                AttemptEnd::Answered
            };
            let usage = reflect_llm::Usage { input_tokens: u64::MAX / 4, output_tokens: 3, cost_usd: Some(0.3) };
            Ok(Attempt { end, usage, ..Attempt::answer(format!("answer {}", context.trial / 2)) })
        }
    })
}

fn evaluator(deeds: Vec<Does>, score: Option<f64>) -> impl Evaluator {
    evaluator_fn(move |finished: FinishedAttempt| {
        let deed = at(&deeds, finished.trial);
        async move {
            let evaluation = match deed {
                Does::Well => Evaluation::pass(),
                Does::Badly => Evaluation::fail("wrong"),
                Does::Unclearly => Evaluation::unknown("?"),
                Does::Fails => return Err(BoxError::from("failed")),
                Does::Panics => panic!("panicked"),
                Does::TakesLong => {
                    tokio::time::sleep(Duration::from_secs(40)).await;
                    Evaluation::fail("late")
                }
            };
            Ok(Evaluation { score, ..evaluation })
        }
    })
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![4 => 0.0..1.0, 1 => prop::num::f64::ANY]
}

fn budgets() -> impl Strategy<Value = Budgets> {
    let millis = prop_oneof![0_u64..100_000, Just(u64::MAX)];
    (
        prop::option::of(0_u32..9),
        prop::option::of(0_u32..9),
        prop::option::of(any::<u64>()),
        prop::option::of(number()),
        prop::option::of(millis),
    )
        .prop_map(|(turns_per_trial, turns, tokens, cost_usd, millis)| Budgets {
            turns_per_trial,
            turns,
            tokens,
            cost_usd,
            time: millis.map(Duration::from_millis),
        })
}

fn policy() -> impl Strategy<Value = StagePolicy> {
    (any::<bool>(), 0_u32..3, any::<u64>(), prop::option::of(0_u64..100)).prop_map(|(fails, retries, wait, within)| {
        let policy = if fails { StagePolicy::fail() } else { StagePolicy::degrade() };
        let policy = policy.retry(retries, Duration::from_millis(wait));
        within.map_or(policy, |seconds| policy.within(Duration::from_secs(seconds)))
    })
}

fn stuck() -> impl Strategy<Value = StuckDetection> {
    let plateau = (0_u32..4, number()).prop_map(|(trials, least_gain)| Plateau { trials, least_gain });
    (prop::option::of(0_u32..4), prop::option::of(0_u32..4), prop::option::of(plateau))
        .prop_map(|(repeated_call, same_answer, plateau)| StuckDetection { repeated_call, same_answer, plateau })
}

#[derive(Debug, Clone)]
struct Configuration {
    max_trials: u32,
    memory_size: usize,
    best: bool,
    acts: Vec<Does>,
    judges: Vec<Does>,
    score: Option<f64>,
    success_score: Option<f64>,
    budgets: Budgets,
    policies: [StagePolicy; 3],
    stuck: StuckDetection,
    choices: [u8; 4],
}

fn configuration() -> impl Strategy<Value = Configuration> {
    let sizes = (0_u32..7, prop_oneof![0_usize..4, Just(usize::MAX)], any::<bool>());
    let deeds = (prop::collection::vec(deed(), 1..6), prop::collection::vec(deed(), 1..6));
    let scores = (prop::option::of(number()), prop::option::of(number()));
    let policies = [policy(), policy(), policy()];
    let rest =
        (prop::option::weighted(0.3, budgets()), policies, prop::option::weighted(0.5, stuck()), any::<[u8; 4]>());
    (sizes, deeds, scores, rest).prop_map(|(sizes, deeds, scores, rest)| Configuration {
        max_trials: sizes.0,
        memory_size: sizes.1,
        best: sizes.2,
        acts: deeds.0,
        judges: deeds.1,
        score: scores.0,
        success_score: scores.1,
        budgets: rest.0.unwrap_or_default(),
        policies: rest.1,
        stuck: rest.2.unwrap_or_default(),
        choices: rest.3,
    })
}

fn build(configuration: &Configuration) -> ReflexionBuilder {
    let Configuration { choices, .. } = *configuration;
    let [actor_policy, evaluator_policy, reflector_policy] = configuration.policies;
    let policies = StagePolicies {
        actor: actor_policy,
        evaluator: evaluator_policy,
        reflector: reflector_policy,
        ..Default::default()
    };
    let saying =
        Saying::new([Ok("Look under the table."), Ok(""), Ok("Read the second page."), Ok("Look under the table.")]);
    let mut reflexion = builder(actor(configuration.acts.clone()))
        .evaluator(evaluator(configuration.judges.clone(), configuration.score))
        .reflector(saying)
        .max_trials(configuration.max_trials)
        .memory_size(configuration.memory_size)
        .budgets(configuration.budgets)
        .policies(policies)
        .stuck_detection(configuration.stuck)
        .strategy(
            [Showing::Nothing, Showing::LastAttempt, Showing::Lessons, Showing::LastAttemptAndLessons]
                [choices[0] as usize % 4],
        )
        .isolation([Isolation::Fresh, Isolation::Shared][choices[1] as usize % 2])
        .answer_policy([AnswerPolicy::Best, AnswerPolicy::Last, AnswerPolicy::Error][choices[2] as usize % 3])
        .unknown_policy([UnknownPolicy::TreatAsFail, UnknownPolicy::Stop][choices[3] as usize % 2]);
    if let Some(score) = configuration.success_score {
        reflexion = reflexion.success_score(score);
    }
    if configuration.best {
        reflexion = reflexion.memory(BestLessons::new(configuration.memory_size));
    }
    reflexion
}

fn check(outcome: &Outcome, configuration: &Configuration) {
    let trials = &outcome.trials;
    assert!(trials.len() <= configuration.max_trials.max(1) as usize);
    assert!(trials.iter().zip(1..).all(|(trial, number)| trial.number == number));
    assert_eq!(outcome.best.is_some(), !trials.is_empty());
    assert!(outcome.best.is_none_or(|place| place < trials.len()));
    assert!(outcome.answered_by.is_none_or(|place| trials[place].answer() == outcome.answer));
    assert_eq!(outcome.answered_by.is_some(), !trials.is_empty());
    let lessons = trials.iter().filter(|trial| trial.lesson.is_some()).count();
    assert!(lessons < configuration.max_trials.max(1) as usize);
    // A success is the last trial, and the only one; it is never reflected on.
    let (last, earlier) = trials.split_last().map_or((None, &[][..]), |(last, earlier)| (Some(last), earlier));
    assert!(earlier.iter().all(|trial| !trial.success));
    assert!(trials.iter().all(|trial| !(trial.success && trial.lesson.is_some())));
    assert_eq!(outcome.passed(), last.is_some_and(|trial| trial.success));
    if configuration.success_score.is_none() {
        assert_eq!(outcome.passed(), last.is_some_and(|trial| trial.evaluation.verdict == Verdict::Pass));
    }
    if configuration.memory_size == 0 {
        assert!(trials.iter().all(|trial| trial.lesson.is_none() && trial.shown.is_empty()));
    }
    assert!(trials.iter().all(|trial| trial.shown.len() <= configuration.memory_size));
    assert!(trials.iter().all(|trial| trial.evaluation.score.is_none_or(|score| (0.0..=1.0).contains(&score))));
    if outcome.stop == StopReason::TrialsUsedUp {
        assert_eq!(trials.len(), configuration.max_trials.max(1) as usize);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_configuration_panics_and_every_outcome_makes_sense(configuration in configuration()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        if let Ok(reflexion) = build(&configuration).build() {
            match runtime.block_on(reflexion.run("task")) {
                Ok(outcome) => check(&outcome, &configuration),
                Err(error) => check(error.outcome(), &configuration),
            }
        }
    }
}
