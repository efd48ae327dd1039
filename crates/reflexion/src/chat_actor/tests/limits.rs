use reflect_llm::{ChatReply, FinishReason};
use serde_json::json;

use super::*;
use crate::AttemptEnd;

fn calls_for_ever() -> Arc<ScriptedModel> {
    let turn = std::sync::atomic::AtomicU32::new(0);
    Arc::new(ScriptedModel::answering(move |_| {
        let turn = turn.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        calling(vec![call("1", "no_such", json!({"turn": turn}))])
    }))
}

async fn attempt_within(context: AttemptContext) -> (Attempt, Arc<ScriptedModel>) {
    let model = calls_for_ever();
    let attempt = ChatActor::new(model.clone()).attempt("the task", &context).await.unwrap();
    (attempt, model)
}

fn limit(attempt: &Attempt) -> &str {
    match &attempt.end {
        AttemptEnd::Limit(why) => why,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn the_lower_limit_of_turns_ends_the_attempt_and_leaves_no_call_open() {
    for (own, left, turns) in [(3, None, 3), (3, Some(2), 2), (2, Some(9), 2), (0, None, 0), (5, Some(0), 0)] {
        let model = calls_for_ever();
        let actor = ChatActor::new(model.clone()).max_turns(own);
        let attempt = actor.attempt("the task", &AttemptContext { turns_left: left, ..context() }).await.unwrap();
        assert_eq!((attempt.turns as usize, model.requests().len()), (turns, turns));
        assert_eq!(limit(&attempt), format!("the limit of {turns} turns is reached"));
        let calls: usize = attempt.messages.iter().map(|message| message.tool_calls.len()).sum();
        let results = attempt.messages.iter().filter(|message| message.tool_call_id.is_some()).count();
        assert_eq!(calls, results);
    }
}

#[tokio::test]
async fn the_default_is_32_turns() {
    assert_eq!(attempt_within(context()).await.0.turns, 32);
}

#[tokio::test]
async fn limits_on_tokens_and_cost_end_the_attempt() {
    let (attempt, model) = attempt_within(AttemptContext { tokens_left: Some(40), ..context() }).await;
    assert_eq!((attempt.turns, limit(&attempt)), (3, "the limit of 40 tokens is reached"));
    let allowed: Vec<_> = model.requests().iter().map(|request| request.max_tokens).collect();
    assert_eq!(allowed, [Some(40), Some(25), Some(10)], "a reply may not take more than is left");
    let (attempt, _) = attempt_within(AttemptContext { cost_left_usd: Some(0.5), ..context() }).await;
    assert_eq!((attempt.turns, limit(&attempt)), (2, "the limit of 0.5 US dollars is reached"));
    for nothing in [0.0, -1.0, f64::NAN] {
        let (attempt, _) = attempt_within(AttemptContext { cost_left_usd: Some(nothing), ..context() }).await;
        assert_eq!(attempt.turns, 0, "{nothing}");
    }
    assert_eq!(attempt_within(AttemptContext { tokens_left: Some(0), ..context() }).await.0.turns, 0);
}

#[tokio::test]
async fn an_answer_beats_the_limit_it_reaches() {
    let (actor, _) = scripted([saying("done")]);
    let context = AttemptContext { turns_left: Some(1), tokens_left: Some(15), cost_left_usd: Some(0.25), ..context() };
    let attempt = actor.attempt("the task", &context).await.unwrap();
    assert_eq!((attempt.answer.as_str(), attempt.end), ("done", AttemptEnd::Answered));
}

#[tokio::test]
async fn what_was_said_before_a_limit_is_the_answer_in_hand() {
    let thinking = ChatReply { tool_calls: vec![call("1", "x", json!({}))], ..ChatReply::text("Perhaps 7.") };
    let (actor, _) = scripted([ScriptedStep::reply(thinking)]);
    assert_eq!(attempt(&actor.max_turns(1)).await.answer, "Perhaps 7.");
}

#[tokio::test]
async fn an_answer_that_was_cut_off_says_so() {
    let cut = ChatReply { finish: FinishReason::Length, ..ChatReply::text("The answer is") };
    let (actor, _) = scripted([ScriptedStep::reply(cut)]);
    let attempt = attempt(&actor).await;
    assert_eq!(
        (attempt.answer.as_str(), limit(&attempt)),
        ("The answer is", "the answer was cut off at its limit of tokens")
    );
}

#[tokio::test]
async fn settings_reach_the_request() {
    let (actor, model) = scripted([saying("x"), saying("y")]);
    let actor = actor.temperature(0.7).max_output_tokens(30).timeout(std::time::Duration::from_secs(4));
    attempt(&actor).await;
    actor.attempt("the task", &AttemptContext { tokens_left: Some(99), ..context() }).await.unwrap();
    for request in model.requests() {
        assert_eq!((request.temperature, request.max_tokens), (Some(0.7), Some(30)));
        assert_eq!(request.timeout, Some(std::time::Duration::from_secs(4)));
    }
}
