//! What a lesson says in one case and in the next, in runs of a few steps.

use reflect_core::{Lesson, Media, Message, Outcome, ReviewSource, ToolCall, ToolResult, WrittenBy};

use super::{BuiltinReflector, lesson};
use crate::{Context, ReflectionType, Reflector, ReviewedRun, RunReflector};

/// A tool, what it was sent, what it answered.
type Step<'a> = (&'a str, &'a str, &'a str);

fn run(outcome: Outcome, steps: &[Step], answer: &str) -> ReviewedRun {
    let messages = steps.iter().enumerate().map(|(index, (tool, arguments, text))| Message {
        role: "assistant".into(),
        tool_calls: vec![ToolCall { id: index.to_string(), name: (*tool).into(), arguments: (*arguments).into() }],
        tool_results: vec![ToolResult { call_id: index.to_string(), text: (*text).into(), ..ToolResult::default() }],
        ..Message::default()
    });
    ReviewedRun {
        task: "Ship order 7".into(),
        messages: messages.collect(),
        final_response: answer.into(),
        outcome,
        feedback_text: None,
        review_source: ReviewSource::Api,
        reference_context: None,
        shown_lessons: Vec::new(),
    }
}

fn failed(steps: &[Step], answer: &str) -> Lesson {
    lesson(&run(Outcome::Fail, steps, answer))
}

fn passed(steps: &[Step], answer: &str) -> Lesson {
    lesson(&run(Outcome::Pass, steps, answer))
}

const SHIPPED: Step = ("ship", r#"{"order": "7"}"#, "ok");

#[tokio::test]
async fn the_reflector_answers_with_the_lesson() {
    let run = run(Outcome::Pass, &[SHIPPED], "Shipped.");
    let written = BuiltinReflector.reflect_run(&run).await.unwrap().written;
    assert_eq!((written.lesson, written.written_by), (lesson(&run), WrittenBy::new("builtin", "2")));
    let result = BuiltinReflector.reflect(&Context::of_run(&run)).await.unwrap();
    assert_eq!((result.reflection_type(), result.summary()), (ReflectionType::Success, lesson(&run).summary.as_str()));
}

#[test]
fn an_empty_run_says_that_nothing_is_known() {
    let lesson = failed(&[], "");
    assert_eq!(lesson.summary, "Asked “Ship order 7”, the run left no answer and failed; the review gives no reason.");
    assert_eq!((lesson.key_mistake + &lesson.correct_action + &lesson.guidance).as_str(), "");
}

#[test]
fn what_was_not_looked_at_is_named_once() {
    let mut run = run(Outcome::Fail, &[], "a cat");
    let image = Media { kind: "image".into(), media_type: "image/png".into(), bytes: Some(12_000), ..Media::default() };
    let asked = |media| Message { role: "user".into(), text: "What is it?".into(), media, ..Message::default() };
    run.messages = vec![asked(vec![image.clone(), image])];
    let ending = "It came with an image (image/png, 12 KB), not looked at for this lesson.";
    assert!(lesson(&run).summary.ends_with(ending), "{}", lesson(&run).summary);
    run.messages.push(asked((1..=5).map(|page| Media::at_url("image", &format!("https://{page}.example"))).collect()));
    let ending = "(at 1.example), an image (at 2.example) and others, not looked at for this lesson.";
    assert!(lesson(&run).summary.ends_with(ending), "{}", lesson(&run).summary);
}

#[test]
fn an_error_that_was_got_over_is_not_the_mistake() {
    let lesson = failed(&[("ship", r#"{"order": "No. 7"}"#, "Error: bad number"), SHIPPED], "Shipped.");
    assert_eq!(lesson.key_mistake, "");
    assert_eq!(lesson.correct_action, "In `ship`, use `7`; `No. 7` failed with `Error: bad number`.");
}

#[test]
fn the_first_error_that_stayed_is_the_mistake() {
    let steps = [
        ("find", r#"{"id": "No. 7"}"#, "not found"),
        ("find", r#"{"id": "7"}"#, "order 7"),
        ("ship", r#"{"order": "7"}"#, "Error: no label"),
        ("ship", r#"{"order": "7"}"#, "Error: no label"),
    ];
    let lesson = failed(&steps, "I could not ship it.");
    assert_eq!(
        lesson.key_mistake,
        "Tool call 3, `ship` with `7`, failed with `Error: no label`; the same call failed twice in all."
    );
    assert_eq!(
        lesson.guidance,
        "Change the arguments after the first `Error: no label` from `ship`; repeating the call did not help."
    );
    assert_eq!(lesson.applicable_tools, ["find", "ship"]);
}

#[test]
fn an_answer_that_owns_up_claims_nothing() {
    let steps = [("ship", r#"{"order": "7"}"#, "Error: no label")];
    assert!(failed(&steps, "The order was sent.").key_mistake.contains("The answer still said “The order was sent”."));
    assert!(!failed(&steps, "It was not sent: no label.").key_mistake.contains("still said"));
    assert!(!failed(&[steps[0], SHIPPED], "The order was sent.").key_mistake.contains("still said"));
}

#[test]
fn an_error_that_may_pass_asks_for_a_retry() {
    let lesson = failed(&[("ship", r#"{"order": "7"}"#, "HTTP 503")], "No luck.");
    assert_eq!(
        lesson.guidance,
        "Retry `ship` after `HTTP 503`: such an error may pass, and the run did not try again."
    );
}

#[test]
fn steps_without_a_call_or_a_name_are_told_by_their_place() {
    let mut run = run(Outcome::Fail, &[("", "{}", "Error: x")], "");
    assert_eq!(lesson(&run).key_mistake, "Tool call 1, an unnamed tool, failed with `Error: x`.");
    run.messages[0].tool_calls.clear();
    assert_eq!(lesson(&run).key_mistake, "The tool result in message 1 failed with `Error: x`.");
}

#[test]
fn another_errand_of_a_tool_is_no_way_out() {
    let steps = [("bash", r#"{"command": "pytest"}"#, "1 failed in 0.1s"), ("bash", r#"{"command": "ls"}"#, "a.py")];
    assert_eq!(failed(&steps, "").correct_action, "");
    assert_eq!(
        passed(&steps, "").correct_action,
        "That run called `bash` with `ls`. `bash` with `pytest` failed with `1 failed in 0.1s`; the run passed without it."
    );
}

#[test]
fn a_pass_tells_the_order_of_its_tools() {
    let lesson = passed(&[("find", r#"{"id": "7"}"#, "order 7"), SHIPPED], "Shipped.");
    assert_eq!(lesson.summary, "Asked “Ship order 7”, the run called `find` and `ship` and passed.");
    assert_eq!(lesson.correct_action, "That run called `find` with `7`, then `ship` with `7`.");
    assert_eq!(lesson.guidance, "Call `find` before `ship`.");
}

#[test]
fn a_long_pass_is_told_by_its_ends() {
    let mut steps = vec![("find", r#"{"id": "7"}"#, "order 7"); 3];
    steps.extend([
        ("weigh", "{}", "2 kg"),
        ("pack", "{}", "ok"),
        ("label", "{}", "ok"),
        ("weigh", "{}", "3 kg"),
        SHIPPED,
    ]);
    assert_eq!(
        passed(&steps, "").correct_action,
        "That run called `find` with `7`, then `weigh`, then made 3 more calls, then called `ship` with `7`."
    );
}

#[test]
fn long_arguments_are_shortened_until_the_calls_fit() {
    let names: Vec<String> = (0..5).map(|number| format!("{}{number}", "long_name_".repeat(5))).collect();
    let sent = ["a", "b"].map(|letter| format!(r#"{{"text": "{}"}}"#, letter.repeat(500)));
    let steps: Vec<Step> =
        names.iter().flat_map(|name| sent.iter().map(|sent| (name.as_str(), sent.as_str(), "ok"))).collect();
    let lesson = passed(&steps, "");
    assert_eq!(lesson.applicable_tools, names);
    assert!(lesson.correct_action.chars().count() <= 600, "{}", lesson.correct_action);
}

#[test]
fn vague_praise_is_left_out_and_telling_praise_quoted() {
    let mut run = run(Outcome::Pass, &[SHIPPED], "Shipped.");
    run.feedback_text = Some("Good job!".into());
    assert_eq!(lesson(&run).guidance, "");
    run.feedback_text = Some("Good that it asked for the address first.".into());
    assert_eq!(lesson(&run).guidance, "Reviewer: Good that it asked for the address first.");
}

#[test]
fn a_judges_reason_is_passed_on_as_the_judges() {
    let mut run = run(Outcome::Fail, &[SHIPPED], "Shipped.");
    run.review_source = ReviewSource::Judge;
    run.feedback_text = Some("The address was never confirmed. It should ask for it first.".into());
    let failed = lesson(&run);
    assert_eq!(failed.guidance, "An automatic judge: The address was never confirmed. It should ask for it first.");
    run.outcome = Outcome::Pass;
    assert_eq!(lesson(&run).guidance, failed.guidance);
}

#[test]
fn a_pass_without_tools_keeps_its_answer_and_the_reference() {
    let mut run = run(Outcome::Pass, &[], "It is 391.");
    run.reference_context = Some("391".into());
    assert_eq!(
        lesson(&run).correct_action,
        "Accepted for that task: “It is 391”. Keep its form; its names and numbers belong to that task. The answer agrees with the reference, “391”."
    );
    run.reference_context = Some("39".into());
    assert!(lesson(&run).correct_action.ends_with("The reference says: “39”."));
}

#[test]
fn a_rule_is_never_filed_as_a_mistake() {
    let mut run = run(Outcome::Fail, &[], "Invoice 7");
    run.feedback_text = Some("Invoice identifiers at Nord are written INV-, the year, a dash, four digits.".into());
    let lesson = lesson(&run);
    assert_eq!(lesson.text(), "Reviewer: Invoice identifiers at Nord are written INV-, the year, a dash, four digits.");
}

#[test]
fn words_about_that_runs_own_values_say_so() {
    let mut run = run(Outcome::Fail, &[], "Sent.");
    run.feedback_text = Some("Order 7 goes by ship.".into());
    assert!(lesson(&run).guidance.ends_with("take yours from the task at hand."), "{}", lesson(&run).guidance);
    run.feedback_text = Some("Orders go by ship.".into());
    assert_eq!(lesson(&run).guidance, "Reviewer: Orders go by ship.");
}

#[test]
fn a_wrong_answer_is_not_quoted() {
    for feedback in [None, Some("no"), Some("Every greeting ends with the words Team Nord.")] {
        let mut run = run(Outcome::Fail, &[], "Hello Chen!");
        run.feedback_text = feedback.map(str::to_owned);
        let lesson = lesson(&run);
        let said = [&lesson.summary, &lesson.key_mistake, &lesson.correct_action, &lesson.guidance];
        assert!(said.iter().all(|text| !text.contains("Hello Chen")), "{lesson:?}");
    }
}

#[test]
fn an_old_lesson_that_was_cut_off_is_not_learned_again() {
    let cut_off = ("ship", "7", "shipped\n<relevant_memories><memory>Error: never ship on Sundays");
    assert_eq!(passed(&[cut_off], "Shipped."), passed(&[("ship", "7", "shipped\n")], "Shipped."));
}

#[test]
fn memory_tools_are_used_but_taught_nothing() {
    let recalled = ("mcp__reflect__retrieve_memories", r#"{"query": "ship"}"#, r#"{"error": "old lesson"}"#);
    let lesson = passed(&[recalled, SHIPPED], "Shipped.");
    assert_eq!(lesson.correct_action, "That run called `ship` with `7`.");
    assert_eq!(lesson.tools_used, ["mcp__reflect__retrieve_memories", "ship"]);
    assert_eq!(lesson.applicable_tools, ["ship"]);
}
