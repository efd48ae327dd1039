//! Twelve runs and the lessons that they should give, as the design of lessons has them.

use reflect_core::{Lesson, Message, Outcome, ReviewSource, Tells, ToolCall, ToolResult};
use serde_json::json;

use super::lesson;
use crate::ReviewedRun;

/// A call of a tool, and what it answered.
struct Call(&'static str, String, String);

fn bash(command: &str, printed: &str) -> Call {
    Call("bash", json!({"command": command}).to_string(), printed.into())
}

fn sql(query: &str, answer: &str) -> Call {
    Call("sql", json!({"query": query}).to_string(), answer.into())
}

fn edit(path: &str) -> Call {
    Call("edit_file", json!({"path": path, "old": "a", "new": "b"}).to_string(), "edited 1 line".into())
}

fn run(outcome: Outcome, calls: &[Call], answer: &str, feedback: Option<&str>) -> ReviewedRun {
    let messages = calls.iter().enumerate().map(|(index, Call(tool, arguments, text))| Message {
        role: "assistant".into(),
        tool_calls: vec![ToolCall { id: index.to_string(), name: (*tool).into(), arguments: arguments.clone() }],
        tool_results: vec![ToolResult { call_id: index.to_string(), text: text.clone(), ..ToolResult::default() }],
        ..Message::default()
    });
    ReviewedRun {
        task: "Do what is asked".into(),
        messages: messages.collect(),
        final_response: answer.into(),
        outcome,
        feedback_text: feedback.map(str::to_owned),
        review_source: ReviewSource::Api,
        reference_context: None,
        shown_lessons: Vec::new(),
    }
}

/// What a lesson says, without the names of its parts, and how much that tells.
fn said(lesson: &Lesson) -> (Tells, String) {
    let parts = [&lesson.guidance, &lesson.correct_action, &lesson.key_mistake];
    let parts: Vec<&str> = parts.into_iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    (lesson.tells.unwrap(), parts.join(" "))
}

fn passed(calls: &[Call], feedback: Option<&str>) -> (Tells, String) {
    said(&lesson(&run(Outcome::Pass, calls, "Done.", feedback)))
}

fn failed(calls: &[Call], feedback: Option<&str>) -> (Tells, String) {
    said(&lesson(&run(Outcome::Fail, calls, "It is 408.", feedback)))
}

fn is(tells: Tells, text: &str) -> (Tells, String) {
    (tells, text.to_owned())
}

#[test]
fn a_red_test_an_edit_and_a_green_one() {
    let red = "E       KeyError: 'vat'\nFAILED tests/test_tax.py::test_vat - KeyError: 'vat'\n=== 1 failed, 3 passed in 0.12s ===";
    let calls = [
        bash("cd /repo && pytest tests/test_tax.py 2>&1 | tail -20", red),
        bash("cat tax/rates.py", "RATES = {}\n# Error: not found"),
        edit("/repo/tax/rates.py"),
        bash("pytest tests/test_tax.py -v", "=== 4 passed in 0.10s ==="),
    ];
    let wanted = "`pytest tests/test_tax.py` failed with `KeyError: 'vat'`; after `tax/rates.py` was edited it passed.";
    assert_eq!(passed(&calls, None), is(Tells::Fix, wanted));
}

#[test]
fn a_build_that_a_package_mended() {
    let calls = [
        bash("cargo build", "E0433: could not find tokio\nerror: could not compile `app` (bin \"app\")"),
        bash("cargo add tokio", "      Adding tokio v1.40.0 to dependencies"),
        bash("cargo build", "   Compiling app v0.1.0\n    Finished `dev` profile [unoptimized] target(s) in 2.31s"),
    ];
    let wanted = "`cargo build` failed with `E0433: could not find tokio`; after `cargo add tokio` it passed.";
    assert_eq!(passed(&calls, None), is(Tells::Fix, wanted));
}

#[test]
fn errors_that_a_search_shows_are_no_failure() {
    let lines: String = (0..40).map(|line| format!("logs/app.log:{line}: ERROR: worker {line} died\n")).collect();
    let calls = [bash("grep -rn \"ERROR\" logs/", &lines)];
    assert_eq!(passed(&calls, None), is(Tells::Example, "Done with `grep -rn \"ERROR\" logs/`."));
}

fn shop(query: &str, working: &str) -> [Call; 3] {
    let tables = "           List of relations\n Schema |     Name     | Type  | Owner \n--------+--------------+-------+-------\n \
                  public | sales_orders | table | app\n public | customers    | table | app\n public | items        | table | app\n(3 rows)";
    [
        bash(
            &format!("psql -c \"{query}\""),
            "ERROR:  relation \"orders\" does not exist\nLINE 1: select * from orders",
        ),
        bash("psql -c \"\\dt\"", tables),
        bash(&format!("psql -c \"{working}\""), " id | total \n----+-------\n  1 | 21.66\n(1 row)"),
    ]
}

const SHOP: &str = "The tables are `customers`, `items`, `sales_orders`.";

#[test]
fn a_table_that_has_another_name() {
    assert_eq!(
        passed(&shop("select * from orders", "select id, total from sales_orders"), None),
        is(Tells::Fact, SHOP)
    );
}

#[test]
fn forty_queries_on_that_database_give_one_lesson() {
    for number in 0..40 {
        let query = format!("select count(*) from orders where id > {number}");
        let working = format!("select count(*) from sales_orders where id > {number}");
        assert_eq!(passed(&shop(&query, &working), None), is(Tells::Fact, SHOP));
    }
}

#[test]
fn the_same_push_six_times() {
    let rejected =
        "To example.org:a.git\n ! [rejected]        main -> main (non-fast-forward)\nerror: failed to push some refs";
    let calls: Vec<Call> = (0..6).map(|_| bash("git push", rejected)).collect();
    let wanted = "`git push` failed six times with `non-fast-forward`; nothing was tried in between.";
    assert_eq!(failed(&calls, None), is(Tells::Pitfall, wanted));
}

#[test]
fn what_the_reviewer_says_stands_alone() {
    let words = "You said the tests pass. Nobody ran them.";
    assert_eq!(failed(&[bash("cat a.py", "x = 1")], Some(words)), is(Tells::Rule, words));
}

#[test]
fn praise_is_cut_off() {
    let words = "Toll! Aber Rechnungen über 500 Euro gehen immer zuerst an die Buchhaltung.";
    let rule = "Rechnungen über 500 Euro gehen immer zuerst an die Buchhaltung.";
    assert_eq!(passed(&[], Some(words)), is(Tells::Rule, rule));
}

#[test]
fn a_right_answer_is_told_as_one() {
    assert_eq!(failed(&[], Some("Wrong. DE811907980.")), is(Tells::Answer, "The reviewer's answer: DE811907980."));
}

#[test]
fn checks_are_put_into_words() {
    let checks = r#"{"checks": [{"name": "total", "expected": 21.66, "got": 21.6}]}"#;
    assert_eq!(failed(&[], Some(checks)), is(Tells::Answer, "The check `total` expected 21.66 and got 21.6."));
}

#[test]
fn the_call_that_made_the_result_is_the_example() {
    let calls = [
        sql("SELECT id FROM invoices WHERE number = 7", "[(3,)]"),
        sql("SELECT status FROM invoices WHERE id = 3", "[('open',)]"),
        sql("UPDATE invoices SET status = 'paid' WHERE id = 3", "1 row affected"),
    ];
    assert_eq!(
        passed(&calls, None),
        is(Tells::Example, "Done with `UPDATE invoices SET status = 'paid' WHERE id = 3`.")
    );
}

#[test]
fn a_failure_for_no_known_reason_tells_nothing() {
    assert_eq!(failed(&[bash("ls", "a.py")], None), is(Tells::Nothing, ""));
    assert_eq!(failed(&[], Some("No.")), is(Tells::Nothing, ""));
}
