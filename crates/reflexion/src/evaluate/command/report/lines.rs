//! The lines of test runners.

use std::sync::LazyLock;

use regex::{Captures, Regex};

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

/// What lines look like; the first that fits a line has it. `failure` is the name of a test that failed, `passed` is there where one
/// passed, `counts` has numbers before what they count, and `tallies` has them behind. A line without any of these says nothing.
const LINES: [(Runner, &str); 29] = [
    (Runner::Cargo, r"^test result: (?<counts>.+)"),
    (Runner::Cargo, r"^test (?<failure>.+?) \.\.\. +FAILED,?(?: |$)"),
    (Runner::Cargo, r"^test .+? \.\.\. +(?<passed>ok)(?: |$)"),
    (Runner::Nextest, r"^(?<passed>PASS|LEAK|FLAKY) +\[[ >]*\d.*?\] "),
    (Runner::Nextest, r"^(?:FAIL|TIMEOUT|ABORT|SIGABRT|SIGSEGV|SIGKILL) +\[[ >]*\d.*?\] (?:\(.*?\))?(?<failure>.+)"),
    (Runner::Nextest, r"^Summary +\[[ >]*\d.*?\] (?<counts>.+)"),
    (Runner::Go, r"^--- FAIL: (?<failure>.+?)(?: \(|$)"),
    (Runner::Go, r"^--- (?<passed>PASS): "),
    (Runner::Go, r"^FAIL\t(?<failure>.* failed\])$"),
    (Runner::Tap, r"^(?i:(?:not )?ok [\d-].* # (?:skip|todo))"),
    (Runner::Tap, r"^not ok \d*[ -]+(?<failure>[^ -].*?)(?: # .*)?$"),
    (Runner::Tap, r"^not ok (?<failure>\d+)$"),
    (Runner::Tap, r"^(?<passed>ok) [\d-]"),
    (Runner::Tap, r"^[#ℹ] (?<tallies>(?:pass|fail) \d+)$"),
    (Runner::Tap, r"^✖ (?<failure>.+) \([^(]*ms\)$"),
    (Runner::Jest, r"^● (?<failure>.+ › .+)"),
    (Runner::Jest, r"^Tests(?::|  )(?<counts>.+)"),
    (Runner::Mocha, r"^(?<counts>\d+ (?:passing|failing)\b)"),
    (Runner::Maven, r"Tests (?<tallies>run: \d+, Failures: .+)"),
    (Runner::Gradle, r"^(?<failure>.+ > .+) FAILED$"),
    (Runner::Gradle, r"(?<counts>\d+ tests completed, \d+ failed)"),
    (Runner::GoogleTest, r"^\[       (?<passed>OK) \] "),
    // The list at the end begins with how many there are.
    (Runner::GoogleTest, r"^\[  FAILED  \] (?<failure>\S+)(?: \(|$)"),
    (Runner::Unittest, r"^(?:FAIL|ERROR): (?<failure>.*\(.*)"),
    (Runner::Unittest, r"^Ran (?<counts>\d+ tests?)\b"),
    (Runner::Unittest, r"^FAILED \((?<tallies>.+)"),
    (Runner::Pytest, r"^(?:FAILED|ERROR) (?<failure>.*(?:::|\.py).*)"),
    (Runner::Pytest, r"^[= ]*(?<counts>\d.*) in \d"),
    (Runner::Other, r"^FAILED:? (?<failure>[^(].*)"),
];

static PATTERNS: LazyLock<Vec<(Runner, Regex)>> =
    LazyLock::new(|| LINES.iter().filter_map(|(runner, pattern)| Some((*runner, Regex::new(pattern).ok()?))).collect());

pub(super) fn read(line: &str) -> Option<(Runner, Found)> {
    let line = line.trim();
    let (runner, parts) = PATTERNS.iter().find_map(|(runner, pattern)| Some((*runner, pattern.captures(line)?)))?;
    found(runner, &parts).map(|found| (runner, found))
}

fn found(runner: Runner, parts: &Captures<'_>) -> Option<Found> {
    let part = |name: &str| parts.name(name).map(|part| part.as_str().trim());
    if part("passed").is_some() {
        return Some(Found::Passed);
    }
    if let Some(name) = part("failure") {
        return (!name.is_empty()).then(|| Found::Failed(name.to_owned()));
    }
    let words = |text: &'_ str| -> Vec<String> {
        let words = text.split(|character: char| !character.is_alphanumeric());
        words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
    };
    let (counted, number_first) = match part("counts") {
        Some(counts) => (words(counts), true),
        None => (words(part("tallies")?), false),
    };
    let mut sum = Sum::default();
    let mut skipped = 0;
    for pair in counted.windows(2) {
        let [first, second] = pair else { continue };
        let (number, word) = if number_first { (first, second) } else { (second, first) };
        let Ok(number) = number.parse::<u64>() else { continue };
        match word.as_str() {
            "pass" | "passed" | "passing" => sum.passed = Some(number),
            "fail" | "failed" | "failing" | "failures" | "error" | "errors" | "timed" => {
                sum.failed = Some(sum.failed.unwrap_or(0).saturating_add(number));
            }
            "test" | "tests" | "run" => sum.total = Some(number),
            // Maven counts them among those that it ran.
            "skipped" if runner == Runner::Maven => skipped = number,
            _ => {}
        }
    }
    // These two say on a line of its own how many failed.
    if sum.passed.is_some() && !matches!(runner, Runner::Mocha | Runner::Tap) {
        sum.failed.get_or_insert(0);
    }
    sum.total = sum.total.map(|total| total.saturating_sub(skipped));
    (sum != Sum::default()).then_some(Found::Sum(sum))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_is_one() {
        assert_eq!(PATTERNS.len(), LINES.len());
    }
}
