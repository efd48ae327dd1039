//! What is checked and tested: each stage by its name, and when it runs.

use std::{num::NonZero, process::Command};

use When::{Beside, InTurn, Rarely};

use crate::{
    arm, benches, console, debian, dist, package,
    postgres::Postgres,
    public_api,
    python::{self, Environment},
    shell::{cargo, root, run, works},
    wheel,
};

/// A check, or a suite of tests.
pub(crate) struct Stage {
    pub(crate) name: &'static str,
    pub(crate) run: fn() -> anyhow::Result<()>,
    pub(crate) when: When,
}

/// When a stage runs in `cargo xtask test`.
pub(crate) enum When {
    /// Every time, one after another: these compute.
    InTurn,
    /// Every time, two at once, when everything is compiled: each waits for servers, pages and clients now and then.
    Beside,
    /// Before a release, and when one of these has changed since the stage last passed. They guard what rarely breaks.
    Rarely(&'static [&'static str]),
}

/// In the order in which they find mistakes most cheaply.
pub(crate) const STAGES: &[Stage] = &[
    Stage { name: "format", run: format, when: InTurn },
    Stage { name: "lint", run: lint, when: InTurn },
    Stage { name: "unit", run: unit, when: InTurn },
    Stage { name: "docs", run: docs, when: InTurn },
    Stage { name: "postgres", run: on_postgres, when: Beside },
    Stage { name: "python", run: python_suites, when: Beside },
    Stage { name: "console", run: console_in_browser, when: Beside },
    Stage { name: "sdk", run: python_package, when: Beside },
    Stage { name: "dist", run: dist::check, when: Beside },
    Stage { name: "shared", run: http_on_postgres, when: Rarely(&["crates/reflect-store"]) },
    Stage { name: "embedder", run: full_model, when: Rarely(&["crates/reflect-embed", "tools/embedder"]) },
    Stage { name: "arm", run: arm::test, when: Rarely(arm::GUARDED) },
    Stage {
        name: "package",
        run: libraries,
        when: Rarely(&["Cargo.toml", "crates/*/Cargo.toml", "crates/*/src/lib.rs"]),
    },
    Stage { name: "benches", run: benches::check, when: Rarely(&["benches"]) },
    Stage { name: "wheel", run: wheel::test, when: Rarely(wheel::GUARDED) },
];

/// The stage of a name.
pub(crate) fn named(name: &str) -> anyhow::Result<&'static Stage> {
    let stage = STAGES.iter().find(|stage| stage.name == name);
    stage.ok_or_else(|| anyhow::anyhow!("there is no stage `{name}`; there are {}", names()))
}

/// All names, for people.
pub(crate) fn names() -> String {
    STAGES.iter().map(|stage| stage.name).collect::<Vec<_>>().join(", ")
}

/// Fetches what the suites need beside crates, while those are compiled: the console, a browser, a PostgreSQL, Python's packages.
pub(crate) fn prepare() -> anyhow::Result<()> {
    console::build()?;
    debian::have(&[console::CHROMIUM])?;
    for environment in [python::TESTS, python::SDK, python::POSTGRES, python::PACKAGING] {
        environment.ready()?;
    }
    Ok(())
}

pub(crate) fn format() -> anyhow::Result<()> {
    run(cargo(["fmt", "--all", "--check"]))
}

pub(crate) fn lint() -> anyhow::Result<()> {
    run(cargo(["clippy", "--all-targets", "--quiet", "--", "--deny", "warnings"]))
}

/// The Rust tests, over SQLite.
fn unit() -> anyhow::Result<()> {
    run(rust_tests(&Selection { cargo: &["--all-targets"], ..Selection::default() }))
}

/// The full embedding model, whose weights are a package to fetch and not a file of ours, against the original's vectors.
fn full_model() -> anyhow::Result<()> {
    let mut python = python::EMBEDDER.ready()?;
    let locate = "from original import packaged_model_directory; print(packaged_model_directory())";
    let found = python.args(["-c", locate]).current_dir(root().join("tools/embedder")).output()?;
    anyhow::ensure!(found.status.success(), "{}", String::from_utf8_lossy(&found.stderr));
    // Of all crates, so that nothing is built a second time with fewer features.
    let mut tests = cargo(["test", "--test", "suite", "--quiet", "--", "original", "--ignored"]);
    tests.env("REFLECT_PUBLISHED_MODEL", String::from_utf8(found.stdout)?.trim());
    run(tests)
}

/// Examples in documentation, and the documentation itself.
fn docs() -> anyhow::Result<()> {
    run(cargo(["test", "--doc", "--quiet"]))?;
    let mut doc = cargo(["doc", "--no-deps", "--quiet"]);
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
    build_for_suites()?;
    run(pytest(python::TESTS, &["tests/python"])?)
}

/// The published client's cases that the tests of our package do not have themselves.
const WITH_OUR_PACKAGE: &[&str] = &[
    "tests/python/test_published_client.py",
    "tests/python/test_published_client_context.py",
    "tests/python/test_published_client_converters.py",
    "tests/python/test_published_client_decorator.py",
    "tests/python/test_published_client_signatures.py",
];

/// Our Python package: its own tests, which look at its style and its types as well, and cases of the published client with our package
/// in its place.
fn python_package() -> anyhow::Result<()> {
    build_for_suites()?;
    run(pytest(python::SDK, &["--config-file", "python/pyproject.toml", "--rootdir", "python", "python/tests"])?)?;
    let mut suite = pytest(python::TESTS, WITH_OUR_PACKAGE)?;
    suite.env("REFLECT_SDK", "ours");
    run(suite)
}

/// The console: its style and types, how much of it a first visit loads, and all of it in a real browser against the real server.
fn console_in_browser() -> anyhow::Result<()> {
    console::check()?;
    console::build()?;
    build_for_suites()?;
    console::test()
}

/// What over HTTP depends most on the database.
const OVER_HTTP: &str = "binary(http) and test(/^(correct|histories|idempot|isolation|outgrown|paging|ranking_prop|round_trips|switching)/)";

/// What shows over a real PostgreSQL: the store's conformance suite, tests over HTTP that depend on the database most, and cases of the
/// published client; then several servers over one database, while that is stopped and they are killed.
fn on_postgres() -> anyhow::Result<()> {
    let postgres = Postgres::start()?;
    run(rust_tests_on(&postgres, &format!("binary(conformance) or test(postgres) or {OVER_HTTP}"))?)?;
    let mut suite = pytest(python::TESTS, &["tests/python", "-m", "postgres"])?;
    postgres.tell(&mut suite)?;
    run(suite)
}

/// The other tests over HTTP, over a real PostgreSQL.
fn http_on_postgres() -> anyhow::Result<()> {
    let postgres = Postgres::start()?;
    run(rust_tests_on(&postgres, &format!("binary(http) and not ({OVER_HTTP})"))?)
}

/// Rust tests over a PostgreSQL, those that need one among them.
fn rust_tests_on(postgres: &Postgres, filter: &str) -> anyhow::Result<Command> {
    let filter = format!("({filter}) and not test(measurement)");
    let mut tests = rust_tests(&Selection {
        targets: &["--test", "conformance", "--test", "http", "--test", "binary"],
        nextest: &["--run-ignored", "all", "-E", &filter],
        cargo: &["--", "--include-ignored", "--skip", "measurement"],
    });
    postgres.tell(&mut tests)?;
    Ok(tests)
}

/// The server and the examples, with the features that the Rust tests have, so that they are those that were built for these.
pub(crate) fn build_for_suites() -> anyhow::Result<()> {
    run(cargo(["build", "--bins", "--examples", "--quiet"]))
}

/// Some of the Rust tests.
#[derive(Default)]
pub(crate) struct Selection<'a> {
    pub(crate) targets: &'a [&'a str],
    /// What nextest is told beside it.
    pub(crate) nextest: &'a [&'a str],
    /// What cargo is told where nextest is not installed.
    pub(crate) cargo: &'a [&'a str],
}

/// Runs Rust tests: by nextest, side by side across crates, or by cargo where that is not installed.
pub(crate) fn rust_tests(selection: &Selection) -> Command {
    let Selection { targets, nextest, cargo: by_cargo } = selection;
    if works(cargo(["nextest", "--version"])) {
        // Tests wait for servers and disks: with two for each core, one of six seconds went by unused.
        let threads = 3 * std::thread::available_parallelism().map_or(1, NonZero::get);
        let mut tests = cargo(["nextest", "run", "--no-fail-fast", "--status-level", "fail"]);
        tests.args(["--test-threads", &threads.to_string()]).args(*targets).args(*nextest);
        return tests;
    }
    cargo([&["test", "--no-fail-fast"], *targets, *by_cargo].concat())
}

/// Tests in Python, two files side by side, each with servers of its own: mostly one waits for the other.
pub(crate) fn pytest(environment: Environment, arguments: &[&str]) -> anyhow::Result<Command> {
    let mut pytest = environment.ready()?;
    pytest.args(["-m", "pytest", "--quiet", "-p", "no:cacheprovider", "--numprocesses", "2", "--dist", "loadscope"]);
    pytest.args(arguments).current_dir(root());
    pytest.env("REFLECT_BIN", root().join("target/debug/reflect")).env("PYTHONDONTWRITEBYTECODE", "1");
    pytest.env("REFLECT_EXAMPLES", root().join("target/debug/examples"));
    Ok(pytest)
}
