//! What a run may use.

use std::time::Duration;

use reflexion::{
    Attempt, AttemptContext, BoxError, BudgetKind, Budgets, Evaluation, FinishedAttempt, Stage, StopReason, actor_fn,
    evaluator_fn,
};

use crate::support::{Log, Numbering, Witness, builder, costly_actor, counting_actor, never_passing};

#[tokio::test]
async fn each_budget_ends_the_run_when_it_is_spent_and_pays_for_no_reflection_then() {
    let cases = [
        (Budgets { turns: Some(4), ..Default::default() }, BudgetKind::Turns),
        (Budgets { tokens: Some(150), ..Default::default() }, BudgetKind::Tokens),
        (Budgets { cost_usd: Some(0.75), ..Default::default() }, BudgetKind::Cost),
    ];
    for (budgets, kind) in cases {
        let numbering = Numbering::default();
        let reflexion = builder(costly_actor(100, 0.5, 2)).reflector(numbering.clone()).evaluator(never_passing());
        let outcome = reflexion.budgets(budgets).max_trials(9).build().unwrap().run("task").await.unwrap();
        assert_eq!(outcome.stop, StopReason::Budget(kind));
        assert_eq!((outcome.trials.len(), numbering.seen.lock().unwrap().len()), (2, 1));
        assert_eq!(outcome.answer, "answer 2");
    }
}

#[tokio::test]
async fn the_actor_is_told_what_is_left() {
    let told = Log::default();
    let log = told.clone();
    let actor = actor_fn(move |_: String, context: AttemptContext| {
        log.add(format!("{:?} {:?} {:?}", context.turns_left, context.tokens_left, context.cost_left_usd));
        let usage = reflect_llm::Usage { input_tokens: 30, output_tokens: 10, cost_usd: Some(0.25) };
        async move { Ok(Attempt { usage, turns: 3, ..Attempt::answer("x") }) }
    });
    let budgets =
        Budgets { turns_per_trial: Some(5), turns: Some(7), tokens: Some(100), cost_usd: Some(1.0), time: None };
    let reflexion = builder(actor).evaluator(never_passing()).budgets(budgets).build().unwrap();
    reflexion.run("task").await.unwrap();
    assert_eq!(
        told.lines(),
        ["Some(5) Some(100) Some(1.0)", "Some(4) Some(60) Some(0.75)", "Some(1) Some(20) Some(0.5)"]
    );
}

#[tokio::test(start_paused = true)]
async fn time_cuts_off_an_evaluation_and_keeps_the_attempt() {
    let witness = Witness::default();
    let evaluator = evaluator_fn(|finished: FinishedAttempt| async move {
        if finished.trial == 2 {
            std::future::pending::<()>().await;
        }
        Ok(Evaluation::fail("no"))
    });
    let budgets = Budgets { time: Some(Duration::from_secs(9)), ..Default::default() };
    let reflexion = builder(counting_actor()).evaluator(evaluator).budgets(budgets).listener(witness.listener());
    let outcome = reflexion.hooks(witness.clone()).build().unwrap().run("task").await.unwrap();
    assert_eq!((outcome.stop, outcome.trials.len(), outcome.unfinished), (StopReason::Time, 2, None));
    assert_eq!(outcome.trials[1].evaluation.verdict.as_str(), "unknown");
    // The trial is ended in order: what does not wait is still called.
    assert_eq!((witness.log.count("hook end"), witness.log.count("event trial_end")), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn time_cuts_off_an_attempt_and_the_answer_is_an_earlier_one() {
    let witness = Witness::default();
    let actor = actor_fn(|_: String, context: AttemptContext| async move {
        tokio::time::sleep(Duration::from_secs(4)).await;
        Ok(format!("answer {}", context.trial))
    });
    let budgets = Budgets { time: Some(Duration::from_secs(7)), ..Default::default() };
    let reflexion = builder(actor).evaluator(never_passing()).budgets(budgets).listener(witness.listener());
    let outcome = reflexion.build().unwrap().run("task").await.unwrap();
    assert_eq!((outcome.stop, outcome.answer.as_str()), (StopReason::Time, "answer 1"));
    let unfinished = outcome.unfinished.unwrap();
    assert_eq!((unfinished.trial, unfinished.stage), (2, Stage::Actor));
    assert_eq!((witness.log.count("event trial_start"), witness.log.count("event trial_end")), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn time_cuts_off_a_wait_between_two_tries() {
    let actor = actor_fn(|_: String, _: AttemptContext| async { Err::<Attempt, BoxError>("no".into()) });
    let policy = reflexion::StagePolicy::fail().retry(u32::MAX, Duration::from_secs(2));
    let policies = reflexion::StagePolicies { actor: policy, ..Default::default() };
    let budgets = Budgets { time: Some(Duration::from_secs(5)), ..Default::default() };
    let reflexion = builder(actor).evaluator(never_passing()).policies(policies).budgets(budgets).build().unwrap();
    assert_eq!(reflexion.run("task").await.unwrap().stop, StopReason::Time);
}

#[tokio::test(start_paused = true)]
async fn a_pass_that_comes_with_the_end_of_time_is_a_pass() {
    let evaluator = evaluator_fn(|_: FinishedAttempt| async move {
        tokio::time::sleep(Duration::from_secs(5)).await;
        Ok(Evaluation::pass())
    });
    let budgets = Budgets { time: Some(Duration::from_secs(5)), ..Default::default() };
    let outcome =
        builder(counting_actor()).evaluator(evaluator).budgets(budgets).build().unwrap().run("task").await.unwrap();
    assert_eq!(outcome.stop, StopReason::Passed);
}

/// Takes a while to remember.
struct Slow;

#[async_trait::async_trait]
impl reflexion::EpisodicMemory for Slow {
    fn keeps(&self) -> reflexion::Keeps {
        reflexion::Keeps::ThisRun
    }

    async fn recall(&self, _: &reflexion::RunSoFar<'_>) -> Result<Vec<reflexion::RememberedLesson>, BoxError> {
        Ok(Vec::new())
    }

    async fn remember(&self, _: &reflexion::RunSoFar<'_>, _: &reflexion::Trial) -> Result<Option<String>, BoxError> {
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn a_memory_that_time_cuts_off_after_a_pass_takes_nothing_from_it_and_is_named() {
    let budgets = Budgets { time: Some(Duration::from_secs(5)), ..Default::default() };
    let reflexion = builder(counting_actor()).evaluator(crate::support::passing_from(1)).memory(Slow).budgets(budgets);
    let outcome = reflexion.build().unwrap().run("task").await.unwrap();
    assert_eq!((outcome.stop, outcome.answer.as_str()), (StopReason::Passed, "answer 1"));
    assert_eq!((outcome.troubles[0].stage, outcome.troubles[0].trial), (Stage::Memory, 1));
}
