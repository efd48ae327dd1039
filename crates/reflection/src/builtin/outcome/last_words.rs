//! The last word of test runners and compilers, for output that comes without a code.

use crate::builtin::reading;

/// How many lines at the end are looked at. Some runners list what failed after they have counted it.
const LINES: usize = 60;

/// Whether the output ends in success or in failure by a checker's own word; nothing where it says none, or both with success last.
pub(super) fn read(text: &str) -> Option<bool> {
    let mut last = None;
    for line in text.lines().rev().take(LINES) {
        match (last, verdict(line.trim())) {
            (None, Some(false)) => return Some(false),
            (None, Some(true)) => last = Some(true),
            (Some(true), Some(false)) => return None,
            _ => {}
        }
    }
    last
}

/// What one line says about the whole.
pub(super) fn verdict(line: &str) -> Option<bool> {
    if line.is_empty() || line.len() > 300 {
        return None;
    }
    if has_failed(line) {
        return Some(false);
    }
    if has_passed(line) {
        return Some(true);
    }
    of_xcode(line).or_else(|| by_counts(line))
}

fn has_failed(line: &str) -> bool {
    const OPENINGS: [&str; 32] = [
        "test result: FAILED",
        "error: could not compile",
        "error: test failed",
        "error: aborting due to",
        "error: build failed",
        "--- FAIL: ",
        "FAIL\t",
        "FAILED (",
        "BUILD FAILURE",
        "[INFO] BUILD FAILURE",
        "BUILD FAILED",
        "Build FAILED",
        "** BUILD FAILED **",
        "** TEST FAILED **",
        "FAILURE: Build failed",
        "FAILURES!",
        "Failed!  - Failed:",
        "npm ERR! ",
        "npm error ",
        "ninja: build stopped",
        "error Command failed with exit code",
        "ERROR: Could not find a version",
        "ERROR: No matching distribution",
        "ERROR: failed to solve",
        "Errors while running CTest",
        "Execution failed for task",
        "COMPILATION ERROR",
        "collect2: error:",
        "error: linking with",
        "error TS",
        "Test Suites: FAILED",
        "evaluation failed",
    ];
    let is_make = line.starts_with("make") && line.contains(": *** ");
    let is_count = |opening: &str, closing: &str| {
        let count = line.strip_prefix(opening).and_then(|rest| rest.split(' ').next());
        count.is_some_and(|count| count.parse::<u64>().is_ok_and(|count| count > 0)) && line.contains(closing)
    };
    line == "FAIL"
        || OPENINGS.iter().any(|opening| line.starts_with(opening))
        || is_make
        || is_compiler_error(line)
        || is_go_error(line)
        || (is_count("Found ", " error") && !line.contains("0 remaining"))
        || (is_count("✖ ", " problem") && !line.contains("(0 errors"))
        || line.contains(": undefined reference to ")
        || (is_count("", " error") && (line.ends_with(" error generated.") || line.ends_with(" errors generated.")))
}

/// `./main.go:7:2: undefined: x`.
pub(super) fn is_go_error(line: &str) -> bool {
    let Some((file, rest)) = line.split_once(".go:") else { return false };
    let mut parts = rest.splitn(3, ':');
    let mut is_number = || parts.next().is_some_and(|part| part.parse::<u32>().is_ok());
    !file.contains(' ') && is_number() && is_number() && parts.next().is_some_and(|said| said.starts_with(' '))
}

/// What compilers call an error in the languages that they speak.
const ERRORS: &str =
    "error errors fehler erreur errore erro błąd fout fel virhe chyba ошибка помилка hata 错误 錯誤 エラー 오류";

/// `main.c:3:5: error: …`, `a.ts(3,5): error TS2304: …`, in any language: `main.c:3:5: Fehler: …`.
pub(super) fn is_compiler_error(line: &str) -> bool {
    let line = line.replace('：', ": ");
    let Some((place, rest)) = line.split_once(": ") else { return false };
    let is_place = place.contains('.')
        && !place.contains(' ')
        && place.ends_with(|last: char| last.is_ascii_digit() || last == ')');
    let label = rest.split(':').next().unwrap_or_default();
    let mut words = label.split_whitespace().map(str::to_lowercase);
    // A label has few words, and one with a code none after it.
    is_place && rest.contains(':') && label.len() <= 40 && words.any(|word| reading::lists(ERRORS, &word))
}

/// `Executed 3 tests, with 1 failure (0 unexpected)`.
fn of_xcode(line: &str) -> Option<bool> {
    let (_, counts) = line.strip_prefix("Executed ")?.split_once(" with ")?;
    Some(counts.starts_with("0 failures"))
}

fn has_passed(line: &str) -> bool {
    const OPENINGS: [&str; 21] = [
        "Bundle complete! ",
        "Build complete! (",
        "BUILD SUCCESSFUL in ",
        "OK, but ",
        "Successfully built ",
        "Successfully tagged ",
        "Successfully installed ",
        "✓ built in ",
        "test result: ok",
        "[100%] Built target",
        "BUILD SUCCESS",
        "[INFO] BUILD SUCCESS",
        "Build succeeded",
        "** BUILD SUCCEEDED **",
        "** TEST SUCCEEDED **",
        "Success: no issues found",
        "All checks passed!",
        "Compiled successfully",
        "100% tests passed",
        "Passed!  - Failed:     0",
        "ok  \t",
    ];
    let is_cargo = line.starts_with("Finished ") && (line.contains("profile") || line.contains("target(s)"));
    // An image is named where it is complete: `#9 naming to docker.io/library/web done`.
    let is_image = line.contains(" naming to ") && line.trim_end_matches("0.0s").trim_end().ends_with("done");
    matches!(line, "OK" | "PASS")
        || is_image
        || line.starts_with("OK (")
        || is_cargo
        || OPENINGS.iter().any(|sign| line.starts_with(sign))
}

/// `3 failed, 41 passed in 0.1s`, `Tests: 1 failed, 2 total`: a line of counts and of nothing else.
fn by_counts(line: &str) -> Option<bool> {
    let bare = line.trim_matches(['=', '-', ' ', '.']);
    if !bare.contains(|letter: char| letter.is_ascii_digit()) {
        return None;
    }
    let bare = bare.strip_prefix("Tests").map_or(bare, |rest| rest.trim_start_matches([':', ' ']));
    let (mut failed, mut passed) = (0, 0);
    for part in bare.split([',', ';', '|']) {
        let mut words = part.split_whitespace();
        match (words.next()?, words.next(), words.next()) {
            ("Failures:" | "Errors:", Some(count), None) => failed += count.parse::<u64>().ok()?,
            ("Assertions:" | "Skipped:" | "Tests:", Some(_), None) => {}
            ("Failed:", Some(count), None) => failed += count.parse::<u64>().ok()?,
            ("Passed:", Some(count), None) => passed += count.parse::<u64>().ok()?,
            (count, Some(word), next) => {
                let count: u64 = count.parse().ok()?;
                match word {
                    "failed" | "failing" | "failure" | "failures" | "error" | "errors" => failed += count,
                    "passed" | "passing" | "passes" => passed += count,
                    "skipped" | "ignored" | "total" | "warning" | "warnings" | "pending" | "todo" | "tests"
                    | "test" | "examples" | "example" | "runs" | "assertions" | "skips" | "xfailed" | "xpassed"
                    | "deselected" | "measured" | "filtered" | "suites" | "snapshots" => {}
                    _ => return None,
                }
                let goes_on =
                    next.is_some_and(|next| !matches!(next, "in" | "out" | "test" | "tests") && !next.starts_with('('));
                if goes_on {
                    return None;
                }
            }
            _ => return None,
        }
    }
    match (failed, passed) {
        (0, 0) => bare.contains("0 failures").then_some(true),
        (0, _) => Some(true),
        _ => Some(false),
    }
}
