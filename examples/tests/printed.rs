//! What the programs print, run as their users run them: without a network, over loopback.

#![expect(clippy::unwrap_used, reason = "in tests a failure is the message")]

use std::{path::PathBuf, process::Command};

/// What a program prints. It is built with the tests.
fn printed(name: &str) -> String {
    let test = std::env::current_exe().unwrap();
    let examples: PathBuf = test.parent().and_then(|deps| deps.parent()).unwrap().join("examples");
    let program = examples.join(name);
    assert!(program.exists(), "{} is not there: `cargo build --examples` makes it", program.display());
    let output = Command::new(program).env_remove("OPENAI_API_KEY").env_remove("REFLECT_API_KEY").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What gollem's examples log, by their own formats: `Starting trial %d`, `Trial %d ended - Success: %v`, `Reflection: %s`.
#[test]
fn the_port_of_gollem_s_examples_prints_what_they_print() {
    let answer = "A function that calls itself, for example a factorial.";
    let reflection = "There is no example. Explain in steps, and work through a small example.";
    let hooks = [
        "Starting trial 1".to_owned(),
        format!("Reflection: {reflection}\nCorrect action: Give a worked example.\nKey mistake: No example was given."),
        format!("Trial 1 ended - Success: {}", false),
        "Starting trial 2".to_owned(),
        format!("Trial 2 ended - Success: {}", true),
    ];
    let expected = format!(
        "== Basic example\n{answer}\n== Custom evaluator\n{answer} (first: Response missing expected content)\n== Using hooks\n{}\n",
        hooks.join("\n")
    );
    assert_eq!(printed("coming_from_gollem"), expected);
}

#[test]
fn tools_are_called_and_their_errors_are_told_to_the_model() {
    let expected = "system: Answer by what your tools say.\n\
        user: What did order 17 cost?\n\
        assistant: get_order({\"id\":\"17\"})\n\
        tool: error: there is no such order; ids look like A-17\n\
        assistant: get_order({\"id\":\"A-17\"})\n\
        tool: 9 €, delivered\n\
        assistant: It cost 9 €.\n";
    assert_eq!(printed("reflexion_tools"), expected);
}

#[test]
fn hooks_replace_and_stop() {
    let expected = "trial 1: `4` is a fail\n\
        trial 2: `four` is a fail\n\
        trial 3: `four` is a fail\n\
        a hook stopped the run: three are enough\n\
        feedback: write the number as a word\n\
        lesson: After trial 1: words, no digits.\n";
    assert_eq!(printed("reflexion_hooks"), expected);
}

#[test]
fn events_are_lines_of_json() {
    let printed = printed("reflexion_events");
    let (lines, file) = printed.trim_end().rsplit_once('\n').unwrap();
    let lines: Vec<serde_json::Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let reflection = lines.iter().find_map(|line| line.get("reflection")).unwrap();
    assert!(reflection.as_str().unwrap().contains("work through a small example"), "{reflection}");
    let expected = serde_json::json!([
        {"event": "trial_start", "trial_number": 1},
        {"event": "reflection_generated", "trial_number": 1, "reflection": reflection},
        {"event": "trial_end", "trial_number": 1, "success": false, "score": 0.25, "feedback": "there is no example"},
        {"event": "trial_start", "trial_number": 2},
        {"event": "trial_end", "trial_number": 2, "success": true, "score": 0.75, "feedback": "clear, with an example"},
    ]);
    assert_eq!(serde_json::Value::Array(lines), expected);
    assert_eq!(file, "5 lines in the file");
}

#[test]
fn an_error_of_an_evaluator_is_no_verdict() {
    let expected = "the checker does not answer; the answer in hand is 42\n\
        a trial passed: 42 (evaluations tried: 2)\n";
    assert_eq!(printed("reflexion_evaluator"), expected);
}

#[test]
fn words_are_streamed() {
    let pieces = ["A ", "function ", "that ", "calls ", "itself."];
    let pieces: String = pieces.iter().map(|piece| format!("trial 1: {piece:?}\n")).collect();
    assert_eq!(printed("reflexion_streaming"), format!("{pieces}A function that calls itself.\n"));
}

#[test]
fn a_cancelled_run_has_its_best_answer() {
    let expected = "the run was cancelled after 1 trial; the best answer so far is 4\n";
    assert_eq!(printed("reflexion_cancelling"), expected);
}

#[test]
fn a_budget_ends_the_run() {
    let expected = "the budget for tokens is spent after 4 trials\n400 tokens read, 80 written\n";
    assert_eq!(printed("reflexion_budgets"), expected);
}

#[test]
fn a_project_remembers_from_run_to_run() {
    let expected = "first run: trials: 2, lessons in the first of them: 0\n\
        second run: trials: 1, lessons in the first of them: 2\n";
    assert_eq!(printed("reflexion_project"), expected);
}

#[test]
fn inputs_are_sent_and_named() {
    let expected = "task: What did I send you?\n\
        trial 1: A picture.\n\
        lesson: Asked “What did I send you?”, the run answered without a tool call and failed. \
        It came with an image (image/png, 67 bytes) and a document (application/pdf, 24 bytes), not looked at for this lesson.\n\
        trial 2: A picture and a document.\n";
    assert_eq!(printed("reflexion_inputs"), expected);
}
