use reflect_core::ToolResult;

use super::*;

/// What a command in a shell came to that printed this.
fn ran(command: &str, text: &str) -> CallOutcome {
    answered("bash", &serde_json::json!({"command": command}).to_string(), text)
}

fn answered(tool: &str, arguments: &str, text: &str) -> CallOutcome {
    let result = ToolResult { text: text.into(), ..ToolResult::default() };
    read(&Request::read(tool, arguments), &result).outcome
}

fn marked(tool: &str, arguments: &str, text: &str) -> CallOutcome {
    let result = ToolResult { text: text.into(), is_error: true, ..ToolResult::default() };
    read(&Request::read(tool, arguments), &result).outcome
}

fn error(outcome: &CallOutcome) -> Option<&str> {
    outcome.failure().map(|failure| failure.error.as_str())
}

#[test]
fn codes_and_signals_of_the_frame_decide() {
    let failed = [
        (
            "cargo build",
            "Exit code: 101\nOutput:\nerror[E0382]: use of moved value\nerror: could not compile `a`",
            "error[E0382]: use of moved value",
        ),
        ("./deploy.sh", "step 1\nsomething\n[Command finished with exit code 2]", "step 1"),
        ("python a.py", r#"{"output": "x\nValueError: bad\n", "metadata": {"exit_code": 1}}"#, "ValueError: bad"),
        ("make", "<returncode>2</returncode>\n<output>\nmake: *** [all] Error 2\n</output>", "make: *** [all] Error 2"),
        ("./load.sh", "Command timed out after 600 s", "Command timed out after 600 s"),
        (
            "cat missing.txt",
            r#"{"exit_code": 1, "stdout": "", "stderr": "cat: missing.txt: No such file or directory"}"#,
            "cat: missing.txt: No such file or directory",
        ),
    ];
    for (command, text, wanted) in failed {
        assert_eq!(error(&ran(command, text)), Some(wanted), "{command}");
    }
    let succeeded = [
        ("./report.sh", "3 failed payments\nError: old\nProcess exited with code 0"),
        ("cargo test", r#"{"exit_code": 0, "stdout": "Error: handled"}"#),
        ("cat app.log", r#"{"exit_code": 0, "stdout": "FATAL: disk"}"#),
    ];
    for (command, text) in succeeded {
        assert_eq!(ran(command, text), CallOutcome::Succeeded, "{command}");
    }
}

#[test]
fn what_reading_commands_show_is_no_outcome() {
    let shown = [
        ("grep -rn TODO src", "src/a.rs:3: // handle error: not found"),
        ("grep ERROR app.log | head -2", "ERROR: disk full\nERROR: worker died"),
        ("tail -5 build.log", "error: could not compile `a`\nProcess exited with code 101"),
        ("git log -3", "fatal: fix the crash\n1 failed, 2 passed in 0.1s"),
        ("kubectl logs pod-1", "Traceback (most recent call last):\nKeyError: 'x'"),
        ("cat a.json", r#"{"error": "not found", "exit_code": 1}"#),
        ("cd /repo && ls -l", "error.log"),
    ];
    for (command, text) in shown {
        assert_eq!(ran(command, text), CallOutcome::Succeeded, "{command}");
    }
    assert_eq!(
        answered("web_search", r#"{"query": "x"}"#, "1. Error handling\n2. 404 not found"),
        CallOutcome::Succeeded
    );
    assert!(answered("read_file", r#"{"path": "a.log"}"#, "Error: x").failure().is_none());
    // Nothing was found, which is an answer and no failure.
    assert_eq!(ran("command -v jq", "Exit code: 1"), CallOutcome::Unknown);
    assert_eq!(ran("[ -f a.json ]", "Exit code: 1"), CallOutcome::Unknown);
    assert_eq!(ran("grep -rn foo src", "Exit code: 1"), CallOutcome::Unknown);
    assert_eq!(ran("grep foo a", r#"{"exit_code": 1, "stdout": ""}"#), CallOutcome::Silent);
    assert_eq!(marked("bash", r#"{"command": "grep foo a"}"#, "Exit code 1"), CallOutcome::Silent);
    assert_eq!(
        error(&ran("cat a.txt", "cat: a.txt: No such file or directory")),
        Some("cat: a.txt: No such file or directory")
    );
}

#[test]
fn a_code_without_a_word_is_no_failure() {
    for text in [
        "Exit code: 1",
        "[exit code: 2]",
        "Command failed with exit code 1.\nOutput:\n",
        r#"{"output": "", "exit_code": 1}"#,
    ] {
        assert_eq!(ran("git merge-base --is-ancestor a b", text), CallOutcome::Silent, "{text}");
    }
    assert_eq!(marked("bash", r#"{"command": "make -q"}"#, "Exit code 1"), CallOutcome::Silent);
    assert!(ran("./serve", "Exit code: 139").failure().is_some());
}

#[test]
fn without_a_code_a_checkers_last_word_decides() {
    let failed = [
        (
            "cargo test 2>&1 | tail -5",
            "test a ... FAILED\ntest result: FAILED. 3 passed; 1 failed; 0 ignored; finished in 0.1s",
            "test a ... FAILED",
        ),
        (
            "pytest",
            "E       KeyError: 'vat'\nFAILED t.py::a - KeyError: 'vat'\n=== 1 failed, 3 passed in 0.4s ===",
            "KeyError: 'vat'",
        ),
        (
            "cargo build",
            "error[E0433]: could not find `tokio`\nerror: could not compile `app`",
            "error[E0433]: could not find `tokio`",
        ),
        ("mvn -q test", "[ERROR] a\n[INFO] BUILD FAILURE\n[INFO] ---", "[ERROR] a"),
        (
            "go test ./...",
            "--- FAIL: TestA (0.00s)\nFAIL\nFAIL\tx/a\t0.01s\nok  \tx/b\t0.01s\nFAIL",
            "--- FAIL: TestA (0.00s)",
        ),
        ("npm test", "Tests:       1 failed, 2 passed, 3 total\nTime: 1 s", "Tests:       1 failed, 2 passed, 3 total"),
        ("./check.sh", "a.c:3:5: error: expected ';'\nmake: *** [all] Error 1", "a.c:3:5: error: expected ';'"),
        ("python a.py", "hello\nTraceback (most recent call last):\n  File \"a.py\"\nKeyError: 'x'", "KeyError: 'x'"),
        ("go build ./...", "# example/a\n./main.go:7:2: undefined: fmtt", "./main.go:7:2: undefined: fmtt"),
        ("curl -s -d '{}' https://a.example", r#"{"error": "missing field customer"}"#, "missing field customer"),
        (
            "java -jar a.jar",
            "starting\nException in thread \"main\" java.lang.IllegalStateException: no port\n\tat A.b(A.java:1)",
            "java.lang.IllegalStateException: no port",
        ),
        (
            "node a.js",
            "node:internal/modules/cjs/loader:1080\n  throw err;\n\nError: Cannot find module 'express'\n    at a.js\n\nNode.js v20.1.0",
            "Error: Cannot find module 'express'",
        ),
        (
            "systemctl restart nginx",
            "Failed to restart nginx.service: Access denied",
            "Failed to restart nginx.service: Access denied",
        ),
        ("foo --bar", "bash: foo: command not found", "bash: foo: command not found"),
        (
            "git push",
            " ! [rejected]        main -> main (non-fast-forward)\nerror: failed to push some refs to 'x'",
            "non-fast-forward",
        ),
    ];
    for (command, text, wanted) in failed {
        assert_eq!(
            error(&ran(command, text)).map(|said| words::fold(said, 200)),
            Some(words::fold(wanted, 200)),
            "{command}"
        );
    }
    let succeeded = [
        ("cargo test", "Finished `test` profile\ntest result: ok. 12 passed; 0 failed; 0 ignored"),
        ("pytest -q", "12 passed, 0 failed in 0.40s"),
        ("cargo build 2>&1 | tail -1", "    Finished `dev` profile [unoptimized] target(s) in 2.1s"),
        ("swift test", "\t Executed 3 tests, with 0 failures (0 unexpected) in 0.01 seconds"),
        ("go build ./...", ""),
        ("npx tsc --noEmit", ""),
        ("git push origin main", "To example.org:a.git\n   1..2  main -> main"),
        ("python -m unittest", "Ran 3 tests in 0.1s\n\nOK"),
    ];
    for (command, text) in succeeded {
        assert_eq!(ran(command, text), CallOutcome::Succeeded, "{command}");
    }
    let unknown = [
        ("./report.sh", "Found 3 failed payments in March\n3 failed payments"),
        ("python a.py", "Error handling is on"),
        ("cargo test | grep panicked", ""),
        ("npx tsc --noEmit | head", ""),
        ("python a.py", ""),
        ("./run.sh", "order 404 shipped"),
        ("cd nowhere && cargo build", "bash: line 1: cd: nowhere: No such file or directory"),
        ("cargo test 2>&1 | tail -1", r#"{"exit_code": 0, "stdout": "done"}"#),
    ];
    for (command, text) in unknown {
        assert_eq!(ran(command, text), CallOutcome::Unknown, "{command}");
    }
}

#[test]
fn databases_say_it_in_their_own_words() {
    let failed = [
        "Error executing query: Table 'shop.orders' doesn't exist",
        "no such table: car_1",
        "ERROR:  relation \"orders\" does not exist\nLINE 1: select",
        "relation \"orders\" does not exist",
        "(1054, \"Unknown column 'x' in 'field list'\")",
        "sqlite3.OperationalError: near \"form\": syntax error",
        "Parse error: no such table: orders",
    ];
    for text in failed {
        let answer = answered("sql", r#"{"query": "select * from orders"}"#, text);
        assert!(answer.failure().is_some(), "{text}");
        assert!(ran("psql -c \"select * from orders\"", text).failure().is_some(), "{text}");
    }
    for text in ["[('Error: x',)]", "status\nno such order", "(15,)", "3 rows affected", "| error | not found |"] {
        assert_eq!(answered("sql", r#"{"query": "select * from orders"}"#, text), CallOutcome::Succeeded, "{text}");
    }
}

#[test]
fn other_tools_are_judged_by_fields_and_by_their_first_line() {
    let failed = [
        (r#"{"error": "order 1017 not found"}"#, "order 1017 not found"),
        (r#"{"status": 404, "detail": "no such user"}"#, "no such user"),
        ("HTTP 503 Service Unavailable", "HTTP 503 Service Unavailable"),
        ("HTTP/1.1 404 Not Found\ncontent-type: text/html", "HTTP/1.1 404 Not Found"),
        ("Error: no label", "Error: no label"),
        ("Traceback (most recent call last):\n  File\nKeyError: 'total'", "KeyError: 'total'"),
        ("Failed to connect to db", "Failed to connect to db"),
    ];
    for (text, wanted) in failed {
        assert_eq!(error(&answered("ship", "{}", text)), Some(wanted), "{text}");
    }
    for text in ["ok", r#"{"id": 7, "error": null}"#, "[1, 2]", "refunded 17"] {
        assert_eq!(answered("ship", "{}", text), CallOutcome::Succeeded, "{text}");
    }
    for text in ["", "Order A17 not found", "Kunde nicht gefunden", "The order is locked"] {
        assert_eq!(answered("ship", "{}", text), CallOutcome::Unknown, "{text}");
    }
    assert_eq!(error(&marked("ship", "{}", "\n sold out \nmore")), Some("sold out"));
    assert_eq!(error(&marked("ship", "{}", "")), Some(""));
    assert!(
        error(&marked("ship", "{}", &"sold out ".repeat(200_000))).is_some_and(|said| said.starts_with("sold out"))
    );
    assert!(answered("str_replace", r#"{"path": "a"}"#, "No match found for old_str").failure().is_some());
}

#[test]
fn a_code_may_have_a_time_or_tags_beside_it() {
    let succeeded = [
        "63 errors found\n(exit 0, 0.4s)",
        "error: old\n[2.1 s, exit code 0]",
        "Error\n<exit_code>0</exit_code>",
        "<stdout></stdout><exit_code>0</exit_code>",
        "<stdout>\nError\n</stdout><exit_code>0</exit_code>",
    ];
    for text in succeeded {
        assert_eq!(ran("./check.sh", text), CallOutcome::Succeeded, "{text}");
    }
    assert_eq!(
        error(&ran("./check.sh", "Exit code: 2\n\nCommand output:\n```\nno licence found\n```")),
        Some("no licence found")
    );
    assert_eq!(error(&ran("./check.sh", "no licence\n[sh] exit=3")), Some("no licence"));
}

#[test]
fn a_crash_is_told_by_its_signal() {
    let crash = "start\nSegmentation fault (core dumped)\nCommand exited with code 139";
    assert_eq!(error(&ran("./a.out", crash)), Some("Segmentation fault (core dumped)"));
    assert_eq!(error(&ran("./a.out", "start\n(exit code 134)")), Some("(exit code 134)"));
    let report = "start\n==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x1";
    let wanted = "ERROR: AddressSanitizer: heap-use-after-free on address 0x1";
    assert_eq!(error(&ran("./a.out 2>&1 | head -9", report)), Some(wanted));
}

#[test]
fn warnings_are_no_errors_and_errors_have_many_languages() {
    assert_eq!(ran("npx eslint src", "✖ 3 problems (0 errors, 3 warnings)"), CallOutcome::Unknown);
    assert_eq!(ran("ruff check --exit-zero src", "Found 3 errors."), CallOutcome::Unknown);
    for text in
        ["a.c:3:5: Fehler: »x« nicht deklariert", "a.c:3:5: erreur fatale: x.h : Aucun fichier", "a.c:3:5: エラー: x"]
    {
        assert_eq!(error(&ran("make 2>&1 | tail -3", text)), Some(text));
    }
    assert_eq!(ran("gcc a.c", "a.c:3:5: Warnung: »fehler« wird nicht verwendet"), CallOutcome::Unknown);
}

#[test]
fn some_codes_are_answers_and_some_fields_are_empty() {
    let plan = "terraform plan -detailed-exitcode -no-color";
    assert_eq!(ran(plan, r#"{"stdout": "1 to change", "stderr": "", "exit_code": 2}"#), CallOutcome::Succeeded);
    assert!(ran(plan, r#"{"stdout": "", "stderr": "Error: no state", "exit_code": 1}"#).failure().is_some());
    let pushed = "Stdout: (empty)\nStderr: To a:b.git\n ! [rejected]  main -> main (fetch first)\nError: (none)\nExit Code: 1\nSignal: (none)";
    assert_eq!(error(&ran("git push", pushed)), Some("fetch first"));
    assert!(ran("rails g x", "Overwrite? [Yn]\n[No new output after 60 s. It was timed out.]").failure().is_none());
    let killed = "Overwrite? [Yn]\n[The command has no new output after 60 s. It was timed out and killed.]";
    assert!(ran("rails g x", killed).failure().is_some());
    assert!(ran("helm history a", "REVISION STATUS\n1 failed").failure().is_none());
    assert!(ran("gcloud builds list", "ID STATUS\n1 failed").failure().is_none());
    assert!(ran("vendor/bin/phpunit", "bash: vendor/bin/phpunit: No such file or directory").failure().is_some());
}

#[test]
fn what_stands_below_a_heading_tells() {
    let cases = [
        (
            "cabal build",
            "app/Main.hs:2:7: error:\n    • No instance for (Show A)\n    • In x",
            "No instance for (Show A)",
        ),
        (
            "./gradlew build",
            "e: file:///home/a/src/B.kt:4:2 Unresolved reference 'x'.\n\nFAILURE: Build failed with an exception.",
            "B.kt:4:2 Unresolved reference 'x'.",
        ),
        (
            "sbt test",
            "[error] ## Exception when compiling 2 sources\n[error] java.lang.OutOfMemoryError: Metaspace",
            "java.lang.OutOfMemoryError: Metaspace",
        ),
    ];
    let of_gradle = "FAILURE: Build failed with an exception.\n\n* What went wrong:\nExecution failed for task ':a:x'.\n> Could not resolve \
        all files.\n   > Could not find com.x:y:1.2.\n\n* Try:\n> Run with --info\nExit code: 1";
    assert_eq!(error(&ran("./gradlew x", of_gradle)), Some("Could not find com.x:y:1.2."));
    for (command, text, telling) in cases {
        assert_eq!(error(&ran(command, &format!("{text}\nExit code: 1"))), Some(telling), "{command}");
    }
}
