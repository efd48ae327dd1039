//! Three runs, small, typical and large: always the same ones, so that figures can be compared.

use reflect_core::{Lesson, Message, Outcome, ReviewSource, ToolCall, ToolResult};
use reflection::{PendingRun, ReviewedRun, ShownLesson};

/// The runs by their names in the guide.
pub(crate) fn all() -> [(&'static str, ReviewedRun); 3] {
    [("small", small()), ("typical", typical()), ("large", large())]
}

/// The same run before anybody has reviewed it.
pub(crate) fn pending(run: &ReviewedRun) -> PendingRun {
    PendingRun {
        task: run.task.clone(),
        messages: run.messages.clone(),
        final_response: run.final_response.clone(),
        reference_context: run.reference_context.clone(),
    }
}

/// One call of a tool and an answer.
fn small() -> ReviewedRun {
    ReviewedRun {
        task: "Refund order A-17".into(),
        messages: vec![
            said("user", "Refund order A-17"),
            called("refund", r#"{"id": "17"}"#.into(), "refunded 17".into()),
            said("assistant", "The refund is on its way."),
        ],
        final_response: "The refund is on its way.".into(),
        outcome: Outcome::Fail,
        feedback_text: Some("That was somebody else's order.".into()),
        review_source: ReviewSource::Api,
        reference_context: None,
        shown_lessons: Vec::new(),
    }
}

/// A dozen calls, each answered by a page of rows, a document or a log; three lessons were shown.
fn typical() -> ReviewedRun {
    let task = "Find out why the invoices of May were sent twice, and to whom. Name the job and the commit, and list the customers.";
    let mut messages = vec![said("user", task)];
    for step in 0..12 {
        messages.push(said(
            "assistant",
            "The rows do not explain it yet. I look at the next place where it could have been sent.",
        ));
        messages.push(match step % 3 {
            0 => called(
                "run_sql",
                format!(r#"{{"query": "SELECT * FROM invoices WHERE month = 5 LIMIT 12 OFFSET {step}"}}"#),
                rows(step, 12),
            ),
            1 => called("read_file", format!(r#"{{"path": "jobs/send_{step}.md"}}"#), document(12)),
            _ => called("read_log", format!(r#"{{"service": "mailer", "page": {step}}}"#), log(step, 20)),
        });
    }
    let answer = "The job `send_invoices` ran twice on 2 May because its lock had expired; 41 customers got two mails.";
    messages.push(said("assistant", answer));
    ReviewedRun {
        task: task.into(),
        messages,
        final_response: answer.into(),
        outcome: Outcome::Fail,
        feedback_text: Some(
            "The commit is missing. The lock did not expire, it was never taken: see the log of 04:00.".into(),
        ),
        review_source: ReviewSource::Api,
        reference_context: Some(document(6)),
        shown_lessons: (0..3).map(|_| shown()).collect(),
    }
}

/// Far more than fits into a prompt.
fn large() -> ReviewedRun {
    let page = |page: usize| called("read_log", format!(r#"{{"page": {page}}}"#), log(page, 200));
    ReviewedRun { messages: (0..80).map(page).collect(), ..typical() }
}

fn said(role: &str, text: &str) -> Message {
    Message { role: role.into(), text: text.into(), ..Message::default() }
}

fn called(tool: &str, arguments: String, answer: String) -> Message {
    Message {
        role: "assistant".into(),
        tool_calls: vec![ToolCall { id: "1".into(), name: tool.into(), arguments }],
        tool_results: vec![ToolResult { call_id: "1".into(), text: answer, ..ToolResult::default() }],
        ..Message::default()
    }
}

fn rows(from: usize, count: usize) -> String {
    let row = |row: usize| {
        let customer = (from * 37 + row * 11) % 997;
        format!(
            r#"{{"invoice_id": {}, "customer": "customer {customer}", "status": "sent", "sent_at": "2024-05-02T04:{:02}:00Z"}}"#,
            40_000 + from * 100 + row,
            row % 60
        )
    };
    format!("[{}]", (0..count).map(row).collect::<Vec<_>>().join(", "))
}

fn document(sentences: usize) -> String {
    "The job takes a lock before it sends anything, and writes the invoice's number into the table of mails that went out. ".repeat(sentences)
}

fn log(from: usize, lines: usize) -> String {
    let line = |line: usize| {
        format!(
            "2024-05-02T04:{:02}:{:02}Z INFO mailer: sent invoice {} to customer {}\n",
            from % 60,
            line % 60,
            40_000 + line,
            (from * 31 + line * 7) % 997
        )
    };
    (0..lines).map(line).collect()
}

fn shown() -> ShownLesson {
    ShownLesson {
        task: "Find out why a report was sent twice".into(),
        lesson: Lesson {
            summary: "The report was sent by two jobs, and only one of them was looked at.".into(),
            correct_action: "Search the log for every sender before you name one.".into(),
            guidance: "List the jobs that can send, then look for each of them in the log of that hour.".into(),
            ..Lesson::default()
        },
        success: Some(false),
        ..ShownLesson::default()
    }
}
