//! What a lesson says in one case and in the next, in runs of a few steps.

use reflect_core::{Lesson, Media, Message, Outcome, ReviewSource, Tells, ToolCall, ToolResult, WrittenBy};

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
fn what_worked_when_tried_again_is_told_without_advice() {
    let steps = [("ship", r#"{"order": "7"}"#, "HTTP 503"), ("ship", r#"{"order": "7"}"#, "HTTP 503"), SHIPPED];
    assert_eq!(passed(&steps, "").guidance, "`ship` with `7` failed twice with `HTTP 503`; the same call then worked.");
}

#[test]
fn what_was_done_before_a_call_worked_is_told() {
    let steps = [
        ("ship", r#"{"order": "7"}"#, r#"{"error": "no label"}"#),
        ("create_label", r#"{"order": "7"}"#, r#"{"label": "L-1"}"#),
        ("ship", r#"{"order": "7"}"#, r#"{"shipped": true}"#),
    ];
    let lesson = passed(&steps, "");
    assert_eq!(lesson.guidance, "`ship` with `7` failed with `no label`; after `create_label` (`7`) it worked.");
    assert_eq!(lesson.tells, Some(Tells::Fix));
}

#[test]
fn steps_without_a_name_are_not_told() {
    let mut run = run(Outcome::Fail, &[("", "{}", "Error: x")], "");
    assert_eq!(lesson(&run).key_mistake, "");
    run.messages[0].tool_calls.clear();
    assert_eq!(lesson(&run).key_mistake, "");
}

#[test]
fn a_failed_call_is_told_without_what_became_of_others() {
    let steps = [("bash", r#"{"command": "pytest"}"#, "1 failed in 0.1s"), ("bash", r#"{"command": "ls"}"#, "a.py")];
    assert_eq!(failed(&steps, "").key_mistake, "`pytest` failed with `1 failed in 0.1s`.");
    assert_eq!(passed(&steps, "").guidance, "`pytest` failed with `1 failed in 0.1s`.");
}

#[test]
fn the_last_result_over_the_whole_run_decides() {
    let test = ("bash", r#"{"command": "cargo test -p parser 2>&1 | tail -30"}"#);
    let red = "error[E0382]: borrow of moved value: `x`\nerror: could not compile `parser`";
    let mut steps = vec![(test.0, test.1, red)];
    for _ in 0..5 {
        steps.extend([("bash", r#"{"command": "grep -n fn src/parser.rs"}"#, "1: fn error() {}"); 4]);
        steps.push((
            "str_replace_based_edit_tool",
            r#"{"command": "str_replace", "path": "/repo/src/parser.rs"}"#,
            "edited",
        ));
        steps.push((test.0, test.1, red));
    }
    steps.push((
        "str_replace_based_edit_tool",
        r#"{"command": "str_replace", "path": "/repo/src/parser.rs"}"#,
        "edited",
    ));
    steps.push((
        "bash",
        r#"{"command": "cd /repo && cargo fmt && cargo test -p parser"}"#,
        "test result: ok. 3 passed; 0 failed",
    ));
    let wanted = "`cargo test -p parser` failed with `error[E0382]: borrow of moved value: 'x'`; after `src/parser.rs` was edited it passed.";
    assert_eq!(passed(&steps, "").guidance, wanted);
    steps.pop();
    // Nothing tells how the last one would have gone, but that all of them failed.
    assert!(failed(&steps, "").key_mistake.starts_with("`cargo test -p parser` failed six times with"));
}

#[test]
fn a_check_on_more_that_passes_is_told_as_that() {
    let steps = [
        ("bash", r#"{"command": "cargo test -p parser"}"#, "error[E0382]: moved\nerror: could not compile `parser`"),
        ("edit_file", r#"{"path": "src/parser.rs"}"#, "ok"),
        ("bash", r#"{"command": "cargo test"}"#, "test result: ok. 30 passed; 0 failed"),
    ];
    let wanted = "`cargo test -p parser` failed with `error[E0382]: moved`; after `src/parser.rs` was edited, `cargo test` passed.";
    assert_eq!(passed(&steps, "").guidance, wanted);
}

#[test]
fn a_file_that_has_another_name_is_a_fact() {
    let steps = [
        (
            "bash",
            r#"{"command": "python run.py --config conf/app.yml"}"#,
            "FileNotFoundError: [Errno 2] No such file or directory: 'conf/app.yml'",
        ),
        ("bash", r#"{"command": "ls conf"}"#, "app.yaml\nlog.yaml"),
        ("bash", r#"{"command": "python run.py --config conf/app.yaml"}"#, r#"{"exit_code": 0, "stdout": "ok"}"#),
    ];
    let lesson = passed(&steps, "");
    assert_eq!(
        lesson.guidance,
        "There is no file `conf/app.yml`; `ls conf` shows `app.yaml`. `python run.py --config conf/app.yaml` worked."
    );
    assert_eq!(lesson.tells, Some(Tells::Fact));
}

#[test]
fn a_column_that_has_another_name_is_a_fact() {
    let steps = [
        (
            "sql",
            r#"{"query": "SELECT id FROM templates"}"#,
            "Error executing query: Unknown column 'id' in 'field list'",
        ),
        (
            "sql",
            r#"{"query": "DESC templates"}"#,
            "[('Template_ID', 'int', 'NO', 'PRI', None, ''), ('Version_Number', 'int', 'NO', '', None, '')]",
        ),
        ("sql", r#"{"query": "SELECT Template_ID FROM templates"}"#, "[(1,), (2,)]"),
    ];
    let wanted = "There is no column `id` in `templates`; `DESC templates` shows `Template_ID`, `Version_Number`.";
    assert_eq!(passed(&steps, "").guidance, wanted);
}

#[test]
fn a_table_that_turned_up_was_there_after_all() {
    let steps = [
        ("sql", r#"{"query": "SELECT * FROM orders"}"#, "no such table: orders"),
        ("sql", r#"{"query": "CREATE TABLE orders (id INTEGER)"}"#, "0 rows affected"),
        ("sql", r#"{"query": "SELECT * FROM orders"}"#, "0 rows"),
    ];
    let wanted = "`SELECT * FROM orders` failed with `no such table: orders`; after `CREATE TABLE orders (id INTEGER)` it worked.";
    assert_eq!(passed(&steps, "").guidance, wanted);
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
fn vague_praise_is_left_out_and_telling_praise_quoted() {
    let mut run = run(Outcome::Pass, &[SHIPPED], "Shipped.");
    run.feedback_text = Some("Good job!".into());
    assert_eq!(lesson(&run).guidance, "");
    run.feedback_text = Some("Good that it asked for the address first.".into());
    assert_eq!(lesson(&run).guidance, "Good that it asked for the address first.");
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

/// Runs of a coding agent whose one tool is a shell, and what must not be said of them.
#[test]
fn what_a_shell_prints_is_not_taken_for_what_happened() {
    let quiet = [
        ("bash", r#"{"command": "grep -rn TODO src"}"#, "src/a.rs:3: // handle error: not found"),
        ("bash", r#"{"command": "git diff HEAD~1"}"#, "-    panic!(\"error: x\")\n+fatal: y\nFAILED tests"),
        (
            "bash",
            r#"{"command": "cat ci.log | tail -40"}"#,
            "error[E0382]: moved\ntest result: FAILED. 1 passed; 2 failed",
        ),
        ("bash", r#"{"command": "cd /repo && rg -n 'Traceback' ."}"#, "a.log:1:Traceback (most recent call last):"),
        (
            "bash",
            r#"{"command": "kubectl logs pod-7 --tail 20"}"#,
            "ERROR: connection refused\nTraceback (most recent call last):\nKeyError: 'x'",
        ),
        ("read_file", r#"{"path": "a.json"}"#, r#"{"error": "not found"}"#),
        ("bash", r#"{"command": "python report.py"}"#, "3 orders failed\nError rate: 0.4"),
        ("bash", r#"{"command": "curl -s https://a.example/orders/7"}"#, r#"{"status": "failed", "id": 7}"#),
        ("WebFetch", r#"{"url": "https://a.example"}"#, "HTTP 404 explained\nError: what to do"),
    ];
    for outcome in [Outcome::Pass, Outcome::Fail] {
        let lesson = lesson(&run(outcome, &quiet, "It is 7."));
        assert!(!lesson.text().contains("failed with"), "{}", lesson.text());
    }
}

#[test]
fn a_fix_names_what_was_changed_and_nothing_else() {
    let test = r#"{"command": "npm test 2>&1 | tail -30", "timeout": 60000}"#;
    let steps = [
        ("Bash", test, "FAIL src/a.test.ts\nTypeError: x is not a function\nTests:       1 failed, 4 passed, 5 total"),
        ("Read", r#"{"file_path": "/home/u/app/src/a.ts"}"#, "export const x = 1"),
        ("TodoWrite", r#"{"todos": []}"#, "ok"),
        ("Bash", r#"{"command": "node -e 'console.log(1)'"}"#, "1"),
        (
            "Edit",
            r#"{"file_path": "/home/u/app/src/a.ts", "old_string": "1", "new_string": "2"}"#,
            "The file has been updated.",
        ),
        ("Bash", r#"{"command": "git add -A && git commit -m x"}"#, "[main 1a2b3c] x"),
        ("Bash", r#"{"command": "npm test"}"#, "Tests:       5 passed, 5 total"),
    ];
    let wanted = "`npm test` failed with `TypeError: x is not a function`; after `app/src/a.ts` was edited it passed.";
    assert_eq!(passed(&steps, "").guidance, wanted);
}

#[test]
fn what_was_installed_since_is_no_fact() {
    let steps = [
        (
            "bash",
            r#"{"command": "python app.py"}"#,
            "Traceback (most recent call last):\nModuleNotFoundError: No module named 'yaml'",
        ),
        ("bash", r#"{"command": "pip install pyyaml"}"#, "Successfully installed pyyaml-6.0"),
        ("bash", r#"{"command": "python app.py --port 1"}"#, r#"{"exit_code": 0, "stdout": "ok"}"#),
    ];
    assert!(!passed(&steps, "").text().contains("There is no"), "{}", passed(&steps, "").text());
}

#[test]
fn a_check_before_the_last_edit_is_not_said_to_follow_it() {
    let test = ("bash", r#"{"command": "cargo test"}"#, "test result: ok. 1 passed");
    let edit = |path| ("edit_file", path, "ok");
    let (a, b) = (edit(r#"{"path": "a.rs"}"#), edit(r#"{"path": "b.rs"}"#));
    assert_eq!(passed(&[a, test, b], "").correct_action, "Done with an edit of `a.rs`, then an edit of `b.rs`.");
    let wanted = "Done with an edit of `a.rs`, then an edit of `b.rs`; `cargo test` then passed.";
    assert_eq!(passed(&[a, b, test], "").correct_action, wanted);
}

#[test]
fn a_check_on_more_that_is_red_again_has_not_passed() {
    let all = r#"{"command": "cargo test"}"#;
    let steps = [
        ("bash", r#"{"command": "cargo test -p parser"}"#, "error[E0382]: moved\nerror: could not compile `parser`"),
        ("edit_file", r#"{"path": "src/parser.rs"}"#, "ok"),
        ("bash", all, "test result: ok. 30 passed; 0 failed"),
        ("edit_file", r#"{"path": "src/parser.rs"}"#, "ok"),
        ("bash", all, "test a ... FAILED\ntest result: FAILED. 29 passed; 1 failed"),
    ];
    assert!(!failed(&steps, "").text().contains("passed"), "{}", failed(&steps, "").text());
}

#[test]
fn a_check_that_passed_in_another_way_is_a_pitfall() {
    let steps = [
        ("bash", r#"{"command": "pytest tests/slow"}"#, "Command timed out after 120 s"),
        ("bash", r#"{"command": "pytest tests/slow --timeout 600"}"#, "3 passed in 130.2s"),
    ];
    let wanted =
        "`pytest tests/slow` failed with `Command timed out after 120 s`; `pytest tests/slow --timeout 600` passed.";
    assert_eq!(passed(&steps, "").guidance, wanted);
}

#[test]
fn a_checker_that_mends_is_a_change() {
    let steps = [
        ("bash", r#"{"command": "ruff check ."}"#, "a.py:1:1: F401 `os` imported but unused\nFound 1 error."),
        ("bash", r#"{"command": "ruff check . --fix"}"#, "Found 1 error (1 fixed, 0 remaining)."),
        ("bash", r#"{"command": "ruff check ."}"#, "All checks passed!"),
    ];
    let wanted =
        "`ruff check .` failed with `a.py:1:1: F401 'os' imported but unused`; after `ruff check . --fix` it passed.";
    assert_eq!(passed(&steps, "").guidance, wanted);
}

#[test]
fn what_a_person_did_not_allow_came_to_nothing() {
    let mut run = run(
        Outcome::Fail,
        &[("bash", r#"{"command": "rm -rf a"}"#, "The user doesn't want to proceed with this.")],
        "",
    );
    run.messages[0].tool_results[0].is_error = true;
    assert_eq!(lesson(&run).tells, Some(Tells::Nothing));
}

#[test]
fn what_is_red_again_at_the_end_is_no_fix() {
    let test = ("bash", r#"{"command": "go test ./..."}"#);
    let (red, green) = ("--- FAIL: TestA (0.00s)\nFAIL", "ok  \texample/a\t0.1s");
    let edit = ("edit_file", r#"{"path": "a.go"}"#, "ok");
    let steps = [(test.0, test.1, red), edit, (test.0, test.1, green), edit, (test.0, test.1, red)];
    let lesson = failed(&steps, "");
    assert_eq!(lesson.key_mistake, "`go test ./...` failed with `--- FAIL: TestA (0.00s)`.");
    assert_eq!((lesson.guidance.as_str(), lesson.tells), ("", Some(Tells::Pitfall)));
}

#[test]
fn a_call_of_which_the_end_is_not_known_is_not_told() {
    let steps = [
        ("bash", r#"{"command": "./deploy.sh"}"#, "step 1\n[Command finished with exit code 2]"),
        ("bash", r#"{"command": "./deploy.sh"}"#, ""),
    ];
    assert_eq!(failed(&steps, "").key_mistake, "");
}

#[test]
fn two_names_that_the_same_list_lacks_are_one_fact() {
    let steps = [
        ("sql", r#"{"query": "SELECT * FROM results"}"#, "no such table: results"),
        ("sql", r#"{"query": "SELECT * FROM tourneys"}"#, "no such table: tourneys"),
        ("sql", r#"{"query": ".tables"}"#, "matches   players"),
        ("sql", r#"{"query": "SELECT COUNT(*) FROM matches"}"#, "[(7,)]"),
    ];
    let wanted = "There is no table `results` or `tourneys`; `.tables` shows `matches`, `players`. `SELECT … FROM matches` worked.";
    assert_eq!(passed(&steps, "").guidance, wanted);
}
