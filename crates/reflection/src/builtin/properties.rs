//! What holds for every run, however strange.

use std::fmt::Write;

use proptest::prelude::*;
use reflect_core::{Lesson, Message, Outcome, ReviewSource, Tells, ToolCall, ToolResult};
use serde_json::Value;

use super::{lesson, memories, told::LIMIT, words::fold};
use crate::ReviewedRun;

/// Said only inside blocks of memories, so it must be in no lesson.
const OLD_LESSON: &str = "OLDLESSON";

/// Texts out of the pieces that the rules look for, and others.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            "Error: ", "KeyError: 'x'", "Traceback (most recent call last):\n", "HTTP 503", "not found", "timed out",
            "done", "successfully sent", "failed", "exit code 1", "\n", "\n\n", " ", ". ", "`", "``", "'", "\u{0}", "…",
            "\u{202E}", "é", "日本語。", "🙂", "Ünïcode", "should use ", "Always check ", "wrong", "the order ", "{", "}",
            "Error: no such table: orders", "select * from orders", "show tables", "[('items',), ('x',)]", "cargo test", "pytest -v",
            "1 failed, 2 passed in 0.1s", "3 passed in 0.1s", "test result: FAILED", " && ", " | tail", "cd /repo && ", "--help",
            "[{\"name\": \"a\", \"expected\": 1, \"got\": 2}]", "Toll! Aber ", "DE811907980",
            "\"", "{\"error\": \"no `such` row\"}", "{\"id\": 1}", "{'error': 'x'}",
            "<relevant_memories>OLDLESSON Error: OLDLESSON</relevant_memories>",
        ]).prop_map(str::to_owned),
        1 => "\\PC{0,12}".prop_map(|text: String| text.replace(['“', '”'], "")),
        1 => ("[a-z ]{1,8}", 1..200usize).prop_map(|(word, times)| word.repeat(times)),
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

fn arguments() -> impl Strategy<Value = String> {
    let object = prop::collection::btree_map("[a-c]|order_id|query|command|path", text(), 0..3);
    prop_oneof![
        3 => object.prop_map(|fields| serde_json::to_string(&fields).unwrap()),
        1 => Just(String::new()),
        1 => Just(r#"{"n": 1.50, "a": [1, 2]}"#.to_owned()),
        1 => text(),
    ]
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(vec!["get_order", "bash", "sql", "edit_file", "", "find`it", "retrieve_memories"]).prop_map(str::to_owned),
        1 => "\\PC{0,80}".prop_map(|text: String| text.replace(['“', '”'], "")),
    ]
}

fn message() -> impl Strategy<Value = Message> {
    let id = || prop::sample::select(vec!["", "1", "2", "3"]).prop_map(str::to_owned);
    let call = (id(), name(), arguments()).prop_map(|(id, name, arguments)| ToolCall { id, name, arguments });
    let result = (id(), name(), text(), any::<bool>()).prop_map(|(call_id, name, text, is_error)| ToolResult {
        call_id,
        name,
        text,
        is_error,
    });
    let role = prop::sample::select(vec!["user", "assistant", "tool", "observation", "unknown"]);
    let parts = (prop::collection::vec(call, 0..3), prop::collection::vec(result, 0..3));
    (role, text(), parts).prop_map(|(role, text, (tool_calls, tool_results))| Message {
        role: role.into(),
        text,
        tool_calls,
        tool_results,
        media: Vec::new(),
    })
}

fn run() -> impl Strategy<Value = ReviewedRun> {
    // The reviewer and the reference are never shown memories, so what they write is theirs.
    let own = || prop::option::of(text().prop_map(|text| memories::without(&text).into_owned()));
    let messages = prop::collection::vec(message(), 0..8);
    let judged = (any::<bool>(), own(), own());
    (text(), messages, text(), judged).prop_map(|(task, messages, final_response, (is_pass, feedback, reference))| {
        ReviewedRun {
            task,
            messages,
            final_response,
            outcome: if is_pass { Outcome::Pass } else { Outcome::Fail },
            feedback_text: feedback,
            review_source: ReviewSource::Api,
            reference_context: reference,
            shown_lessons: Vec::new(),
        }
    })
}

/// Everything that the run says, folded as quotes are: as it stands, without old lessons, and read as JSON.
fn said(run: &ReviewedRun) -> String {
    let mut texts = vec![run.task.clone(), run.final_response.clone()];
    texts.extend(run.feedback_text.clone());
    for message in &run.messages {
        texts.push(message.text.clone());
        for call in &message.tool_calls {
            texts.extend([call.name.clone(), call.arguments.clone()]);
        }
        for result in &message.tool_results {
            texts.extend([result.name.clone(), result.text.clone()]);
        }
    }
    let mut all = String::new();
    while let Some(text) = texts.pop() {
        let without = memories::without(&text).into_owned();
        for version in [&text, &without] {
            if let Ok(value) = serde_json::from_str::<Value>(version.trim()) {
                collect_texts(&value, &mut texts);
            }
            let folded = fold(version, usize::MAX);
            writeln!(all, "{}\n{}", folded.replace('`', "'"), folded.replace('`', "")).unwrap();
        }
    }
    all
}

fn collect_texts(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(list) => list.iter().for_each(|item| collect_texts(item, texts)),
        Value::Object(fields) => fields.iter().for_each(|(key, item)| {
            texts.push(key.clone());
            collect_texts(item, texts);
        }),
        _ => {}
    }
}

fn fields(lesson: &Lesson) -> [&String; 4] {
    [&lesson.summary, &lesson.key_mistake, &lesson.correct_action, &lesson.guidance]
}

/// How long the reviewer's words may be: they stand whole, and with a sentence about whose they are.
fn words_of(run: &ReviewedRun) -> usize {
    run.feedback_text.as_deref().map_or(0, |feedback| feedback.chars().count().min(4_000) + 120)
}

/// The pieces in backticks, or in two and then without those inside, and in quotation marks.
fn quotes(text: &str) -> Vec<String> {
    let (mut code, mut rest) = (Vec::new(), text);
    while let Some((_, after)) = rest.split_once('`') {
        let fence = if after.starts_with('`') { "``" } else { "`" };
        let Some((piece, next)) = after.strip_prefix('`').unwrap_or(after).split_once(fence) else { break };
        code.push(piece.replace('`', "").trim().to_owned());
        rest = next;
    }
    let speech = text.split('“').skip(1).filter_map(|after| Some(after.split_once('”')?.0.to_owned()));
    code.into_iter().chain(speech).collect()
}

/// Whether the run says it, in whole or in the pieces between its ellipses.
fn is_said(quote: &str, said: &str) -> bool {
    let from_start = quote.strip_prefix('…').unwrap_or(quote);
    let to_end = quote.strip_suffix('…').unwrap_or(quote);
    let middle = from_start.strip_suffix('…').unwrap_or(from_start);
    [quote, from_start, to_end, middle].iter().any(|part| said.contains(*part))
        || quote.split('…').all(|piece| said.contains(piece.trim()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_quote_is_in_the_run(run in run()) {
        let lesson = lesson(&run);
        let said = said(&run);
        for field in fields(&lesson) {
            prop_assert_eq!(field.matches('`').count() % 2, 0, "{}", field);
            for quote in quotes(field) {
                prop_assert!(is_said(&quote, &said), "{:?} in {:?}", quote, field);
            }
        }
    }

    #[test]
    fn fields_are_short_single_lines(run in run()) {
        let lesson = lesson(&run);
        for field in fields(&lesson) {
            prop_assert!(field.chars().count() <= LIMIT.max(words_of(&run)), "{}", field);
            prop_assert!(!field.contains(char::is_control), "{:?}", field);
        }
        prop_assert!(lesson.text().chars().count() <= LIMIT.max(words_of(&run)), "{}", lesson.text());
        prop_assert!(!lesson.summary.is_empty());
        prop_assert!(lesson.applicable_tools.iter().all(|tool| lesson.tools_used.contains(tool)));
    }

    #[test]
    fn the_same_run_gives_the_same_lesson(run in run()) {
        prop_assert_eq!(lesson(&run), lesson(&run.clone()));
    }

    #[test]
    fn old_lessons_are_not_learned_again(run in run()) {
        prop_assert!(!lesson(&run).text().contains(OLD_LESSON), "{}", lesson(&run).text());
    }

    #[test]
    fn a_lesson_that_tells_nothing_has_only_a_summary(run in run()) {
        let lesson = lesson(&run);
        prop_assert_eq!(lesson.tells == Some(Tells::Nothing), lesson.has_only_a_summary());
    }

    #[test]
    fn the_reference_is_not_quoted(run in run()) {
        let without = ReviewedRun { reference_context: None, ..run.clone() };
        let secret = ReviewedRun { reference_context: Some("ZQ-4711 is the answer.".into()), ..run };
        prop_assert_eq!(lesson(&without), lesson(&secret));
    }

    #[test]
    fn a_pass_has_no_mistake(run in run()) {
        let lesson = lesson(&run);
        prop_assert!(!run.outcome.is_pass() || lesson.key_mistake.is_empty());
    }
}

#[test]
fn a_huge_run_gives_a_short_lesson() {
    let call = |index: usize| Message {
        role: "assistant".into(),
        tool_calls: vec![ToolCall {
            id: index.to_string(),
            name: format!("tool_{index}"),
            arguments: format!(r#"{{"query": "{}"}}"#, "word ".repeat(50)),
        }],
        ..Message::default()
    };
    let result = |index: usize| Message {
        role: "tool".into(),
        tool_results: vec![ToolResult {
            call_id: index.to_string(),
            text: "not found. ".repeat(50),
            is_error: index.is_multiple_of(2),
            ..ToolResult::default()
        }],
        ..Message::default()
    };
    let run = ReviewedRun {
        task: "many words ".repeat(100_000),
        messages: (0..5_000).flat_map(|index| [call(index), result(index)]).collect(),
        final_response: "sent it. ".repeat(100_000),
        outcome: Outcome::Fail,
        feedback_text: Some("always check the words. ".repeat(100_000)),
        review_source: ReviewSource::Api,
        reference_context: Some("The words come first. ".repeat(100_000)),
        shown_lessons: Vec::new(),
    };
    let lesson = lesson(&run);
    assert!(fields(&lesson).iter().all(|field| field.chars().count() <= 4_000), "{lesson:?}");
    assert_eq!(lesson.tools_used.len(), 64);
}

/// Time grows with the run and not with its square: a long run of one command takes about as long as one of many.
#[test]
fn a_run_of_thousands_of_commands_is_read_in_seconds() {
    let step = |index: usize| {
        let command = match index % 5 {
            0 => "cd /repo && cargo test -p parser 2>&1 | tail -50".to_owned(),
            1 => format!("psql -c 'select * from orders_{index}'"),
            2 => format!("sed -i s/a/b/ src/{index}.rs"),
            3 => format!("python run_{index}.py"),
            _ => "cat notes.txt".to_owned(),
        };
        let text = match index % 5 {
            0 => format!(
                "error[E0382]: borrow of moved value\n{}error: could not compile `parser`",
                "line\n".repeat(200)
            ),
            1 => format!("ERROR:  relation \"orders_{index}\" does not exist"),
            3 => "Traceback (most recent call last):\n  File \"a.py\"\nKeyError: 'x'".to_owned(),
            _ => "word ".repeat(200),
        };
        let id = index.to_string();
        Message {
            role: "assistant".into(),
            tool_calls: vec![ToolCall {
                id: id.clone(),
                name: "bash".into(),
                arguments: serde_json::json!({"command": command}).to_string(),
            }],
            tool_results: vec![ToolResult { call_id: id, text, ..ToolResult::default() }],
            ..Message::default()
        }
    };
    let run = ReviewedRun {
        task: "Mend it".into(),
        messages: (0..4_000).map(step).collect(),
        final_response: String::new(),
        outcome: Outcome::Fail,
        feedback_text: None,
        review_source: ReviewSource::Api,
        reference_context: None,
        shown_lessons: Vec::new(),
    };
    let began = std::time::Instant::now();
    let lesson = lesson(&run);
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
    assert!(lesson.text().chars().count() <= LIMIT, "{}", lesson.text());
}
