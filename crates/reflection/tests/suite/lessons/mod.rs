//! The corpus of runs in `tests/lessons`, held against the lessons that the rules write.

#![expect(clippy::unwrap_used, clippy::panic, reason = "in tests a failure is the message")]

mod case;

use case::{Case, files, said};

/// What a half came to.
#[derive(Default)]
struct Half {
    runs: usize,
    expectations: usize,
    held: usize,
    report: String,
}

async fn run(half: &str) -> Half {
    let mut all = Half::default();
    for file in files(half) {
        let case = Case::read(&file);
        let lesson = case.lesson().await;
        let held = case.held_by(&lesson);
        let wrong = held.missed.len() + held.false_statements.len() + usize::from(held.broken_rule.is_some());
        all.runs += 1;
        all.expectations += held.expectations;
        all.held += held.expectations - wrong;
        if wrong > 0 {
            let name = file.file_stem().unwrap().to_string_lossy();
            let missed: String = held.missed.iter().map(|missed| format!("\n    missed: {missed}")).collect();
            let wrong: String = held.false_statements.iter().map(|words| format!("\n    FALSE: {words:?}")).collect();
            let broken = held.broken_rule.map(|rule| format!("\n    RULE: {rule:?}")).unwrap_or_default();
            all.report += &format!("\n{name}: {}{missed}{wrong}{broken}\n    says: {:?}", case.why, said(&lesson));
        }
    }
    all
}

#[tokio::test]
async fn the_first_half_is_told_as_it_should_be() {
    let all = run("first").await;
    assert_eq!(all.held, all.expectations, "of {} runs: {}", all.runs, all.report);
}

#[tokio::test]
async fn the_second_half_is_told_as_it_should_be() {
    let all = run("second").await;
    assert_eq!(all.held, all.expectations, "of {} runs: {}", all.runs, all.report);
}

#[tokio::test]
async fn the_third_part_is_told_as_it_should_be() {
    let all = run("third").await;
    assert_eq!(all.held, all.expectations, "of {} runs: {}", all.runs, all.report);
}
