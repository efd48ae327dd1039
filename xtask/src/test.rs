//! `cargo xtask test`: every check and test there is.

use std::{
    process::Command,
    time::{Duration, Instant},
};

use crate::{
    arm, console, dist, package,
    postgres::Postgres,
    public_api,
    python::{self, Environment},
    shell::{cargo, root, run, say, works},
    wheel,
};

type Stage = (&'static str, fn() -> anyhow::Result<()>);

/// In the order in which they find mistakes most cheaply.
const STAGES: &[Stage] = &[
    ("format", format),
    ("lint", lint),
    ("unit", unit),
    ("embedder", full_model),
    ("arm", arm::test),
    ("docs", docs),
    ("package", libraries),
    ("dist", dist::check),
    ("python", python_suites),
    ("sdk", python_package),
    ("console", console_in_browser),
    ("postgres", on_postgres),
];

/// Runs the stages that were named, or all of them, and prints how long each took. Stops at the first that fails.
pub(crate) fn run_stages(named: &[&str]) -> anyhow::Result<()> {
    if let Some(unknown) = named.iter().find(|name| STAGES.iter().all(|(stage, _)| stage != *name)) {
        anyhow::bail!("there is no stage `{unknown}`");
    }
    let mut times: Vec<(&str, Duration)> = Vec::new();
    for (name, stage) in STAGES.iter().filter(|(name, _)| named.is_empty() || named.contains(name)) {
        say(&format!("\n== {name}"));
        let start = Instant::now();
        let done = stage();
        times.push((name, start.elapsed()));
        if done.is_err() {
            print_times(&times);
        }
        done?;
    }
    print_times(&times);
    say("all stages passed");
    Ok(())
}

fn print_times(times: &[(&str, Duration)]) {
    say("");
    for (name, time) in times {
        say(&format!("{name:>8} {:>6.1} s", time.as_secs_f64()));
    }
}

fn format() -> anyhow::Result<()> {
    run(cargo(["fmt", "--all", "--check"]))
}

fn lint() -> anyhow::Result<()> {
    run(cargo(["clippy", "--workspace", "--all-targets", "--quiet", "--", "--deny", "warnings"]))
}

/// The Rust tests. nextest runs them side by side across crates; cargo alone does where it is not installed.
fn unit() -> anyhow::Result<()> {
    run(rust_tests(&[], &[], &["--all-targets"]))
}

/// The full embedding model, whose weights are a package to fetch and not a file of ours, against the original's vectors.
fn full_model() -> anyhow::Result<()> {
    let mut python = python::EMBEDDER.ready()?;
    let locate = "from original import packaged_model_directory; print(packaged_model_directory())";
    let found = python.args(["-c", locate]).current_dir(root().join("tools/embedder")).output()?;
    anyhow::ensure!(found.status.success(), "{}", String::from_utf8_lossy(&found.stderr));
    // Of the whole workspace, so that nothing is built a second time with fewer features.
    let mut tests = cargo(["test", "--workspace", "--test", "original", "--", "--ignored"]);
    tests.env("REFLECT_PUBLISHED_MODEL", String::from_utf8(found.stdout)?.trim());
    run(tests)
}

/// Examples in documentation, and the documentation itself.
fn docs() -> anyhow::Result<()> {
    run(cargo(["test", "--workspace", "--doc", "--quiet"]))?;
    let mut doc = cargo(["doc", "--workspace", "--no-deps", "--quiet"]);
    doc.env("RUSTDOCFLAGS", "--deny warnings");
    run(doc)
}

/// The libraries as others get them: built from their packages, showing nothing that cannot be named.
fn libraries() -> anyhow::Result<()> {
    package::build()?;
    public_api::check()
}

/// The published client, the guides' program, our examples, bad input and schemathesis, against the real server.
fn python_suites() -> anyhow::Result<()> {
    run(cargo(["build", "--package", "reflect", "--quiet"]))?;
    // Of the whole workspace, so that they are those that the Rust tests have built.
    run(cargo(["build", "--workspace", "--examples", "--quiet"]))?;
    run(pytest(python::TESTS, &["tests/python"])?)
}

/// Our Python package: its own tests, which look at its style, its types and its wheel as well, and the published client's suite with our package in its place.
fn python_package() -> anyhow::Result<()> {
    run(cargo(["build", "--package", "reflect", "--quiet"]))?;
    let mut tests =
        pytest(python::SDK, &["--config-file", "python/pyproject.toml", "--rootdir", "python", "python/tests"])?;
    tests.env("REFLECT_WHEEL", wheel::build_for_tests()?);
    run(tests)?;
    let mut suite = pytest(python::TESTS, &["tests/python", "-k", "test_published_client"])?;
    suite.env("REFLECT_SDK", "ours");
    run(suite)
}

/// The console: its style and types, how much of it a first visit loads, and all of it in a real browser against the real server.
fn console_in_browser() -> anyhow::Result<()> {
    console::check()?;
    console::build()?;
    run(cargo(["build", "--package", "reflect", "--quiet"]))?;
    console::test()
}

/// What holds over SQLite, over a real PostgreSQL: the store's conformance suite, the HTTP suite and the published client's; then several
/// servers over one database, while that is stopped and they are killed.
fn on_postgres() -> anyhow::Result<()> {
    let postgres = Postgres::start()?;
    let mut same = rust_tests(&["--test", "conformance", "--test", "http"], &[], &[]);
    postgres.tell(&mut same)?;
    run(same)?;
    run(cargo(["build", "--package", "reflect", "--quiet"]))?;
    let mut suite = pytest(python::TESTS, &["tests/python", "-k", "test_published_client"])?;
    postgres.tell(&mut suite)?;
    run(suite)?;
    let mut cluster = rust_tests(&["--test", "binary"], &["--run-ignored", "only"], &["--", "--ignored"]);
    postgres.tell(&mut cluster)?;
    run(cluster)
}

/// Some of the Rust tests: by nextest with its own arguments, or by cargo with others where that is not installed.
fn rust_tests(named: &[&str], to_nextest: &[&str], to_cargo: &[&str]) -> Command {
    if works(cargo(["nextest", "--version"])) {
        let quietly = ["nextest", "run", "--workspace", "--no-fail-fast", "--status-level", "fail"];
        return cargo([&quietly, named, to_nextest].concat());
    }
    cargo([&["test", "--workspace"], named, to_cargo].concat())
}

/// Tests in Python, two files side by side, each with servers of its own: mostly one waits for the other.
fn pytest(environment: Environment, arguments: &[&str]) -> anyhow::Result<Command> {
    let mut pytest = environment.ready()?;
    pytest.args(["-m", "pytest", "--quiet", "-p", "no:cacheprovider", "--numprocesses", "2", "--dist", "loadscope"]);
    pytest.args(arguments).current_dir(root());
    pytest.env("REFLECT_BIN", root().join("target/debug/reflect")).env("PYTHONDONTWRITEBYTECODE", "1");
    pytest.env("REFLECT_EXAMPLES", root().join("target/debug/examples"));
    Ok(pytest)
}
