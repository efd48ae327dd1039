use reflect_llm::{ChatError, ChatMessage, Role};
use serde_json::json;

use super::*;
use crate::{AttemptEnd, Tool};

#[tokio::test]
async fn a_reply_without_tool_calls_is_the_answer() {
    let (actor, model) = scripted([saying("42")]);
    let attempt = attempt(&actor.system_prompt("Be brief.")).await;
    assert_eq!((attempt.answer.as_str(), attempt.turns, attempt.usage), ("42", 1, USAGE));
    assert_eq!(attempt.end, AttemptEnd::Answered);
    let said = [ChatMessage::system("Be brief."), ChatMessage::user("the prompt"), ChatMessage::assistant("42")];
    assert_eq!(attempt.messages, said);
    assert_eq!(model.requests()[0].messages, said[..2]);
}

#[tokio::test]
async fn several_rounds_of_tools_are_one_attempt() {
    let (actor, model) = scripted([
        calling(vec![call("1", "double", json!({"value": 2}))]),
        calling(vec![call("2", "double", json!({"value": 4}))]),
        saying("8"),
    ]);
    let attempt =
        attempt(&actor.tool(Tool::new("double", "Doubles.", |number: u32| async move { Ok(number * 2) }))).await;
    assert_eq!((attempt.answer.as_str(), attempt.turns), ("8", 3));
    assert_eq!(attempt.usage.input_tokens, 30);
    assert_eq!(attempt.usage.cost_usd, Some(0.75));
    let results: Vec<_> = attempt.messages.iter().filter(|message| message.role == Role::Tool).collect();
    assert_eq!(results.iter().map(|result| result.text.as_str()).collect::<Vec<_>>(), ["4", "8"]);
    assert_eq!(results[1].tool_call_id.as_deref(), Some("2"));
    let last = &model.requests()[2];
    assert_eq!(last.messages.len(), 5, "the whole attempt is in the conversation");
    assert_eq!(last.tools[0].name, "double");
}

#[tokio::test]
async fn an_empty_answer_is_an_answer() {
    let calls = ChatReply { tool_calls: vec![call("1", "no_such", json!({}))], ..ChatReply::text("Let me see.") };
    let (actor, _) = scripted([ScriptedStep::reply(calls), saying("")]);
    let attempt = attempt(&actor).await;
    assert_eq!((attempt.answer.as_str(), attempt.turns, attempt.end), ("", 2, AttemptEnd::Answered));
}

#[tokio::test]
async fn every_attempt_begins_anew_unless_there_is_a_history() {
    let (actor, model) = scripted([saying("one"), saying("two"), saying("three")]);
    let actor = actor.system_prompt("Be brief.");
    let first = attempt(&actor).await;
    attempt(&actor).await;
    assert_eq!(model.requests()[1].messages.len(), 2, "nothing of the first attempt");
    let going_on = AttemptContext { prompt: "again".into(), history: first.messages, ..context() };
    let third = actor.attempt("the task", &going_on).await.unwrap();
    let roles: Vec<Role> = model.requests()[2].messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::System, Role::User, Role::Assistant, Role::User], "instructions are there once");
    assert_eq!(third.messages.len(), 3, "an attempt holds its own trial alone");
}

#[tokio::test]
async fn a_history_keeps_its_instructions_where_the_actor_has_none() {
    let (actor, model) = scripted([saying("x")]);
    let history = vec![ChatMessage::system("Be kind."), ChatMessage::user("a"), ChatMessage::assistant("b")];
    actor.attempt("the task", &AttemptContext { history, ..context() }).await.unwrap();
    assert_eq!(model.requests()[0].messages[0].text, "Be kind.");
}

#[tokio::test]
async fn without_a_prompt_the_task_is_asked() {
    let (actor, model) = scripted([saying("x")]);
    actor.attempt("the task", &AttemptContext::default()).await.unwrap();
    assert_eq!(model.requests()[0].messages, [ChatMessage::user("the task")]);
}

#[tokio::test]
async fn a_model_that_fails_is_an_error_of_its_kind() {
    let down = ChatError::Unavailable { status: Some(503), retry_after: None, message: "down".into() };
    let (actor, _) = scripted([ScriptedStep::error(down.clone())]);
    let error = actor.attempt("the task", &context()).await.unwrap_err();
    assert_eq!(error.downcast_ref::<ChatError>(), Some(&down));
}

#[tokio::test]
async fn going_in_circles_ends_the_attempt_as_stuck() {
    let again = || calling(vec![call("1", "look", json!({}))]);
    let (actor, model) = scripted([again(), again(), again(), again()]);
    let attempt = attempt(&actor.tool(Tool::new("look", "Looks.", |_: ()| async { Ok("dark") }))).await;
    assert!(matches!(&attempt.end, AttemptEnd::Stuck(why) if why.contains("`look` was called 3 times")));
    assert_eq!((attempt.turns, model.requests().len()), (3, 3));
    assert_eq!(attempt.messages.last().map(|message| message.role), Some(Role::Tool), "no call is left open");
}

#[tokio::test]
async fn a_call_that_gives_something_else_each_time_is_not_stuck() {
    let again = || calling(vec![call("1", "poll", json!({}))]);
    let (actor, _) = scripted([again(), again(), again(), again(), saying("done")]);
    let count = Arc::new(std::sync::atomic::AtomicU32::new(0));
    let poll = Tool::new("poll", "Polls.", move |_: ()| {
        let count = count.clone();
        async move { Ok(count.fetch_add(1, std::sync::atomic::Ordering::SeqCst)) }
    });
    assert_eq!(attempt(&actor.tool(poll)).await.answer, "done");
}
