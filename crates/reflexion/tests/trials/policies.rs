//! What happens when a stage fails.

use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use async_trait::async_trait;
use reflect_llm::ChatError;
use reflection::ReflectError;
use reflexion::{
    Attempt, AttemptContext, BoxError, Control, EpisodicMemory, Evaluation, FinishedAttempt, Keeps, RememberedLesson,
    RunSoFar, Stage, StagePolicies, StagePolicy, StopReason, TookTooLong, Trial, actor_fn, evaluator_fn,
};
use tokio::time::Instant;

use crate::support::{Answering, Saying, builder, counting_actor, never_passing, passing_from};

/// An actor that fails so often before it answers.
fn failing_first(failures: u32) -> impl reflexion::Actor {
    let left = AtomicU32::new(failures);
    actor_fn(move |_: String, _: AttemptContext| {
        let fails = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok();
        async move { if fails { Err(BoxError::from("not now")) } else { Ok("at last") } }
    })
}

#[tokio::test(start_paused = true)]
async fn a_stage_is_tried_again_with_growing_waits() {
    let policy = StagePolicy::fail().retry(3, Duration::from_secs(1));
    let policies = StagePolicies { actor: policy, ..Default::default() };
    let begun = Instant::now();
    let reflexion = builder(failing_first(3)).evaluator(passing_from(1)).policies(policies).build().unwrap();
    let outcome = reflexion.run("task").await.unwrap();
    assert_eq!(outcome.answer, "at last");
    assert_eq!(begun.elapsed().as_secs(), 1 + 2 + 4);
    assert_eq!((outcome.trials[0].spent.act.tries, outcome.trials[0].spent.act.millis / 1_000), (4, 7));
    let reflexion = builder(failing_first(4)).evaluator(passing_from(1)).policies(policies).build().unwrap();
    assert_eq!(reflexion.run("task").await.unwrap_err().stage(), Some(Stage::Actor));
}

#[tokio::test]
async fn what_cannot_get_better_is_not_tried_again() {
    let tries = std::sync::Arc::new(AtomicU32::new(0));
    let counted = std::sync::Arc::clone(&tries);
    let actor = actor_fn(move |_: String, _: AttemptContext| {
        counted.fetch_add(1, Ordering::SeqCst);
        let refused = ChatError::Refused { status: Some(401), message: "wrong key".into() };
        async move { Err::<Attempt, BoxError>(refused.into()) }
    });
    let policies = StagePolicies { actor: StagePolicy::fail().retry(5, Duration::ZERO), ..Default::default() };
    let reflexion = builder(actor).evaluator(never_passing()).policies(policies).build().unwrap();
    reflexion.run("task").await.unwrap_err();
    assert_eq!(tries.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn a_try_that_takes_too_long_has_failed() {
    let actor = actor_fn(|_: String, _: AttemptContext| std::future::pending::<Result<Attempt, BoxError>>());
    let policies = StagePolicies { actor: StagePolicy::fail().within(Duration::from_secs(3)), ..Default::default() };
    let reflexion = builder(actor).evaluator(never_passing()).policies(policies).build().unwrap();
    let error = reflexion.run("task").await.unwrap_err();
    assert_eq!((error.stage(), error.outcome().unfinished.clone().unwrap().stage), (Some(Stage::Actor), Stage::Actor));
    let source = std::error::Error::source(&error).unwrap();
    assert_eq!(source.downcast_ref(), Some(&TookTooLong(Duration::from_secs(3))));
}

#[tokio::test]
async fn an_actor_that_is_done_without_fails_its_trial_alone() {
    let policies = StagePolicies { actor: StagePolicy::degrade(), ..Default::default() };
    let reflexion = builder(failing_first(1)).evaluator(passing_from(2)).policies(policies).build().unwrap();
    let outcome = reflexion.run("task").await.unwrap();
    assert_eq!((outcome.answer.as_str(), outcome.stop), ("at last", StopReason::Passed));
    assert_eq!(outcome.troubles[0].stage, Stage::Actor);
    // With nothing made, the error is all there is to learn from.
    assert!(outcome.trials[0].lesson.is_some());
}

#[tokio::test]
async fn an_evaluator_that_is_done_without_ends_the_run_with_the_answer_in_hand() {
    let evaluator = evaluator_fn(|finished: FinishedAttempt| async move {
        if finished.trial == 1 { Ok(Evaluation::fail("no").scored(0.9)) } else { Err(BoxError::from("out")) }
    });
    let policies = StagePolicies { evaluator: StagePolicy::degrade(), ..Default::default() };
    let reflexion = builder(counting_actor()).evaluator(evaluator).policies(policies).build().unwrap();
    let outcome = reflexion.run("task").await.unwrap();
    assert_eq!((outcome.stop, outcome.answer.as_str()), (StopReason::EvaluatorFailed, "answer 2"));
    assert_eq!(outcome.trials[1].evaluation.verdict.as_str(), "unknown");
    assert!(outcome.trials[1].evaluation.feedback.ends_with("out"));
}

#[tokio::test]
async fn a_reflectors_error_ends_the_run_by_choice() {
    let policies = StagePolicies { reflector: StagePolicy::fail(), ..Default::default() };
    let saying = Saying::new([Err(ReflectError::Temporary("no connection".into()))]);
    let reflexion = builder(counting_actor()).reflector(saying).evaluator(never_passing()).policies(policies);
    let error = reflexion.build().unwrap().run("task").await.unwrap_err();
    assert_eq!(error.stage(), Some(Stage::Reflector));
    assert_eq!((error.outcome().answer.as_str(), error.outcome().trials.len()), ("answer 1", 1));
    assert_eq!(error.outcome().trials[0].evaluation.feedback, "trial 1 was wrong");
}

#[tokio::test]
async fn a_hooks_error_is_passed_over_by_choice() {
    let policies = StagePolicies { hook: StagePolicy::degrade(), ..Default::default() };
    let failing = Answering(|_: &str, _: u32, _: &str| -> Result<Control, BoxError> { Err("out of order".into()) });
    let odd = Answering(|_: &str, _: u32, _: &str| Ok(Control::ReplaceLesson("mine".into())));
    let reflexion = builder(counting_actor()).evaluator(passing_from(2)).hooks(failing).hooks(odd).policies(policies);
    let outcome = reflexion.build().unwrap().run("task").await.unwrap();
    assert!(outcome.passed());
    assert_eq!(outcome.trials[0].lesson.as_ref().unwrap().text(), "mine");
    assert_eq!(outcome.troubles.iter().filter(|trouble| trouble.stage == Stage::Hook).count(), 7 + 6);
}

struct Forgetful;

#[async_trait]
impl EpisodicMemory for Forgetful {
    fn keeps(&self) -> Keeps {
        Keeps::ThisRun
    }

    async fn recall(&self, _run: &RunSoFar<'_>) -> Result<Vec<RememberedLesson>, BoxError> {
        Err("cannot recall".into())
    }

    async fn remember(&self, _run: &RunSoFar<'_>, _trial: &Trial) -> Result<Option<String>, BoxError> {
        panic!("cannot remember")
    }
}

#[tokio::test]
async fn a_memory_that_fails_is_done_without_or_ends_the_run() {
    let reflexion = builder(counting_actor()).evaluator(passing_from(2)).memory(Forgetful).build().unwrap();
    let outcome = reflexion.run("task").await.unwrap();
    // What the run itself has learned is still at hand.
    assert!(outcome.passed() && outcome.trials[1].shown[0].lesson.guidance == "lesson of answer 1");
    let errors: Vec<&str> = outcome.troubles.iter().map(|trouble| trouble.error.as_str()).collect();
    assert_eq!(errors, ["cannot recall", "it panicked: cannot remember"].repeat(2));
    let policies = StagePolicies { memory: StagePolicy::fail(), ..Default::default() };
    let reflexion = builder(counting_actor()).evaluator(passing_from(2)).memory(Forgetful).policies(policies).build();
    assert_eq!(reflexion.unwrap().run("task").await.unwrap_err().stage(), Some(Stage::Memory));
}

#[tokio::test]
async fn an_environment_that_cannot_be_reset_ends_the_run() {
    let environment = |_: u32| async { Err::<(), BoxError>("it is stuck".into()) };
    let reflexion = builder(counting_actor()).evaluator(never_passing()).environment(environment).build().unwrap();
    let error = reflexion.run("task").await.unwrap_err();
    assert_eq!((error.stage(), error.outcome().trials.len()), (Some(Stage::Reset), 1));
    assert_eq!(error.to_string(), "the reset of the environment failed in trial 2");
}
