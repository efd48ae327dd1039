//! Known defects of loops that score their iterations; none of them is here.

use reflexion::{
    Attempt, AttemptContext, BoxError, Budgets, Evaluation, FinishedAttempt, StagePolicies, StagePolicy, StopReason,
    StuckDetection, actor_fn,
};

use crate::support::{Numbering, Saying, builder, costly_actor, counting_actor, never_passing, passing_from, scoring};

/// Fixed: the last output was returned although a better one was known.
#[tokio::test]
async fn fixed_the_best_output_is_returned() {
    let outcome = builder(counting_actor())
        .evaluator(scoring(&[0.8, 0.2]))
        .max_trials(2)
        .build()
        .unwrap()
        .run("t")
        .await
        .unwrap();
    assert_eq!((outcome.answer.as_str(), outcome.best), ("answer 1", Some(0)));
}

/// Fixed: after a failed execution the score of an earlier iteration was reported as this one's.
#[tokio::test]
async fn fixed_no_trial_has_the_score_of_another() {
    let actor = actor_fn(|_: String, context: AttemptContext| async move {
        if context.trial == 2 { Err(BoxError::from("boom")) } else { Ok("fine") }
    });
    let policies = StagePolicies { actor: StagePolicy::degrade(), ..Default::default() };
    let reflexion = builder(actor).evaluator(scoring(&[0.9, 0.0, 0.1])).policies(policies).build().unwrap();
    let outcome = reflexion.run("task").await.unwrap();
    let scores: Vec<Option<f64>> = outcome.trials.iter().map(|trial| trial.evaluation.score).collect();
    assert_eq!(scores, [Some(0.9), None, Some(0.1)]);
    assert_eq!(outcome.trials[1].answer(), "");
    assert_eq!(outcome.trials[1].evaluation.feedback, "the attempt failed: boom");
    assert_eq!(outcome.answer, "fine");
}

/// Fixed: success in the last iteration that was allowed was reported as the limit.
#[tokio::test]
async fn fixed_success_beats_every_limit_that_holds_at_the_same_time() {
    let budgets = Budgets { tokens: Some(1), turns: Some(1), cost_usd: Some(0.1), ..Default::default() };
    let stuck = StuckDetection { same_answer: Some(2), ..Default::default() };
    let reflexion = builder(costly_actor(100, 1.0, 9)).evaluator(passing_from(1)).max_trials(1).budgets(budgets);
    let outcome = reflexion.stuck_detection(stuck).build().unwrap().run("task").await.unwrap();
    assert_eq!(outcome.stop, StopReason::Passed);
}

/// Fixed: with the defaults a perfect result did not end the loop.
#[tokio::test]
async fn fixed_a_pass_ends_the_run_by_default() {
    let outcome =
        builder(counting_actor()).evaluator(passing_from(1)).max_trials(10).build().unwrap().run("t").await.unwrap();
    assert_eq!(outcome.trials.len(), 1);
    let scored = |_: &FinishedAttempt| Evaluation::fail("nearly").scored(1.0);
    let reflexion = builder(counting_actor()).evaluator(scored).success_score(0.95).max_trials(10).build().unwrap();
    let outcome = reflexion.run("task").await.unwrap();
    assert_eq!((outcome.trials.len(), outcome.stop), (1, StopReason::Passed));
}

/// Fixed: an error of the reflector killed the loop.
#[tokio::test]
async fn fixed_a_reflector_that_fails_kills_nothing() {
    let reflexion = builder(counting_actor()).reflector(Saying::new([])).evaluator(never_passing()).build().unwrap();
    assert_eq!(reflexion.run("task").await.unwrap().trials.len(), 3);
}

/// Fixed: a reflection was paid for after the last iteration, where nothing reads it.
#[tokio::test]
async fn fixed_the_last_trial_is_not_reflected_on() {
    let numbering = Numbering::default();
    let reflexion = builder(counting_actor()).reflector(numbering.clone()).evaluator(never_passing()).build().unwrap();
    reflexion.run("task").await.unwrap();
    assert_eq!(numbering.seen.lock().unwrap().len(), 2);
}

/// Fixed: tokens and cost were declared and never counted, so their limits could not hold.
#[tokio::test]
async fn fixed_tokens_and_cost_are_counted() {
    let reflexion = builder(costly_actor(100, 0.5, 1)).evaluator(never_passing()).build().unwrap();
    let spent = reflexion.run("task").await.unwrap().spent();
    assert_eq!((spent.usage().input_tokens, spent.usage().cost_usd), (300, Some(1.5)));
}

/// Fixed: a failed execution counted as an output to be scored.
#[tokio::test]
async fn fixed_what_an_actor_could_not_make_is_not_judged() {
    let actor = actor_fn(|_: String, _: AttemptContext| async { Err::<Attempt, BoxError>("boom".into()) });
    let policies = StagePolicies { actor: StagePolicy::degrade(), ..Default::default() };
    let judged = |_: &FinishedAttempt| -> Evaluation { panic!("there is nothing to judge") };
    let outcome = builder(actor).evaluator(judged).policies(policies).build().unwrap().run("task").await.unwrap();
    assert_eq!((outcome.trials.len(), outcome.stop), (3, StopReason::TrialsUsedUp));
}
