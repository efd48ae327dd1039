//! `cargo xtask fuzz`: property tests with seeds that nobody has tried yet.
//!
//! `cargo xtask test` draws the same cases every time (`.cargo/config.toml` fixes the seed). Here every round has a seed of its own.
//! A test that fails is written down with the command that repeats it, and left out of the rounds that follow.

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    fs,
    hash::{BuildHasher, RandomState},
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use anyhow::Context;

use crate::shell::{cargo, root, run, say, target};

const DEFAULT_MINUTES: u64 = 15;

/// How many cases a test tries that does not say so itself: four times as many as in `cargo xtask test`.
const CASES: &str = "1024";

/// Runs all property tests again and again, for that many minutes and to the end of the last round.
pub(crate) fn explore(arguments: &[&str]) -> anyhow::Result<()> {
    let minutes = match arguments {
        [] => DEFAULT_MINUTES,
        ["--minutes", minutes] => minutes.parse().with_context(|| format!("`{minutes}` is no number of minutes"))?,
        _ => anyhow::bail!("`cargo xtask fuzz` takes `--minutes N` and nothing else"),
    };
    let mut names = BTreeSet::new();
    collect_names(&root().join("crates"), &mut names)?;
    run(cargo(["nextest", "run", "--no-run"]))?;
    let (begun, mut rounds, mut findings) = (Instant::now(), 0, Vec::new());
    while begun.elapsed() < Duration::from_secs(minutes * 60) && !names.is_empty() {
        let seed = RandomState::new().hash_one(Instant::now());
        rounds += 1;
        say(&format!("round {rounds}: {} property tests with the seed {seed}", names.len()));
        for name in failures(&names, seed)? {
            names.remove(name.rsplit("::").next().unwrap_or(&name));
            findings.push(repeat_command(&name, seed));
        }
    }
    say(&format!("{rounds} rounds, {} findings", findings.len()));
    if findings.is_empty() {
        return Ok(());
    }
    let file = target().join("fuzz-findings.txt");
    fs::write(&file, findings.join("\n") + "\n")?;
    anyhow::bail!(
        "{}\n\nkept in `{}`; smaller cases are in `proptest-regressions`",
        findings.join("\n"),
        file.display()
    )
}

fn repeat_command(name: &str, seed: u64) -> String {
    format!("PROPTEST_RNG_SEED={seed} PROPTEST_CASES={CASES} cargo nextest run -E 'test(={name})'")
}

/// Runs the tests of these names once, and answers the full names of those that failed.
fn failures(names: &BTreeSet<String>, seed: u64) -> anyhow::Result<Vec<String>> {
    let mut filter = String::from("test(/(^|::)(");
    for (place, name) in names.iter().enumerate() {
        write!(filter, "{}{name}", if place == 0 { "" } else { "|" })?;
    }
    filter.push_str(")$/)");
    let mut tests: Command =
        cargo(["nextest", "run", "--no-fail-fast", "--status-level", "fail", "--color", "never", "-E"]);
    tests.arg(filter).env("PROPTEST_RNG_SEED", seed.to_string()).env("PROPTEST_CASES", CASES);
    let output = tests.output().context("starting `cargo nextest`")?;
    let printed = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        return Ok(Vec::new());
    }
    say(&printed);
    let failed: BTreeSet<String> = printed.lines().filter_map(failed_test).map(str::to_owned).collect();
    anyhow::ensure!(!failed.is_empty(), "`cargo nextest` ended with {} and names no test that failed", output.status);
    Ok(failed.into_iter().collect())
}

/// The test in a line such as `FAIL [ 1.456s] (1/9) reflect-llm::extraction properties::a_cut_never_invents_anything`.
fn failed_test(line: &str) -> Option<&str> {
    let line = line.trim();
    let ended = ["FAIL", "TIMEOUT", "ABORT", "SIG"].iter().any(|status| line.starts_with(status));
    (ended && line.contains(" [")).then(|| line.rsplit(' ').next())?
}

/// The names of all property tests below a folder.
fn collect_names(folder: &Path, names: &mut BTreeSet<String>) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect_names(&path, names)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            names.extend(property_tests(&fs::read_to_string(&path)?));
        }
    }
    Ok(())
}

/// The names of the property tests in a source file: what stands in a `proptest!`, and what runs a `TestRunner` or `for_all`.
fn property_tests(source: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut last_function = None;
    let mut end_of_macro: Option<String> = None;
    for line in source.lines() {
        let function = function_name(line);
        if function.is_some() {
            last_function = function;
        }
        if end_of_macro.as_deref() == Some(line) {
            end_of_macro = None;
        } else if line.trim_end().ends_with("proptest! {") {
            let indent: String = line.chars().take_while(|character| *character == ' ').collect();
            end_of_macro = Some(indent + "}");
        } else if end_of_macro.is_some() {
            names.extend(function.map(str::to_owned));
        } else if function.is_none() && (line.contains("TestRunner::new(") || line.trim_start().starts_with("for_all("))
        {
            names.extend(last_function.map(str::to_owned));
        }
    }
    names
}

fn function_name(line: &str) -> Option<&str> {
    let line = line.trim_start().trim_start_matches("pub(crate) ").trim_start_matches("async ");
    line.strip_prefix("fn ")?.split(['(', '<']).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn property_tests_are_found_by_what_they_run() {
        let source = "\
fn helper() {}
proptest! {
    #![proptest_config(ProptestConfig::with_cases(9))]

    #[test]
    fn in_the_macro(one in any::<u8>()) {
        other(one);
    }
}
#[test]
fn plain() {
    assert!(true);
}
#[test]
fn by_a_runner() {
    TestRunner::new(config).run(&values, |value| Ok(()))
}
async fn a_case_of_the_store(store: &Store) {
    for_all(24, values(), async |project, value| {});
}
";
        assert_eq!(property_tests(source), ["in_the_macro", "by_a_runner", "a_case_of_the_store"]);
    }

    #[test]
    fn the_property_tests_of_this_project_are_found() {
        let mut names = BTreeSet::new();
        collect_names(&root().join("crates"), &mut names).unwrap();
        for known in [
            "a_cut_never_invents_anything",
            "queries_are_ranked_as_the_slow_version_ranks_them",
            "everybody_gets_their_own_vectors",
        ] {
            assert!(names.contains(known), "{known} is not among {names:?}");
        }
    }

    /// Only where somebody set another one on purpose, as this command does, is it not the one in `.cargo/config.toml`.
    #[test]
    fn tests_run_with_a_fixed_seed() {
        let seed = std::env::var("PROPTEST_RNG_SEED").unwrap();
        assert!(seed.parse::<u64>().is_ok(), "{seed}");
    }

    #[test]
    fn a_failure_is_told_from_what_nextest_prints() {
        let line = "        FAIL [   1.456s] (1/9) reflect-llm::extraction properties::a_cut_never_invents_anything";
        assert_eq!(failed_test(line), Some("properties::a_cut_never_invents_anything"));
        assert_eq!(failed_test("    test result: FAILED. 0 passed"), None);
    }
}
