//! What a lesson says in one case and in the next, in runs of a few steps.

use reflect_core::{Lesson, Media, Message, Outcome, ReviewSource, Tells, ToolCall, ToolResult, WrittenBy};

use super::{BuiltinReflector, lesson};
use crate::{Context, ReflectionType, Reflector, ReviewedRun, RunReflector};

/// A tool, what it was sent, what it answered.
pub(super) type Step<'a> = (&'a str, &'a str, &'a str);

pub(super) fn run(outcome: Outcome, steps: &[Step], answer: &str) -> ReviewedRun {
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

pub(super) fn failed(steps: &[Step], answer: &str) -> Lesson {
    lesson(&run(Outcome::Fail, steps, answer))
}

pub(super) fn passed(steps: &[Step], answer: &str) -> Lesson {
    lesson(&run(Outcome::Pass, steps, answer))
}

const SHIPPED: Step = ("ship", r#"{"order": "7"}"#, "ok");

#[tokio::test]
async fn the_reflector_answers_with_the_lesson() {
    let run = run(Outcome::Pass, &[SHIPPED], "Shipped.");
    let written = BuiltinReflector.reflect_run(&run).await.unwrap().written;
    assert_eq!((written.lesson, written.written_by), (lesson(&run), WrittenBy::new("builtin", "3")));
    let result = BuiltinReflector.reflect(&Context::of_run(&run)).await.unwrap();
    assert_eq!((result.reflection_type(), result.summary()), (ReflectionType::Success, lesson(&run).summary.as_str()));
}

#[test]
fn an_empty_run_says_that_nothing_is_known() {
    let lesson = failed(&[], "");
    assert_eq!(lesson.summary, "Asked “Ship order 7”, the run left no answer and failed; the review gives no reason.");
    assert!(lesson.has_only_a_summary());
    assert_eq!(lesson.tells, Some(Tells::Nothing));
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
    assert_eq!(lesson.key_mistake, "`ship` with `No. 7` failed with `Error: bad number`; with `7` it worked.");
    assert_eq!((lesson.tells, lesson.applicable_tools), (Some(Tells::Pitfall), vec!["ship".to_owned()]));
}

#[test]
fn the_error_that_stayed_is_the_mistake() {
    let steps = [
        ("ship", r#"{"order": "7"}"#, "Error: no label"),
        ("weigh", r#"{"order": "7"}"#, "2 kg"),
        ("ship", r#"{"order": "7"}"#, "Error: no label"),
    ];
    let lesson = failed(&steps, "I could not ship it.");
    assert_eq!(lesson.key_mistake, "`ship` with `7` failed twice with `Error: no label`.");
    assert_eq!((lesson.guidance.as_str(), lesson.applicable_tools), ("", vec!["ship".to_owned()]));
}

#[test]
fn an_answer_that_owns_up_claims_nothing() {
    let steps = [("ship", r#"{"order": "7"}"#, "Error: no label")];
    assert_eq!(
        failed(&steps, "The order was sent.").key_mistake,
        "`ship` with `7` failed with `Error: no label`; the answer still said “The order was sent”."
    );
    assert!(!failed(&steps, "It was not sent: no label.").key_mistake.contains("still said"));
    assert!(!failed(&[steps[0], SHIPPED], "The order was sent.").key_mistake.contains("still said"));
}

#[test]
fn what_worked_when_tried_again_was_no_pitfall() {
    let steps = [("ship", r#"{"order": "7"}"#, "HTTP 503"), ("ship", r#"{"order": "7"}"#, "HTTP 503"), SHIPPED];
    let lesson = passed(&steps, "");
    assert_eq!((lesson.guidance.as_str(), lesson.correct_action.as_str()), ("", "Done with `ship` (`7`)."));
    assert_eq!(lesson.tells, Some(Tells::Example));
}

#[test]
fn the_failure_that_a_run_ends_with_and_passes_is_what_it_had_to_show() {
    let refused = ("bash", r#"{"command": "./portd --port 70000"}"#, "error: out of range\nExit code: 2");
    let edited = ("edit_file", r#"{"path": "a.rs"}"#, "ok");
    assert_eq!(passed(&[edited, refused], "").correct_action, "Done with an edit of `a.rs`.");
    let twice = passed(&[edited, refused, refused], "");
    assert!(twice.guidance.starts_with("`./portd --port 70000` failed twice"), "{}", twice.guidance);
}

#[test]
fn steps_without_a_name_are_not_told() {
    let mut run = run(Outcome::Fail, &[("", "{}", "Error: x")], "");
    assert_eq!(lesson(&run).key_mistake, "");
    run.messages[0].tool_calls.clear();
    assert_eq!(lesson(&run).key_mistake, "");
}

#[test]
fn a_pass_is_told_by_what_made_its_result() {
    let lesson = passed(&[("find", r#"{"id": "7"}"#, "order 7"), SHIPPED], "Shipped.");
    assert_eq!(lesson.summary, "Asked “Ship order 7”, the run called `find` and `ship` and passed.");
    assert_eq!((lesson.correct_action.as_str(), lesson.guidance.as_str()), ("Done with `ship` (`7`).", ""));
    assert_eq!(lesson.tells, Some(Tells::Example));
    let steps = [
        ("edit_file", r#"{"path": "a.rs"}"#, "ok"),
        ("bash", r#"{"command": "cargo test"}"#, "test result: ok. 1 passed"),
    ];
    assert_eq!(passed(&steps, "").correct_action, "Done with an edit of `a.rs`; `cargo test` then passed.");
}

#[test]
fn an_answer_that_only_reports_is_no_example() {
    assert_eq!(passed(&[], "All tests pass.").tells, Some(Tells::Nothing));
    assert_eq!(passed(&[], "Hello Chen!").tells, Some(Tells::Example));
}

#[test]
fn long_arguments_are_shortened() {
    let sent = format!(r#"{{"text": "{}"}}"#, "word ".repeat(500));
    let lesson = passed(&[("send", &sent, "ok")], "");
    assert!(lesson.correct_action.chars().count() <= 160, "{}", lesson.correct_action);
}

#[test]
fn praise_alone_is_no_rule() {
    let mut run = run(Outcome::Pass, &[SHIPPED], "Shipped.");
    run.feedback_text = Some("Good job!".into());
    assert_eq!(lesson(&run).guidance, "");
    run.feedback_text = Some("Good that it asked for the address first.".into());
    assert_eq!(lesson(&run).guidance, "");
    run.feedback_text = Some("Good that it asked. Always ask for the address first.".into());
    assert_eq!(lesson(&run).guidance, "Always ask for the address first.");
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
fn a_pass_without_tools_keeps_the_form_of_its_answer_and_no_reference() {
    let mut run = run(Outcome::Pass, &[], "It is 391.");
    run.reference_context = Some("391 or 392".into());
    assert_eq!(
        lesson(&run).correct_action,
        "Accepted for that task: “It is 391”. Keep its form; its names and numbers belong to that task."
    );
}

#[test]
fn what_a_reviewer_took_from_the_reference_is_an_answer() {
    let mut run = run(Outcome::Fail, &[], "Paris");
    (run.feedback_text, run.reference_context) = (Some("the city of Lisbon".into()), Some("The city of Lisbon".into()));
    assert_eq!(lesson(&run).tells, Some(Tells::Rule));
    run.reference_context = Some("the city of Lisbon".into());
    assert_eq!(
        (lesson(&run).text().as_str(), lesson(&run).tells),
        ("The reviewer's answer: the city of Lisbon.", Some(Tells::Answer))
    );
}

#[test]
fn a_rule_is_never_filed_as_a_mistake() {
    let mut run = run(Outcome::Fail, &[], "Invoice 7");
    run.feedback_text = Some("Invoice identifiers at Nord are written INV-, the year, a dash, four digits.".into());
    let lesson = lesson(&run);
    assert_eq!(lesson.text(), "Invoice identifiers at Nord are written INV-, the year, a dash, four digits.");
}

#[test]
fn only_words_that_quote_the_answer_are_marked_as_that_runs_own() {
    let said = |feedback: &str, answer: &str| {
        let mut run = run(Outcome::Fail, &[], answer);
        run.feedback_text = Some(feedback.into());
        lesson(&run).guidance
    };
    let marked = [
        "“417/26” lacks the prefix.",
        "INV-417 lacks its zeros.",
        "Du hast „417/26“ geschrieben, es fehlt das Kürzel.",
    ];
    for feedback in marked {
        assert!(said(feedback, "417/26, that is INV-417").ends_with("take yours from the task at hand."), "{feedback}");
    }
    let plain =
        ["Order 7 goes by ship.", "Rechnung und Bestellung haben eine Frist von 14 Tagen.", "Orders go by ship."];
    for feedback in plain {
        assert_eq!(said(feedback, "Rechnung 14, order 7 by ship"), feedback);
    }
}

#[test]
fn a_long_rule_stands_whole_and_alone() {
    let mut run = run(Outcome::Fail, &[("ship", "{}", "Error: no label")], "");
    let rule = "Every order above the limit is shown to somebody first, and nobody ships it alone. ".repeat(9);
    run.feedback_text = Some(rule.clone());
    assert_eq!(lesson(&run).text(), rule.trim_end());
    run.feedback_text = Some("Every label is printed twice.".into());
    assert_eq!(
        lesson(&run).text(),
        "Every label is printed twice.\nKey mistake: `ship` failed with `Error: no label`."
    );
    assert_eq!(lesson(&run).tells, Some(Tells::Rule));
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
    assert_eq!(lesson.correct_action, "Done with `ship` (`7`).");
    assert_eq!(lesson.tools_used, ["mcp__reflect__retrieve_memories", "ship"]);
    assert_eq!(lesson.applicable_tools, ["ship"]);
}
