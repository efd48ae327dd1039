//! What is told of shells, editors, checks and databases, and what must not be.

use reflect_core::{Outcome, Tells};

use super::{
    behaviour::{failed, passed, run},
    lesson,
};

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
    let wanted = "`cargo test -p parser` failed with ``error[E0382]: borrow of moved value: `x` ``; after `src/parser.rs` was edited it passed.";
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
fn a_name_that_is_missing_twice_is_told_once() {
    let unknown = |column: &str| format!("Error executing query: Unknown column '{column}' in 'where clause'");
    let (first, second) = (unknown("t1.id"), unknown("t2.id"));
    let steps = [
        ("sql", r#"{"query": "SELECT name FROM pets AS t1 WHERE t1.id = 3"}"#, first.as_str()),
        ("sql", r#"{"query": "SELECT name FROM pets AS t2 WHERE t2.id = 3 LIMIT 1"}"#, second.as_str()),
        ("sql", r#"{"query": "SELECT name FROM pets WHERE PetID = 3"}"#, "[('Rex',)]"),
    ];
    assert_eq!(passed(&steps, "").guidance, "There is no column `id` in `pets`; there is `PetID`.");
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
    let wanted = "`templates` has the columns `Template_ID`, `Version_Number`.";
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
        "`ruff check .` failed with ``a.py:1:1: F401 `os` imported but unused``; after `ruff check . --fix` it passed.";
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
    let wanted = "The tables are `matches`, `players`.";
    assert_eq!(passed(&steps, "").guidance, wanted);
}

#[test]
fn a_command_with_more_words_may_be_what_worked() {
    let red = r#"{"exit_code": 1, "stdout": "npm error code EUSAGE\nnpm error lock file is out of date"}"#;
    let green = r#"{"exit_code": 0, "stdout": "added 3 packages"}"#;
    let steps = [
        ("bash", r#"{"command": "npm ci"}"#, red),
        ("bash", r#"{"command": "npm install --package-lock-only"}"#, green),
        ("bash", r#"{"command": "npm ci --no-audit && npm start"}"#, green),
    ];
    let wanted = "`npm ci` failed with `lock file is out of date`; after `npm install --package-lock-only`, `npm ci --no-audit && npm start` worked.";
    assert_eq!(passed(&steps, "").guidance, wanted);
    let help = [steps[0], ("bash", r#"{"command": "npm ci --help"}"#, green)];
    assert_eq!(passed(&help, "").guidance, "`npm ci` failed with `lock file is out of date`.");
}

#[test]
fn the_directory_in_which_a_command_worked_is_told() {
    let steps = [
        (
            "bash",
            r#"{"command": "cd /app && go test ./..."}"#,
            r#"{"exit_code": 1, "stdout": "go: cannot find main module"}"#,
        ),
        ("bash", r#"{"command": "cd /app/api && go test ./..."}"#, r#"{"exit_code": 0, "stdout": "ok"}"#),
    ];
    let wanted = "`go test ./...` failed with `go: cannot find main module`; in `api` it passed.";
    assert_eq!(passed(&steps, "").guidance, wanted);
}

#[test]
fn other_values_of_the_same_flags_are_another_try() {
    let killed = r#"{"exit_code": 137, "stdout": "epoch 1\nKilled"}"#;
    let steps = [
        ("bash", r#"{"command": "python train.py --batch 64"}"#, killed),
        ("bash", r#"{"command": "python train.py --batch 16"}"#, r#"{"exit_code": 0, "stdout": "saved"}"#),
    ];
    let wanted = "`python train.py --batch 64` failed with `Killed`; `python train.py --batch 16` worked.";
    assert_eq!(passed(&steps, "").guidance, wanted);
}

#[test]
fn a_command_that_tells_of_failure_at_its_end_has_passed_without() {
    let up = |pipe: &str| format!(r#"{{"command": "helm upgrade shop charts/shop{pipe}"}}"#);
    let (first, second, cut) = (up(""), up(" 2>&1 | tail -4"), up(" 2>&1 | head -4"));
    let red = "Error: UPGRADE FAILED: another operation is in progress\n[exit status: 1]";
    let back = ("bash", r#"{"command": "helm rollback shop 3"}"#, "Rollback was a success!\n[exit status: 0]");
    let green = "STATUS: deployed\nREVISION: 5\n[exit status: 0]";
    let calls = "    at async build (/r/a.js)\n    at async x\n[exit status: 0]";
    let ended = passed(&[("bash", &first, red), back, ("bash", &second, calls)], "").tells;
    assert_ne!(ended, Some(Tells::Fix));
    let told = |last: &str| passed(&[("bash", &first, red), back, ("bash", last, green)], "").tells;
    assert_eq!(told(&second), Some(Tells::Fix));
    assert_ne!(told(&cut), Some(Tells::Fix));
}

#[test]
fn a_line_with_the_same_command_as_a_part_may_show_that_it_passed() {
    let steps = [
        ("bash", r#"{"command": "ls dist && docker build -t a ."}"#, "ERROR: failed to solve: \"/dist\": not found"),
        ("bash", r#"{"command": "docker volume rm cache"}"#, "cache"),
        ("bash", r#"{"command": "docker build -t a . && docker run a"}"#, "built\nran"),
    ];
    let mut run = run(Outcome::Pass, &steps, "");
    run.messages[0].tool_results[0].is_error = true;
    let lesson = lesson(&run);
    assert!(lesson.guidance.contains("; after `docker volume rm cache`, `docker build"), "{}", lesson.guidance);
}

#[test]
fn how_the_scene_was_set_is_told_as_what_changed() {
    let steps = |line: &'static str| {
        [
            ("bash", r#"{"command": "npm ci"}"#, "npm ERR! engine Unsupported engine\nexit code: 1"),
            ("bash", r#"{"command": "java -version; ls"}"#, "17"),
            ("bash", line, "added 812 packages\nexit code: 0"),
        ]
    };
    let told = |line| passed(&steps(line), "").guidance;
    let failed = "`npm ci` failed with `engine Unsupported engine`";
    assert_eq!(told(r#"{"command": "nvm use 20 && npm ci"}"#), format!("{failed}; with `nvm use 20` it worked."));
    assert_eq!(told(r#"{"command": "NODE_ENV=x npm ci"}"#), format!("{failed}; with `NODE_ENV=x` it worked."));
    let wrapped = told(r#"{"command": "sudo -u web npm ci"}"#);
    assert_eq!(wrapped, format!("{failed}; `sudo -u web npm ci` worked."));
}

#[test]
fn an_edit_that_was_refused_is_told_where_nothing_else_failed() {
    let edit = |new: &'static str| ("edit_file", new, "ok");
    let refused = ("edit_file", r#"{"path": "/repo/a.rs", "new": "y"}"#, "Error: a.rs was modified since read");
    let steps =
        [refused, ("read_file", r#"{"path": "/repo/a.rs"}"#, "x"), edit(r#"{"path": "/repo/a.rs", "new": "y"}"#)];
    let wanted = "An edit of `a.rs` failed with `Error: a.rs was modified since read`; after `read_file` it worked.";
    assert_eq!(passed(&steps, "").guidance, wanted);
    let red = ("bash", r#"{"command": "pytest"}"#, "1 failed in 0.1s");
    let green = ("bash", r#"{"command": "pytest"}"#, "1 passed in 0.1s");
    let with_fix = passed(&[red, steps[0], steps[1], steps[2], green], "").guidance;
    assert_eq!(with_fix, "`pytest` failed with `1 failed in 0.1s`; after `a.rs` was edited it passed.");
}

#[test]
fn what_passed_in_a_run_that_a_reviewer_failed_is_no_fix() {
    let steps = [
        ("bash", r#"{"command": "pytest"}"#, "1 failed in 0.1s"),
        ("edit_file", r#"{"path": "tests/a.py"}"#, "ok"),
        ("bash", r#"{"command": "pytest"}"#, "1 passed in 0.1s"),
    ];
    let mut run = run(Outcome::Fail, &steps, "");
    assert_eq!(lesson(&run).tells, Some(Tells::Fix));
    run.feedback_text = Some("Never touch a test to make it green.".into());
    assert_eq!(lesson(&run).correct_action, "");
}
