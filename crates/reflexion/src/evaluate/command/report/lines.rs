//! The lines of test runners.

use super::Sum;

/// Whose line it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Runner {
    Cargo,
    Nextest,
    Pytest,
    Unittest,
    Go,
    Tap,
    Jest,
    Mocha,
    Maven,
    Gradle,
    GoogleTest,
    Other,
}

/// What it says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    Passed,
    Failed(String),
    Sum(Sum),
}

type Reader = fn(&str) -> Option<Found>;

/// The first that knows the line has it.
const READERS: [(Runner, Reader); 12] = [
    (Runner::Cargo, cargo),
    (Runner::Nextest, nextest),
    (Runner::Go, go),
    (Runner::Tap, tap),
    (Runner::Jest, jest),
    (Runner::Mocha, mocha),
    (Runner::Maven, maven),
    (Runner::Gradle, gradle),
    (Runner::GoogleTest, google_test),
    (Runner::Unittest, unittest),
    (Runner::Pytest, pytest),
    (Runner::Other, other),
];

pub(super) fn read(line: &str) -> Option<(Runner, Found)> {
    let line = line.trim();
    READERS.iter().find_map(|(runner, reader)| reader(line).map(|found| (*runner, found)))
}

/// `test store::opens ... FAILED`, `test result: FAILED. 3 passed; 1 failed; 0 ignored`
fn cargo(line: &str) -> Option<Found> {
    let rest = line.strip_prefix("test ")?;
    if let Some(result) = rest.strip_prefix("result: ") {
        return sum(before(result, "passed"), before(result, "failed"));
    }
    let (name, outcome) = rest.split_once(" ... ")?;
    match outcome.split_whitespace().next()? {
        "ok" => Some(Found::Passed),
        "FAILED" | "FAILED," => failed(name),
        _ => None,
    }
}

/// `FAIL [   0.003s] ( 2/9) store tests::opens`, `Summary [   0.5s] 9 tests run: 8 passed, 1 failed, 0 skipped`
fn nextest(line: &str) -> Option<Found> {
    let (word, rest) = line.split_once(" [")?;
    let (time, name) = rest.split_once("] ")?;
    if !time.trim_start_matches([' ', '>']).starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let name = match name.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((_, name)) => name,
        None => name,
    };
    match word.trim() {
        "PASS" | "LEAK" | "FLAKY" => Some(Found::Passed),
        "FAIL" | "TIMEOUT" | "ABORT" | "SIGABRT" | "SIGSEGV" | "SIGKILL" => failed(name),
        "Summary" => {
            let also = before_words(name, "timed", "out").unwrap_or(0);
            let failed = before(name, "failed").map_or(also, |failed| failed.saturating_add(also));
            sum(before(name, "passed"), Some(failed))
        }
        _ => None,
    }
}

/// `FAILED tests/test_a.py::test_b - assert 1 == 2`, `ERROR tests/test_a.py`, `=== 1 failed, 3 passed in 0.12s ===`
fn pytest(line: &str) -> Option<Found> {
    let named = ["FAILED ", "ERROR "].iter().find_map(|word| line.strip_prefix(word));
    if let Some(name) = named {
        return if name.contains("::") || name.contains(".py") { failed(name) } else { None };
    }
    let text = line.trim_matches(['=', ' ']);
    let (counts, time) = text.rsplit_once(" in ")?;
    if !time.starts_with(|first: char| first.is_ascii_digit())
        || !text.starts_with(|first: char| first.is_ascii_digit())
    {
        return None;
    }
    let errors = before(counts, "error").or_else(|| before(counts, "errors"));
    let (passed, failed) = (before(counts, "passed"), before(counts, "failed"));
    passed.or(failed).or(errors)?;
    sum(Some(passed.unwrap_or(0)), Some(failed.unwrap_or(0).saturating_add(errors.unwrap_or(0))))
}

/// `FAIL: test_a (module.Case)`, `Ran 5 tests in 0.1s`, `FAILED (failures=1, errors=1)`
fn unittest(line: &str) -> Option<Found> {
    if let Some(name) = ["FAIL: ", "ERROR: "].iter().find_map(|word| line.strip_prefix(word)) {
        return if name.contains('(') { failed(name) } else { None };
    }
    if let Some(rest) = line.strip_prefix("Ran ") {
        let total = before(rest, "tests").or_else(|| before(rest, "test"))?;
        return Some(Found::Sum(Sum { total: Some(total), ..Sum::default() }));
    }
    let rest = line.strip_prefix("FAILED (")?;
    let (failures, errors) = (after(rest, "failures"), after(rest, "errors"));
    let failed = failures.unwrap_or(0).saturating_add(errors.unwrap_or(0));
    sum(None, failures.or(errors).map(|_| failed))
}

/// `--- FAIL: TestA (0.00s)`, `FAIL    example.com/a [build failed]`
fn go(line: &str) -> Option<Found> {
    if let Some(name) = line.strip_prefix("--- FAIL: ") {
        return failed(name.split_once(" (").map_or(name, |(name, _)| name));
    }
    if line.starts_with("--- PASS: ") {
        return Some(Found::Passed);
    }
    let package = line.strip_prefix("FAIL\t").filter(|package| package.ends_with(" failed]"))?;
    failed(package)
}

/// `not ok 2 - opens # TODO later`, `ok 1 - closes`, `# pass 3`; and Node's own `✖ opens (1.2ms)`, `ℹ pass 3`
fn tap(line: &str) -> Option<Found> {
    if let Some(name) = line.strip_prefix("✖ ").and_then(|rest| rest.strip_suffix("ms)")) {
        return failed(name.rsplit_once(" (").map_or(name, |(name, _)| name));
    }
    if let Some(count) = line.strip_prefix("# ").or_else(|| line.strip_prefix("ℹ ")) {
        let (word, number) = count.split_once(' ')?;
        let number = number.parse().ok();
        return match word {
            "pass" => sum(number, None),
            "fail" => sum(None, number),
            _ => None,
        };
    }
    let (is_ok, rest) = match line.strip_prefix("not ok ") {
        Some(rest) => (false, rest),
        None => (true, line.strip_prefix("ok ")?),
    };
    if !rest.starts_with(|first: char| first.is_ascii_digit() || first == '-') {
        return None;
    }
    let (name, directive) = rest.split_once(" # ").unwrap_or((rest, ""));
    let directive = directive.to_ascii_lowercase();
    if directive.starts_with("skip") || directive.starts_with("todo") {
        return None;
    }
    let name = name.trim_start_matches(|character: char| character.is_ascii_digit()).trim_start_matches([' ', '-']);
    if is_ok { Some(Found::Passed) } else { failed(if name.is_empty() { rest } else { name }) }
}

/// `Tests:       1 failed, 3 passed, 4 total`, `Tests  1 failed | 3 passed (4)`, `● cart › adds`
fn jest(line: &str) -> Option<Found> {
    if let Some(name) = line.strip_prefix("● ").filter(|name| name.contains(" › ")) {
        return failed(name);
    }
    let counts = line.strip_prefix("Tests:").or_else(|| line.strip_prefix("Tests  "))?;
    let (passed, failed) = (before(counts, "passed"), before(counts, "failed"));
    passed.or(failed)?;
    sum(Some(passed.unwrap_or(0)), Some(failed.unwrap_or(0)))
}

/// `3 passing (10ms)`, `1 failing`
fn mocha(line: &str) -> Option<Found> {
    let (number, rest) = line.split_once(' ')?;
    let number = number.parse().ok()?;
    match rest.split_whitespace().next()? {
        "passing" => sum(Some(number), None),
        "failing" => sum(None, Some(number)),
        _ => None,
    }
}

/// `Tests run: 5, Failures: 1, Errors: 0, Skipped: 0`, the last of which is over all classes
fn maven(line: &str) -> Option<Found> {
    let (_, counts) = line.split_once("Tests run:")?;
    let total = counts.trim_start().split(',').next()?.parse().ok()?;
    let failed = after(counts, "Failures")?.saturating_add(after(counts, "Errors").unwrap_or(0));
    let passed = u64::saturating_sub(total, failed).saturating_sub(after(counts, "Skipped").unwrap_or(0));
    sum(Some(passed), Some(failed))
}

/// `CartTest > adds() FAILED`, `5 tests completed, 1 failed`
fn gradle(line: &str) -> Option<Found> {
    if let Some(name) = line.strip_suffix(" FAILED").filter(|name| name.contains(" > ")) {
        return failed(name);
    }
    if line.contains(" tests completed, ") {
        let (total, failed) = (before(line, "tests")?, before(line, "failed")?);
        return Some(Found::Sum(Sum { total: Some(total), failed: Some(failed), passed: None }));
    }
    None
}

/// `[  FAILED  ] Cart.Adds (0 ms)`, `[       OK ] Cart.Adds (0 ms)`
fn google_test(line: &str) -> Option<Found> {
    if line.starts_with("[       OK ] ") {
        return Some(Found::Passed);
    }
    let name = line.strip_prefix("[  FAILED  ] ")?;
    let name = name.split_once(" (").map_or(name, |(name, _)| name);
    // The list at the end begins with how many there are.
    if name.contains(' ') { None } else { failed(name) }
}

/// `FAILED something`, by whoever
fn other(line: &str) -> Option<Found> {
    let name = line.strip_prefix("FAILED ").or_else(|| line.strip_prefix("FAILED: "))?;
    if name.starts_with('(') { None } else { failed(name) }
}

fn failed(name: &str) -> Option<Found> {
    let name = name.trim();
    (!name.is_empty()).then(|| Found::Failed(name.to_owned()))
}

/// A sum, if it says anything.
fn sum(passed: Option<u64>, failed: Option<u64>) -> Option<Found> {
    passed.or(failed)?;
    Some(Found::Sum(Sum { passed, failed, total: None }))
}

fn words(text: &str) -> impl Iterator<Item = &str> + Clone {
    text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// The number right before this word.
fn before(text: &str, word: &str) -> Option<u64> {
    let pairs = words(text).zip(words(text).skip(1));
    pairs.filter(|(_, second)| *second == word).find_map(|(number, _)| number.parse().ok())
}

/// The number right before these two words.
fn before_words(text: &str, first: &str, second: &str) -> Option<u64> {
    let triples = words(text).zip(words(text).skip(1)).zip(words(text).skip(2));
    triples.filter(|((_, one), two)| *one == first && *two == second).find_map(|((number, _), _)| number.parse().ok())
}

/// The number right after this word.
fn after(text: &str, word: &str) -> Option<u64> {
    let pairs = words(text).zip(words(text).skip(1));
    pairs.filter(|(first, _)| *first == word).find_map(|(_, number)| number.parse().ok())
}
