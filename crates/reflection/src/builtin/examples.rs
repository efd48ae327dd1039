//! Ten runs as clients send them, and the lessons they get. The snapshots are meant to be read.

use reflect_core::{Outcome, RawJson, ReviewSource, Trajectory};
use serde_json::{Value, json};

use super::lesson;
use crate::ReviewedRun;

/// A run with these messages, which passed without a word from the reviewer.
fn passed(task: &str, trajectory: &Value) -> ReviewedRun {
    let trajectory = Trajectory::from_wire(&RawJson::from_value(trajectory), 100).unwrap();
    ReviewedRun {
        task: task.into(),
        messages: trajectory.messages(),
        final_response: trajectory.last_assistant_text(),
        outcome: Outcome::Pass,
        feedback_text: None,
        review_source: ReviewSource::Api,
        reference_context: None,
        shown_lessons: Vec::new(),
    }
}

fn failed(task: &str, trajectory: &Value, feedback: Option<&str>) -> ReviewedRun {
    ReviewedRun { outcome: Outcome::Fail, feedback_text: feedback.map(str::to_owned), ..passed(task, trajectory) }
}

/// OpenAI: an assistant's message that calls one tool.
fn call(id: &str, name: &str, arguments: &str) -> Value {
    json!({"role": "assistant", "content": null, "tool_calls": [
        {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}]})
}

/// OpenAI: what the tool answered.
fn answer(id: &str, content: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": content})
}

fn says(text: &str) -> Value {
    json!({"role": "assistant", "content": text})
}

fn asks(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

macro_rules! assert_lesson {
    ($run:expr) => {
        let lesson = lesson(&$run);
        insta::assert_json_snapshot!((lesson.tells, lesson))
    };
}

#[test]
fn refund_after_looking_up_the_order() {
    let mut run = passed(
        "Customer wants order A-1017 refunded because the kettle arrived broken.",
        &json!([
            {"role": "system", "content": "You are a support agent."},
            asks("Customer wants order A-1017 refunded because the kettle arrived broken."),
            call("c1", "get_order", r#"{"order_id": "1017"}"#),
            answer("c1", r#"{"error": "order 1017 not found"}"#),
            call("c2", "get_order", r#"{"order_id": "A-1017"}"#),
            answer("c2", r#"{"order_id": "A-1017", "total": 42.50, "delivered": "2024-05-02"}"#),
            call("c3", "issue_refund", r#"{"order_id": "A-1017", "amount": 42.5}"#),
            answer("c3", r#"{"refund_id": "R-9", "error": null}"#),
            says("I refunded 42.50 € for order A-1017."),
        ]),
    );
    run.feedback_text = Some("Good: checked the order total before refunding".into());
    run.reference_context = Some(
        "Refund policy. Broken goods are refunded in full within 30 days of delivery. Opened software is not \
         refunded. Gift cards are never refunded in cash. Shipping costs are refunded only when we made the mistake. \
         Ask for a photo when the order is above 100 €."
            .into(),
    );
    assert_lesson!(run);
}

#[test]
fn sql_query_without_where() {
    assert_lesson!(failed(
        "List the customers with unpaid invoices\n\n<relevant_memories>\n<memory id=\"m1\" outcome=\"failure\">\
         <reflection>Error: never use DELETE</reflection></memory>\n</relevant_memories>",
        &json!([
            asks("List the customers with unpaid invoices\n\n<relevant_memories>Error: old</relevant_memories>"),
            call("c1", "describe_table", r#"{"table": "invoices"}"#),
            answer("c1", "id int, customer text, status text"),
            call("c2", "run_sql", r#"{"query": "SELECT DISTINCT customer FROM invoices"}"#),
            answer("c2", "Adams\nBaker\nClark\n(3 rows)"),
            says("Customers with unpaid invoices: Adams, Baker, Clark."),
        ]),
        Some(
            "Missed the WHERE clause in the SQL query, returning all rows instead of filtered. Filter on status = 'unpaid'."
        ),
    ));
}

#[test]
fn csv_with_semicolons() {
    assert_lesson!(passed(
        "Parse sales.csv and return the top 5 rows by revenue",
        &json!([
            asks("Parse sales.csv and return the top 5 rows by revenue"),
            {"role": "assistant", "content": [
                {"type": "text", "text": "I'll read the file."},
                {"type": "tool_use", "id": "t1", "name": "python",
                 "input": {"code": "import pandas as pd\ndf = pd.read_csv('sales.csv')\nprint(df.nlargest(5, 'revenue'))"}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content":
                "Traceback (most recent call last):\n  File \"<stdin>\", line 3, in <module>\nKeyError: 'revenue'"}]},
            {"role": "assistant", "content": [
                {"type": "tool_use", "id": "t2", "name": "python",
                 "input": {"code": "import pandas as pd\ndf = pd.read_csv('sales.csv', sep=';')\nprint(df.nlargest(5, 'revenue'))"}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t2", "content":
                [{"type": "text", "text": "region;revenue\nNorth 900\nSouth 700\nEast 650\nWest 400\nMid 120"}]}]},
            says("Top 5: North 900, South 700, East 650, West 400, Mid 120."),
        ]),
    ));
}

#[test]
fn flaky_api_with_retry() {
    assert_lesson!(passed(
        "What is the EUR/USD rate today?",
        &json!([
            asks("What is the EUR/USD rate today?"),
            call("c1", "fetch_rate", r#"{"pair": "EURUSD"}"#),
            answer("c1", "HTTP 503 Service Unavailable"),
            call("c2", "fetch_rate", r#"{"pair": "EURUSD"}"#),
            answer("c2", "HTTP 503 Service Unavailable"),
            call("c3", "fetch_rate", r#"{"pair": "EURUSD"}"#),
            answer("c3", r#"{"pair": "EURUSD", "rate": 1.0842}"#),
            says("One euro is 1.0842 US dollars."),
        ]),
    ));
}

#[test]
fn failing_test_then_fix() {
    assert_lesson!(passed(
        "Make the test suite pass: test_discount fails since the last release.",
        &json!([
            asks("Make the test suite pass: test_discount fails since the last release."),
            call("c1", "run_tests", r#"{"path": "tests/"}"#),
            answer(
                "c1",
                "collected 12 items\n\nFAILED tests/test_price.py::test_discount - assert 90 == 81\n\
                1 failed, 11 passed in 0.42s"
            ),
            call("c2", "read_file", r#"{"path": "shop/price.py"}"#),
            answer("c2", "def discount(price, rate):\n    return price - rate\n"),
            call("c3", "edit_file", r#"{"path": "shop/price.py", "old": "price - rate", "new": "price * (1 - rate)"}"#),
            answer("c3", "edited 1 line"),
            call("c4", "run_tests", r#"{"path": "tests/"}"#),
            answer("c4", "collected 12 items\n12 passed in 0.40s, 0 failed"),
            says("All 12 tests pass now; discount() multiplies instead of subtracting."),
        ]),
    ));
}

#[test]
fn web_search_that_answered_another_question() {
    let mut run = failed(
        "Who won the women's 100 m at the 2023 World Championships?",
        &json!([
            asks("Who won the women's 100 m at the 2023 World Championships?"),
            call("c1", "web_search", r#"{"query": "100 m world championships 2023 winner", "count": 5}"#),
            answer("c1", "1. Noah Lyles wins 100 m gold in Budapest\n2. Error handling in sprint timing systems"),
            says("Noah Lyles won the 100 m at the 2023 World Championships."),
        ]),
        Some("This is the men's winner; the search query left out 'women'"),
    );
    run.reference_context = Some("Sha'Carri Richardson".into());
    assert_lesson!(run);
}

#[test]
fn arithmetic_without_tools() {
    let mut run = failed("What is 17 * 23?", &json!([asks("What is 17 * 23?"), says("17 * 23 = 408")]), Some("Wrong"));
    run.reference_context = Some("391".into());
    assert_lesson!(run);
}

#[test]
fn calendar_booking_in_the_wrong_time_zone() {
    assert_lesson!(failed(
        "Book a 30 minute call with Ana (Berlin) tomorrow at 10:00 her time.",
        &json!([
            {"role": "user", "content": "Book a 30 minute call with Ana (Berlin) tomorrow at 10:00 her time."},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "create_event", "input":
                {"title": "Call with Ana", "start": "2024-05-03T10:00:00Z", "minutes": 30}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "is_error": true,
                "content": "attendees must not be empty"}]},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t2", "name": "create_event", "input":
                {"title": "Call with Ana", "start": "2024-05-03T10:00:00Z", "minutes": 30, "attendees": ["ana@example.com"]}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t2", "content": "{\"event_id\": \"E-3\"}"}]},
            {"role": "assistant", "content": "Booked: call with Ana tomorrow at 10:00."},
        ]),
        Some("The event start is 10:00 UTC, which is 12:00 in Berlin. It should have been 08:00 UTC."),
    ));
}

#[test]
fn german_task() {
    assert_lesson!(failed(
        "Storniere die Reservierung für Frau Müller am 12. März.",
        &json!([
            asks("Storniere die Reservierung für Frau Müller am 12. März."),
            call("c1", "reservierung_suchen", r#"{"name": "Mueller", "datum": "2024-03-12"}"#),
            answer("c1", "Reservierung nicht gefunden"),
            says("Ich konnte keine Reservierung für Frau Müller finden."),
        ]),
        Some("Der Name wurde ohne Umlaut gesucht. Immer die Schreibweise des Kunden verwenden."),
    ));
}

#[test]
fn success_claimed_after_an_error() {
    assert_lesson!(failed(
        "Email the Q3 report to finance@example.com",
        &json!([
            asks("Email the Q3 report to finance@example.com"),
            call("c1", "export_report", r#"{"quarter": "Q3", "format": "pdf"}"#),
            answer("c1", r#"{"file": "/tmp/q3.pdf"}"#),
            call("c2", "send_email", r#"{"to": "finance@example.com", "attachment": "/tmp/q3.pdf"}"#),
            answer("c2", r#"{"status": "error", "message": "550 mailbox is full"}"#),
            says("Done! I've sent the Q3 report to finance@example.com."),
        ]),
        None,
    ));
}
