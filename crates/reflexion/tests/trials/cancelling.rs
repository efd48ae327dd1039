//! Ending a run from outside.

use std::time::Duration;

use reflexion::{
    Attempt, AttemptContext, BoxError, CancellationToken, Evaluation, FinishedAttempt, Stage, StopReason, actor_fn,
    evaluator_fn,
};

use crate::support::{Witness, builder, counting_actor, never_passing, passing_from};

#[tokio::test(start_paused = true)]
async fn a_cancelled_run_answers_with_what_it_had() {
    let cancel = CancellationToken::new();
    let from_within = cancel.clone();
    let actor = actor_fn(move |_: String, context: AttemptContext| {
        let cancel = from_within.clone();
        async move {
            if context.trial == 2 {
                cancel.cancel();
                std::future::pending::<()>().await;
            }
            Ok(format!("answer {}", context.trial))
        }
    });
    let reflexion = builder(actor).evaluator(never_passing()).build().unwrap();
    let outcome = reflexion.run_until("task", &cancel).await.unwrap();
    assert_eq!((outcome.stop, outcome.answer.as_str()), (StopReason::Cancelled, "answer 1"));
    assert_eq!(outcome.unfinished.map(|unfinished| (unfinished.trial, unfinished.stage)), Some((2, Stage::Actor)));
}

#[tokio::test]
async fn a_run_that_was_cancelled_before_it_began_tries_nothing() {
    let cancel = CancellationToken::new();
    cancel.cancel();
    let witness = Witness::default();
    let reflexion = builder(counting_actor()).evaluator(passing_from(1)).hooks(witness.clone()).build().unwrap();
    let outcome = reflexion.run_until("task", &cancel).await.unwrap();
    assert_eq!((outcome.stop, outcome.trials.len(), outcome.best), (StopReason::Cancelled, 0, None));
    assert!(witness.log.lines().is_empty());
}

#[tokio::test]
async fn a_pass_in_hand_beats_a_cancellation() {
    let cancel = CancellationToken::new();
    let from_within = cancel.clone();
    let evaluator = move |_: &FinishedAttempt| {
        from_within.cancel();
        Evaluation::pass()
    };
    let reflexion = builder(counting_actor()).evaluator(evaluator).build().unwrap();
    assert_eq!(reflexion.run_until("task", &cancel).await.unwrap().stop, StopReason::Passed);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_evaluation_leaves_its_attempt_unjudged() {
    let cancel = CancellationToken::new();
    let from_within = cancel.clone();
    let evaluator = evaluator_fn(move |_: FinishedAttempt| {
        from_within.cancel();
        std::future::pending::<Result<Evaluation, BoxError>>()
    });
    let reflexion = builder(counting_actor()).evaluator(evaluator).build().unwrap();
    let outcome = reflexion.run_until("task", &cancel).await.unwrap();
    assert_eq!((outcome.stop, outcome.answer.as_str()), (StopReason::Cancelled, "answer 1"));
    assert_eq!(outcome.trials[0].evaluation.verdict.as_str(), "unknown");
}

#[tokio::test(start_paused = true)]
async fn dropping_the_future_drops_the_attempt_and_the_loop_can_be_used_again() {
    struct Dropped(Witness);
    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.log.add("dropped");
        }
    }
    let witness = Witness::default();
    let seen = witness.clone();
    let actor = actor_fn(move |task: String, _: AttemptContext| {
        let guard = Dropped(seen.clone());
        async move {
            if task == "hang" {
                std::future::pending::<()>().await;
            }
            drop(guard);
            Ok::<_, BoxError>(Attempt::answer("fine"))
        }
    });
    let reflexion = builder(actor).evaluator(passing_from(1)).build().unwrap();
    assert!(tokio::time::timeout(Duration::from_secs(1), reflexion.run("hang")).await.is_err());
    assert_eq!(witness.log.lines(), ["dropped"]);
    assert!(reflexion.run("task").await.unwrap().passed());
}
