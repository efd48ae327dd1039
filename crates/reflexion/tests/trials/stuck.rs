//! Runs that go in circles.

use reflect_llm::{ChatMessage, ToolCall};
use reflexion::{
    Attempt, AttemptContext, AttemptEnd, Plateau, StopReason, StuckDetection, StuckReason, actor_fn, repeated_call,
};

use crate::support::{Numbering, builder, counting_actor, never_passing, passing_from, scoring};

#[tokio::test]
async fn the_same_answer_again_ends_the_run_by_choice_without_another_reflection() {
    let actor = || {
        actor_fn(|_: String, context: AttemptContext| async move {
            Ok(format!("same {}", " ".repeat(context.trial as usize)))
        })
    };
    let numbering = Numbering::default();
    let stuck = StuckDetection { same_answer: Some(2), ..Default::default() };
    let reflexion = builder(actor()).reflector(numbering.clone()).evaluator(never_passing()).stuck_detection(stuck);
    let outcome = reflexion.max_trials(9).build().unwrap().run("task").await.unwrap();
    assert_eq!((outcome.stop, outcome.trials.len()), (StopReason::Stuck(StuckReason::SameAnswer), 2));
    assert_eq!(numbering.seen.lock().unwrap().len(), 1);
    let by_default = builder(actor()).evaluator(never_passing()).build().unwrap().run("task").await.unwrap();
    assert_eq!(by_default.trials.len(), 3);
}

#[tokio::test]
async fn a_score_that_no_longer_rises_ends_the_run_by_choice() {
    let trials = |scores, plateau| async move {
        let stuck = StuckDetection { plateau: Some(plateau), ..Default::default() };
        let reflexion = builder(counting_actor()).evaluator(scoring(scores)).stuck_detection(stuck).max_trials(5);
        let outcome = reflexion.build().unwrap().run("task").await.unwrap();
        (outcome.trials.len(), outcome.stop)
    };
    let plateau = Plateau { trials: 2, least_gain: 0.05 };
    let stuck = StopReason::Stuck(StuckReason::Plateau);
    assert_eq!(trials(&[0.5, 0.5, 0.52, 0.9, 0.9], plateau).await, (3, stuck.clone()));
    assert_eq!(trials(&[0.5, 0.4, 0.6, 0.5, 0.6], plateau).await, (5, StopReason::TrialsUsedUp));
    assert_eq!(trials(&[0.5, 0.4, 0.6, 0.5, 0.6], Plateau { trials: 1, least_gain: 0.0 }).await, (2, stuck));
}

fn looking(id: &str, at: u32, result: &str) -> [ChatMessage; 2] {
    let call = ToolCall { id: id.into(), name: "look".into(), arguments: serde_json::json!({ "at": at }) };
    [ChatMessage::assistant_calling("", vec![call]), ChatMessage::tool(id, result)]
}

#[test]
fn a_call_counts_as_repeated_only_with_the_same_arguments_and_the_same_result() {
    let same = [looking("a", 1, "door"), looking("b", 1, "door"), looking("c", 1, "door")].concat();
    assert!(repeated_call(&same, 3).is_some());
    assert!(repeated_call(&same, 4).is_none());
    let elsewhere = [looking("a", 1, "door"), looking("b", 2, "door"), looking("c", 1, "door")].concat();
    assert!(repeated_call(&elsewhere, 2).is_none());
    let polling = [looking("a", 1, "10 %"), looking("b", 1, "20 %"), looking("c", 1, "30 %")].concat();
    assert!(repeated_call(&polling, 2).is_none());
    assert!(repeated_call(&[], 0).is_none());
}

#[tokio::test]
async fn a_trial_that_repeats_itself_is_told_so_if_it_fails_and_the_run_goes_on() {
    let actor = || {
        actor_fn(|_: String, _: AttemptContext| async {
            let messages = [looking("a", 1, "door"), looking("b", 1, "door"), looking("c", 1, "door")].concat();
            Ok(Attempt { answer: "a door".into(), messages, ..Attempt::default() })
        })
    };
    let outcome = builder(actor()).evaluator(passing_from(2)).build().unwrap().run("task").await.unwrap();
    assert!(outcome.trials[0].evaluation.feedback.starts_with("trial 1 was wrong\n`look` was called 3 times"));
    assert!(outcome.passed() && outcome.trials[1].evaluation.feedback.is_empty());
    let off = builder(actor()).evaluator(passing_from(2)).stuck_detection(StuckDetection::off()).build().unwrap();
    assert_eq!(off.run("task").await.unwrap().trials[0].evaluation.feedback, "trial 1 was wrong");
}

#[tokio::test]
async fn an_actor_that_says_it_is_stuck_is_heard() {
    let actor = actor_fn(|_: String, _: AttemptContext| async {
        Ok(Attempt { end: AttemptEnd::Stuck("the same page again".into()), ..Attempt::answer("?") })
    });
    let outcome = builder(actor).evaluator(never_passing()).build().unwrap().run("task").await.unwrap();
    assert!(outcome.trials[0].evaluation.feedback.contains("the same page again"));
}
