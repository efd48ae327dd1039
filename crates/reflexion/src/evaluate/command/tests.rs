#![cfg(unix)]

use tokio::{io::AsyncReadExt, net::unix::pipe::Receiver};

use super::*;
use crate::{Verdict, evaluate::testing::finished};

async fn judged(evaluator: &CommandEvaluator, answer: &str) -> Evaluation {
    evaluator.evaluate(&finished(answer)).await.unwrap()
}

#[tokio::test]
async fn exit_code_zero_passes_and_any_other_fails() {
    let passed = judged(&shell("exit 0"), "x").await;
    assert_eq!((passed.verdict, passed.score, passed.feedback.as_str()), (Verdict::Pass, Some(1.0), ""));
    let failed = judged(&shell("echo seen; echo wrong >&2; exit 3"), "x").await;
    assert_eq!((failed.verdict, failed.score), (Verdict::Fail, Some(0.0)));
    assert_eq!(failed.feedback, "`sh` exited with code 3\noutput:\nseen\nerrors:\nwrong");
    let killed = judged(&shell("kill -9 $$"), "x").await;
    assert_eq!(killed.feedback, "`sh` was ended by signal 9");
}

#[tokio::test]
async fn printing_a_pass_changes_no_verdict() {
    let failed = judged(&shell("echo 'test result: ok. 9 passed; 0 failed'; exit 1"), "x").await;
    assert_eq!((failed.verdict, failed.score), (Verdict::Fail, Some(0.9)));
    let passed = judged(&shell("echo 'FAILED everything'"), "x").await;
    assert_eq!((passed.passed(), passed.score), (true, Some(1.0)));
}

#[tokio::test]
async fn the_answer_arrives_on_stdin_in_a_file_or_as_an_argument() {
    let answer = "a \"$(echo b)\" `c`; exit 1\nü";
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("expected"), answer).unwrap();
    let evaluators = [
        command("cmp", ["-", "expected"]),
        command("cmp", ["deep/er/answer.txt", "expected"]).answer_in_file("deep/er/answer.txt"),
        command("test", ["<{answer}>", "=", &format!("<{answer}>")]).answer_as_argument(),
        command("test", [answer, "="]).answer_as_argument(),
        shell(r#"printf %s "$1" | cmp - expected"#).answer_as_argument(),
    ];
    for evaluator in evaluators {
        let evaluator = evaluator.current_dir(folder.path());
        let evaluation = judged(&evaluator, answer).await;
        assert!(evaluation.passed(), "{}", evaluation.feedback);
        assert!(!judged(&evaluator, "another").await.passed());
    }
}

#[tokio::test]
async fn a_script_never_takes_the_answer_for_its_own_words() {
    let evaluator = shell("echo '{answer}'; test \"$1\" = \"'; exit 1; '\"").answer_as_argument();
    assert!(judged(&evaluator, "'; exit 1; '").await.passed());
}

#[tokio::test]
async fn a_program_that_does_not_read_its_input_is_no_trouble() {
    let long = "word ".repeat(200_000);
    assert!(judged(&shell("exit 0"), &long).await.passed());
    assert!(judged(&shell("test \"$(wc -c)\" -eq 1000000"), &long).await.passed());
    let argument = command("true", Vec::<OsString>::new()).answer_as_argument();
    assert!(judged(&argument, "nul \0").await.feedback.contains("NUL"));
}

#[tokio::test]
async fn what_cannot_be_started_is_an_error_and_no_fail() {
    let missing = command("no-such-program-anywhere", ["x"]);
    let error = missing.evaluate(&finished("x")).await.unwrap_err();
    assert!(
        matches!(error.downcast_ref(), Some(CommandError::Run { program, .. }) if program == "no-such-program-anywhere")
    );
    let nowhere = shell("true").current_dir("/no/such/folder");
    assert!(nowhere.evaluate(&finished("x")).await.is_err());
    let unwritable = shell("true").answer_in_file("/dev/null/answer");
    let error = unwritable.evaluate(&finished("x")).await.unwrap_err();
    assert!(matches!(error.downcast_ref(), Some(CommandError::WriteAnswer { .. })));
}

#[tokio::test]
async fn the_environment_is_what_it_is_told() {
    let set = shell("test \"$ANSWER_KIND\" = short").env("ANSWER_KIND", "short");
    assert!(judged(&set, "x").await.passed());
    let cleared = command("/usr/bin/env", Vec::<OsString>::new()).env_clear().env("ONLY", "this");
    let Finished { stdout, .. } = cleared.run("").await.unwrap();
    assert_eq!(stdout, "ONLY=this\n");
}

#[tokio::test]
async fn codes_that_say_nothing_are_unknown() {
    let evaluator = shell("exit 5").inconclusive_codes([5]);
    let evaluation = judged(&evaluator, "x").await;
    assert!(matches!(evaluation.verdict, Verdict::Unknown(_)));
    assert_eq!((evaluation.feedback.as_str(), evaluation.score), ("`sh` exited with code 5", None));
    let quiet = judged(&shell("echo much; exit 1").feedback_limit(0), "x").await;
    assert_eq!(quiet.feedback, "`sh` exited with code 1");
}

#[tokio::test]
async fn failures_are_named_and_counted() {
    let script = "for n in $(seq 1 25); do echo \"test case_$n ... FAILED\"; done
        echo 'test good ... ok'; echo 'test result: FAILED. 75 passed; 25 failed; 0 ignored'; exit 101";
    let evaluation = judged(&shell(script).feedback_limit(300), "x").await;
    assert_eq!(evaluation.score, Some(0.75));
    assert!(
        evaluation.feedback.starts_with("`sh` exited with code 101; 75 tests passed, 25 failed\n- case_1\n- case_2\n")
    );
    assert!(evaluation.feedback.contains("\n- and 5 more\noutput:\n"), "{}", evaluation.feedback);
    assert!(evaluation.feedback.len() < 900, "{}", evaluation.feedback.len());
}

#[tokio::test]
async fn long_output_keeps_head_and_tail() {
    let evaluator =
        shell("echo first; yes 'ü' | head -n 200000; echo last; exit 1").output_limit(1_000).feedback_limit(9_000);
    let feedback = judged(&evaluator, "x").await.feedback;
    assert!(feedback.contains("output:\nfirst\n") && feedback.ends_with("last"), "{feedback}");
    assert!(feedback.len() < 1_200 && !feedback.contains('\u{fffd}'), "{feedback}");
}

/// A script whose child would run for minutes, and a pipe that both hold open: it ends when the last of them is gone.
fn with_a_long_child(folder: &Path, end: &str) -> (CommandEvaluator, Receiver) {
    let pipe = folder.join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let held = tokio::net::unix::pipe::OpenOptions::new().open_receiver(&pipe).unwrap();
    let script = format!("exec 3>'{}'; sleep 300 & echo started; {end}", pipe.display());
    (shell(script), held)
}

async fn wait_until_gone(mut held: Receiver) {
    let mut nothing = Vec::new();
    let end = held.read_to_end(&mut nothing);
    tokio::time::timeout(Duration::from_secs(60), end).await.expect("nobody should be left").unwrap();
}

#[tokio::test]
async fn when_time_is_up_the_whole_group_is_killed_and_what_was_said_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (evaluator, held) = with_a_long_child(folder.path(), "wait");
    let evaluation = judged(&evaluator.timeout(Duration::from_millis(300)), "x").await;
    assert_eq!((evaluation.verdict, evaluation.score), (Verdict::Fail, Some(0.0)));
    assert_eq!(evaluation.feedback, "`sh` did not end within 300 ms and was killed\noutput:\nstarted");
    wait_until_gone(held).await;
}

#[tokio::test]
async fn what_a_program_leaves_behind_is_ended_with_it_and_waited_for_by_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let (evaluator, held) = with_a_long_child(folder.path(), "exit 0");
    let evaluation = tokio::time::timeout(Duration::from_secs(30), judged(&evaluator, "x")).await;
    assert!(evaluation.unwrap().passed());
    wait_until_gone(held).await;
}

#[tokio::test]
async fn dropping_the_evaluation_ends_the_group() {
    let folder = tempfile::tempdir().unwrap();
    let (evaluator, held) = with_a_long_child(folder.path(), "wait");
    let dropped = tokio::time::timeout(Duration::from_millis(300), judged(&evaluator, "x")).await;
    assert!(dropped.is_err());
    wait_until_gone(held).await;
}

#[tokio::test]
async fn evaluations_that_share_a_file_wait_for_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let script = "before=$(cat answer); sleep 0.05; test \"$before\" = \"$(cat answer)\" && exit \"$before\"";
    let evaluator = shell(script).current_dir(folder.path()).answer_in_file("answer");
    let (one, two, three) = tokio::join!(judged(&evaluator, "0"), judged(&evaluator, "7"), judged(&evaluator, "0"));
    assert!(one.passed() && three.passed());
    assert_eq!(two.feedback, "`sh` exited with code 7");
}
