use std::{sync::Arc, time::Duration};

use reflect_core::{Media, Message, Outcome, ReviewSource, ToolCall, ToolResult};
use reflect_llm::{AnswerFormat, ChatError, ChatReply, ParseStatus, ScriptedModel, ScriptedStep, Usage};

use super::*;
use crate::{Context, RedactorOptions, ReflectionType, Reflector};

pub(super) const GOOD: &str = r#"{"summary": "The refund went to the wrong order.", "key_mistake": "`refund` was called before `get_order`.",
    "correct_action": "Call `get_order` first.", "guidance": "Look the order up with `get_order` and compare the total before `refund`.",
    "applicable_tools": ["refund", "rm -rf", "get_order"], "key_findings": ["Ids need the prefix A-."]}"#;

pub(crate) fn run(outcome: Outcome) -> ReviewedRun {
    let call = |name: &str, arguments: &str, answer: &str| Message {
        role: "assistant".into(),
        tool_calls: vec![ToolCall { id: name.into(), name: name.into(), arguments: arguments.into() }],
        tool_results: vec![ToolResult {
            call_id: name.into(),
            name: name.into(),
            text: answer.into(),
            is_error: false,
        }],
        ..Message::default()
    };
    ReviewedRun {
        task: "Refund order A-17 for ann@example.org".into(),
        messages: vec![
            call("refund", r#"{"id":"17"}"#, "refunded 17"),
            call("get_order", r#"{"id":"A-17"}"#, "total 9"),
        ],
        final_response: "Refunded.".into(),
        outcome,
        feedback_text: Some("It was the wrong order.".into()),
        review_source: ReviewSource::Api,
        reference_context: Some("Ids begin with A-.".into()),
        shown_lessons: Vec::new(),
    }
}

fn reflector(steps: impl IntoIterator<Item = ScriptedStep>) -> (LlmReflector, Arc<ScriptedModel>) {
    let model = Arc::new(ScriptedModel::new(steps).named("test/model-1"));
    (LlmReflector::new(model.clone(), LlmReflectorOptions::default()), model)
}

#[test]
fn what_the_model_is_not_shown_is_named() {
    let mut run = run(Outcome::Fail);
    let media =
        vec![Media { kind: "image".into(), media_type: "image/png".into(), bytes: Some(12_000), ..Media::default() }];
    run.messages.insert(0, Message { role: "user".into(), text: "Is this it?".into(), media, ..Message::default() });
    let (_, prompt) = reflector([]).0.prompt(&run);
    assert!(
        prompt.contains("step 1: user shows")
            && prompt.contains("an image (image/png, 12 KB) that this model was not shown"),
        "{prompt}"
    );
}

#[tokio::test]
async fn the_lesson_comes_with_everything_about_its_writer() {
    let usage = Usage { input_tokens: 900, output_tokens: 80, cost_usd: Some(0.001) };
    let (reflector, model) = reflector([ScriptedStep::reply(ChatReply { usage, ..ChatReply::text(GOOD) })]);
    let reflected = reflector.reflect_run(&run(Outcome::Fail)).await.unwrap();
    assert_eq!(reflected.written.lesson.key_mistake, "`refund` was called before `get_order`.");
    assert_eq!(reflected.written.lesson.tools_used, ["refund", "get_order"]);
    assert_eq!(reflected.written.lesson.applicable_tools, ["refund", "get_order"]);
    assert_eq!(reflected.written.written_by.reflector, "llm");
    assert_eq!(reflected.written.written_by.model.as_deref(), Some("test/model-1"));
    assert_eq!(
        (reflected.written.written_by.input_tokens, reflected.written.written_by.output_tokens),
        (Some(900), Some(80))
    );
    assert_eq!((reflected.spent.calls, reflected.spent.usage), (1, usage));
    assert_eq!(reflected.answer.unwrap().status, ParseStatus::Clean);
    let request = model.requests().remove(0);
    assert!(matches!(request.answer, AnswerFormat::Json { .. }));
    let prompt = &request.messages[1].text;
    for shown in [
        "Refund order A-17",
        r#"{"id":"17"}"#,
        "refunded 17",
        "total 9",
        "It was the wrong order.",
        "Ids begin with A-.",
        "fail",
    ] {
        assert!(prompt.contains(shown), "{shown}");
    }
}

#[test]
fn a_judges_reason_is_not_shown_as_a_reviewers_feedback() {
    let (reflector, _) = reflector([]);
    let (_, by_person) = reflector.prompt(&run(Outcome::Fail));
    assert!(by_person.contains(" feedback by the reviewer>>\nIt was the wrong order.") && !by_person.contains("judge"));
    let judged = ReviewedRun { review_source: ReviewSource::Judge, ..run(Outcome::Fail) };
    let (_, by_judge) = reflector.prompt(&judged);
    assert!(by_judge.contains(" result by an automatic judge>>\nfail"), "{by_judge}");
    assert!(
        by_judge.contains("automatic judge, no person: to be trusted less>>\nIt was the wrong order."),
        "{by_judge}"
    );
    assert!(!by_judge.contains("by the reviewer"), "{by_judge}");
}

#[tokio::test]
async fn the_type_follows_the_review_and_findings_stay_in_the_result() {
    let (reflector, _) = reflector([ScriptedStep::text(GOOD)]);
    let run = run(Outcome::Pass);
    let result = reflector.reflect(&Context::of_run(&run)).await.unwrap();
    assert_eq!(result.reflection_type(), ReflectionType::Success);
    assert_eq!(result.key_findings(), ["Ids need the prefix A-."]);
    assert!(result.root_causes().is_empty(), "a pass has no mistake");
    assert_eq!(result.metadata()["parse_status"], "clean");
    assert_eq!(result.metadata()["raw"], GOOD);
    assert_eq!(result.metadata()["reflector"], "llm");
}

#[tokio::test]
async fn a_useless_answer_is_sent_back_once_and_the_next_one_taken() {
    let (reflector, model) = reflector([ScriptedStep::text("It went wrong."), ScriptedStep::text(GOOD)]);
    let reflected = reflector.reflect_run(&run(Outcome::Fail)).await.unwrap();
    assert_eq!(reflected.spent.calls, 2);
    let again = &model.requests()[1].messages;
    assert_eq!(again.len(), 4);
    assert!(again[3].text.contains("no JSON object"));
}

#[tokio::test]
async fn two_useless_answers_are_an_error_that_says_why() {
    let empty = r#"{"summary": "x", "guidance": "", "correct_action": ""}"#;
    let (reflector, _) = reflector([ScriptedStep::text(empty), ScriptedStep::text("<html>busy</html>")]);
    let error = reflector.reflect_run(&run(Outcome::Fail)).await.unwrap_err();
    assert!(matches!(&error, ReflectError::Unusable(why) if why.contains("JSON")), "{error}");
    assert!(error.is_temporary());
}

#[tokio::test(start_paused = true)]
async fn failures_of_the_model_say_whether_trying_again_helps() {
    let wrong_key = ChatError::Refused { status: Some(401), message: "wrong key".into() };
    let busy = ChatError::RateLimited { retry_after: None, message: "slow down".into() };
    let (reflector, _) = reflector([ScriptedStep::error(wrong_key), ScriptedStep::error(busy), ScriptedStep::hang()]);
    let run = run(Outcome::Fail);
    assert!(!reflector.reflect_run(&run).await.unwrap_err().is_temporary());
    assert!(matches!(reflector.reflect_run(&run).await, Err(ReflectError::Model(error)) if error.is_temporary()));
    assert_eq!(reflector.reflect_run(&run).await, Err(ReflectError::TimedOut(Duration::from_secs(60))));
}

#[tokio::test]
async fn what_must_not_leave_is_redacted_before_the_model_sees_it() {
    let model = Arc::new(ScriptedModel::new([ScriptedStep::text(GOOD)]));
    let redactor = Arc::new(Redactor::new(&RedactorOptions::default()).unwrap());
    let options = LlmReflectorOptions { redactor: Some(redactor), ..LlmReflectorOptions::default() };
    LlmReflector::new(model.clone(), options).reflect_run(&run(Outcome::Fail)).await.unwrap();
    let prompt = &model.requests()[0].messages[1].text;
    assert!(prompt.contains("for [email]") && !prompt.contains("ann@example.org"));
}

#[tokio::test]
async fn a_context_without_a_run_is_refused() {
    let (reflector, _) = reflector([]);
    assert!(matches!(reflector.reflect(&Context::new()).await, Err(ReflectError::Permanent(_))));
}

#[test]
fn the_whole_prompt_stays_within_the_budget() {
    let (reflector, _) = reflector([]);
    let mut long = run(Outcome::Fail);
    long.messages[0].tool_results[0].text = "word ".repeat(200_000);
    let (system, user) = reflector.prompt(&long);
    assert!(plain::estimated_tokens(&system) + plain::estimated_tokens(&user) <= 12_000);
}

#[test]
fn the_guide_tells_the_length_of_the_instructions() {
    let tokens = plain::estimated_tokens(SYSTEM_PROMPT);
    assert!((1_250..1_400).contains(&tokens), "docs/reflection.md says about 1,300, it is {tokens}");
}
