//! A run that is killed after any trial resumes to the same outcome as one that was not.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use reflexion::{
    BestLessons, BoxError, Budgets, Checkpoint, CheckpointError, CheckpointFile, CheckpointSink, Evaluation,
    FinishedAttempt, Isolation, Outcome, ReflexionBuilder, Stage, StopReason, Strategy, StuckDetection, UnknownPolicy,
    Verdict,
};

use crate::support::{Witness, builder, costly_actor, counting_actor, never_passing, passing_from};

/// Keeps all checkpoints, as JSON.
#[derive(Clone, Default)]
struct All(Arc<Mutex<Vec<String>>>);

#[async_trait]
impl CheckpointSink for All {
    async fn save(&self, checkpoint: &Checkpoint) -> Result<(), BoxError> {
        self.0.lock().unwrap().push(checkpoint.to_json()?);
        Ok(())
    }
}

/// What differs between any two runs: how long they took by the clock on the wall.
fn without_millis(mut outcome: Outcome) -> Outcome {
    for trial in &mut outcome.trials {
        for stage in [&mut trial.spent.act, &mut trial.spent.evaluate, &mut trial.spent.reflect] {
            stage.millis = 0;
        }
    }
    outcome
}

/// Cuts a run after each of its trials and resumes it; each time the outcome has to be the same.
async fn cut_everywhere(make: impl Fn() -> ReflexionBuilder) -> Outcome {
    let all = All::default();
    let whole = without_millis(make().checkpoints(all.clone()).build().unwrap().run("the task").await.unwrap());
    let checkpoints = all.0.lock().unwrap().clone();
    assert_eq!(checkpoints.len(), whole.trials.len());
    for (place, json) in checkpoints.iter().enumerate() {
        let checkpoint = Checkpoint::from_json(json).unwrap();
        assert_eq!(checkpoint.trials.len(), place + 1);
        let resumed = make().build().unwrap().resume(checkpoint).await.unwrap();
        assert_eq!(without_millis(resumed), whole, "cut after trial {}", place + 1);
    }
    whole
}

/// A score and words that depend on the trial alone.
fn judge(finished: &FinishedAttempt) -> Evaluation {
    let score = f64::from(finished.trial * 37 % 10) / 10.0;
    Evaluation::fail(format!("trial {} was wrong", finished.trial)).scored(score)
}

#[tokio::test]
async fn a_run_cut_after_any_trial_ends_the_same() {
    let passed = cut_everywhere(|| builder(counting_actor()).evaluator(passing_from(4)).max_trials(6)).await;
    assert_eq!((passed.stop, passed.trials.len()), (StopReason::Passed, 4));
    let used_up = cut_everywhere(|| {
        let reflexion = builder(counting_actor()).evaluator(judge).max_trials(5).memory(BestLessons::new(2));
        reflexion.strategy(Strategy::LastAttemptAndLessons).isolation(Isolation::Shared)
    })
    .await;
    assert_eq!((used_up.stop, used_up.best), (StopReason::TrialsUsedUp, Some(3)));
}

#[tokio::test]
async fn a_run_that_a_limit_ends_is_the_same_when_resumed() {
    let budgets = Budgets { tokens: Some(250), ..Default::default() };
    let spent =
        cut_everywhere(|| builder(costly_actor(100, 0.1, 1)).evaluator(judge).max_trials(9).budgets(budgets)).await;
    assert_eq!((spent.stop, spent.trials.len()), (StopReason::Budget(reflexion::BudgetKind::Tokens), 3));
    let stuck = StuckDetection { same_answer: Some(3), ..Default::default() };
    let same = || reflexion::actor_fn(|_: String, _: reflexion::AttemptContext| async { Ok("same") });
    let circling = cut_everywhere(|| builder(same()).evaluator(judge).max_trials(9).stuck_detection(stuck)).await;
    assert_eq!(
        (circling.stop.to_string().as_str(), circling.trials.len()),
        ("the run is stuck: it gives the same answer again", 3)
    );
    let unknown = |finished: &FinishedAttempt| match finished.trial {
        1 => Evaluation::fail("no"),
        _ => Evaluation { verdict: Verdict::Unknown("who knows".into()), ..Evaluation::pass() },
    };
    let unjudged =
        cut_everywhere(|| builder(counting_actor()).evaluator(unknown).unknown_policy(UnknownPolicy::Stop)).await;
    assert_eq!(unjudged.stop, StopReason::UnknownVerdict);
}

#[tokio::test]
async fn a_run_that_used_up_its_trials_goes_on_with_more_of_them() {
    let all = All::default();
    let reflexion = builder(counting_actor()).evaluator(passing_from(3)).checkpoints(all.clone());
    reflexion.max_trials(2).build().unwrap().run("task").await.unwrap();
    let last = Checkpoint::from_json(all.0.lock().unwrap().last().unwrap()).unwrap();
    assert_eq!(last.stop, Some(StopReason::TrialsUsedUp));
    let outcome = builder(counting_actor()).evaluator(passing_from(3)).build().unwrap().resume(last).await.unwrap();
    assert_eq!((outcome.answer.as_str(), outcome.trials.len()), ("answer 3", 3));
}

#[tokio::test(start_paused = true)]
async fn a_trial_that_was_cut_off_is_made_anew() {
    let all = All::default();
    let evaluator = |hangs: bool| {
        reflexion::evaluator_fn(move |finished: FinishedAttempt| async move {
            if hangs && finished.trial == 2 {
                std::future::pending::<()>().await;
            }
            Ok(if finished.trial == 3 { Evaluation::pass() } else { Evaluation::fail("no") })
        })
    };
    let budgets = Budgets { time: Some(Duration::from_secs(60)), ..Default::default() };
    let cut = builder(counting_actor()).evaluator(evaluator(true)).budgets(budgets).checkpoints(all.clone());
    assert_eq!(cut.build().unwrap().run("task").await.unwrap().stop, StopReason::Time);
    let last = Checkpoint::from_json(all.0.lock().unwrap().last().unwrap()).unwrap();
    assert_eq!(last.trials.len(), 1);
    let witness = Witness::default();
    let resumed = builder(counting_actor()).evaluator(evaluator(false)).hooks(witness.clone()).build().unwrap();
    let outcome = resumed.resume(last).await.unwrap();
    assert_eq!((outcome.stop, outcome.trials.len()), (StopReason::Passed, 3));
    assert_eq!(witness.log.lines()[0], "hook start 2");
}

#[tokio::test(start_paused = true)]
async fn a_resumed_run_has_the_time_that_was_left() {
    let actor = || {
        reflexion::actor_fn(|_: String, context: reflexion::AttemptContext| async move {
            tokio::time::sleep(Duration::from_secs(4)).await;
            Ok(format!("answer {}", context.trial))
        })
    };
    let budgets = Budgets { time: Some(Duration::from_secs(10)), ..Default::default() };
    let all = All::default();
    let whole = builder(actor()).evaluator(never_passing()).budgets(budgets).checkpoints(all.clone()).build().unwrap();
    let whole = whole.run("task").await.unwrap();
    assert_eq!((whole.stop.clone(), whole.trials.len()), (StopReason::Time, 2));
    let checkpoints = all.0.lock().unwrap().clone();
    for json in checkpoints {
        let resumed = builder(actor()).evaluator(never_passing()).budgets(budgets).build().unwrap();
        assert_eq!(resumed.resume(Checkpoint::from_json(&json).unwrap()).await.unwrap(), whole);
    }
}

#[tokio::test]
async fn a_file_holds_the_newest_checkpoint_and_nothing_is_left_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = CheckpointFile::new(folder.path().join("run.json"));
    assert_eq!(file.load().unwrap(), None);
    let reflexion = builder(counting_actor()).evaluator(never_passing()).checkpoints(file.clone()).build().unwrap();
    let outcome = reflexion.run("task").await.unwrap();
    let checkpoint = file.load().unwrap().unwrap();
    assert_eq!(
        (checkpoint.trials.clone(), checkpoint.stop.clone()),
        (outcome.trials.clone(), Some(outcome.stop.clone()))
    );
    assert_eq!(reflexion.resume(checkpoint).await.unwrap(), outcome);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn a_checkpoint_that_cannot_be_written_ends_the_run_with_what_it_had() {
    let file = CheckpointFile::new("/nowhere/at/all/run.json");
    let reflexion = builder(counting_actor()).evaluator(never_passing()).checkpoints(file.clone()).build().unwrap();
    let error = reflexion.run("task").await.unwrap_err();
    assert_eq!((error.stage(), error.outcome().trials.len()), (Some(Stage::Checkpoint), 1));
}

#[test]
fn what_is_no_checkpoint_is_refused_with_words() {
    let refused = |text: &str| Checkpoint::from_json(text).unwrap_err();
    assert!(matches!(refused("{"), CheckpointError::Unreadable(_)));
    assert!(matches!(refused("{}"), CheckpointError::Unreadable(_)));
    assert!(refused("{\"version\": 99}").to_string().contains("`99`"));
}

#[tokio::test]
async fn a_checkpoint_with_a_gap_is_refused() {
    let all = All::default();
    builder(counting_actor()).evaluator(judge).checkpoints(all.clone()).build().unwrap().run("task").await.unwrap();
    let json = all.0.lock().unwrap().last().unwrap().clone();
    let mut value: serde_json::Value = serde_json::from_str(&json).unwrap();
    value["trials"].as_array_mut().unwrap().remove(1);
    let error = Checkpoint::from_json(&value.to_string()).unwrap_err();
    assert_eq!(error.to_string(), "trial number 2 is missing in the checkpoint");
}

/// Gives way before each answer, so that a run can be killed there.
fn halting_actor() -> impl reflexion::Actor {
    reflexion::actor_fn(|_: String, context: reflexion::AttemptContext| async move {
        tokio::task::yield_now().await;
        Ok(format!("answer {} after {} lessons", context.trial, context.lessons.len()))
    })
}

#[tokio::test]
async fn a_run_killed_at_any_moment_ends_the_same() {
    let halting_judge = || {
        reflexion::evaluator_fn(|finished: FinishedAttempt| async move {
            tokio::task::yield_now().await;
            Ok(judge(&finished))
        })
    };
    let make = || builder(halting_actor()).evaluator(halting_judge()).max_trials(4);
    let whole = without_millis(make().build().unwrap().run("the task").await.unwrap());
    let mut kills = 0;
    loop {
        let all = All::default();
        let reflexion = make().checkpoints(all.clone()).build().unwrap();
        let mut run = Box::pin(reflexion.run("the task"));
        let polled = (0..=kills).find_map(|_| futures_util::FutureExt::now_or_never(&mut run));
        drop(run);
        let last = all.0.lock().unwrap().last().map(|json| Checkpoint::from_json(json).unwrap());
        let resumed = match last {
            Some(checkpoint) => make().build().unwrap().resume(checkpoint).await.unwrap(),
            None => make().build().unwrap().run("the task").await.unwrap(),
        };
        assert_eq!(without_millis(resumed), whole, "killed at its wait number {}", kills + 1);
        if polled.is_some() {
            break;
        }
        kills += 1;
    }
    assert_eq!(kills, 8);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_run_can_be_resumed_to_the_outcome_it_would_have_had() {
    let cancel = reflexion::CancellationToken::new();
    let from_within = cancel.clone();
    let cancelling = reflexion::evaluator_fn(move |finished: FinishedAttempt| {
        let cancel = from_within.clone();
        async move {
            if finished.trial == 2 {
                cancel.cancel();
                std::future::pending::<()>().await;
            }
            Ok(judge(&finished))
        }
    });
    let all = All::default();
    let cut = builder(counting_actor()).evaluator(cancelling).checkpoints(all.clone()).build().unwrap();
    assert_eq!(cut.run_until("task", &cancel).await.unwrap().stop, StopReason::Cancelled);
    let last = Checkpoint::from_json(all.0.lock().unwrap().last().unwrap()).unwrap();
    let make = || builder(counting_actor()).evaluator(judge).build().unwrap();
    assert_eq!(make().resume(last).await.unwrap(), make().run("task").await.unwrap());
}
