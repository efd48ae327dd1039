//! The project's own commands: up, test, bench, generated files.
//!
//! It depends on next to nothing, so that the first command in an empty clone starts at once. Everything heavier runs as
//! a command of its own.

#[cfg(test)]
mod architecture;
mod arm;
mod benches;
mod beside;
mod check;
mod console;
mod debian;
mod dist;
mod fuzz;
mod guards;
#[cfg(test)]
mod house;
mod package;
mod postgres;
mod public_api;
mod python;
mod release;
mod shell;
mod stages;
mod target_size;
mod test;
mod times;
#[cfg(test)]
mod walls;
mod wheel;

use std::{path::PathBuf, process::ExitCode};

use shell::{cargo, root, run, say, target};

const HELP: &str = "\
cargo xtask up [ARGS…]       build the server and start it; ARGS go to `reflect serve`
cargo xtask up --postgres    two servers over one PostgreSQL, to try; ARGS go to both
cargo xtask check            format, lint and test the crates that have changed since everything was last green here, and what
                             depends on them; `check COMMIT`: since that commit
cargo xtask test             every check and test that a change needs, of every language
cargo xtask test STAGE…      only these stages: format, lint, unit, docs, dist, python, sdk, console, postgres; or those for
                             releases: shared, embedder, arm, package, benches, wheel
cargo xtask release          every stage whatever has changed, then the wheel and the archive: what a release needs green
cargo xtask console          build the console in the browser into the folder that goes into the binary; needs Node.js 20
cargo xtask seed-demo        fill a project of a running server with a month of work; `--url`, `--key`, `--project`, `--large`
cargo xtask screenshots      every page of the console, light and dark, wide and phone, in target/screenshots
cargo xtask fuzz             property tests with seeds nobody has tried yet, for 15 minutes or `--minutes N`
cargo xtask soak             20 minutes, or `--minutes N`, of work beside a hostile project, restarts and kills
cargo xtask size             build in release mode, and refuse a binary that has grown too large
cargo xtask wheel            build the Python wheel that carries the server
cargo xtask dist             the archive that is released: binary, systemd unit, settings, completions, man pages
cargo xtask package          the libraries as a registry gets them, built from the packaged files alone
cargo xtask public-api       every public name of the libraries, and whether whoever uses them can name all that they show
cargo xtask openapi          write spec/openapi.json anew
cargo xtask settings         write docs/settings.md and docs/reflect.toml anew
cargo xtask bench ingest     traces stored and reflected per second, beside a bare SQLite loop; `--postgres`: 1 to 3 servers
                             over one PostgreSQL, beside pgbench; `--reviews no`: without lessons to write meanwhile
cargo xtask bench builds BINARY…  queries, pages and traces a second of several server binaries, in turns
cargo xtask bench parse      JSON out of replies of language models, beside a scan that counts braces
cargo xtask bench quality    how often embedders find the right memory, beside the original MiniLM
cargo xtask bench console    first paint of every page of the console and scrolling, with 100,000 traces
cargo xtask bench diversity  how many different lessons an answer has
cargo xtask bench first-lesson  from `pip install` of the wheel to the first learned lesson, in a new environment
cargo xtask bench embed      how long an embedding takes, beside onnxruntime; `--kernels`: with each kernel of the machine
cargo xtask bench copy       100,000 traces from a data folder into PostgreSQL and back, also killed half-way
cargo xtask bench join       how soon a second server answers that joins 100,000 memories in PostgreSQL, and what others notice
cargo xtask bench client     calls of the Rust client, over HTTP and in the process, beside the published Python one
cargo xtask bench python     calls of the Python client, beside the published one and bare httpx
cargo xtask bench query      queries per second over HTTP, and the share of embedding in them; `--postgres`: 1 to 3 servers; `--beside BINARY`: in turns with another
cargo xtask bench reflexion  whether lessons pay: simulated tasks, judges that err, every strategy at equal calls
cargo xtask bench learning   which rule learns what helps, in simulated worlds; `variants`: with other constants; `lift`, `what-if`: whether the reports hold; `served`: on the real server
cargo xtask bench lessons    whether lessons help a real model: none, by rules, by the model, the reviewer's words, by hand;
                             `lift`: with memories and held out, by the server's own report
cargo xtask bench limits     what a neighbour notices of a key over its rate, and of traces being forgotten
cargo xtask bench memory     what a server of 100,000 memories holds
cargo xtask bench retrieval  how long a query searches, beside numpy, faiss, sqlite-vec and Chroma; `--postgres`: in the database";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["up", "--postgres", rest @ ..] => up_cluster(rest),
        ["up", rest @ ..] => up(rest),
        ["check", rest @ ..] => check::check(rest),
        ["test", stages @ ..] => test::run_stages(stages),
        ["release"] => release::make(),
        // Parts of `test`, which it runs beside one another.
        ["prepare"] => stages::prepare(),
        ["stage", stage] => stages::named(stage).and_then(test::run_stage),
        ["console"] => console::build(),
        ["seed-demo", rest @ ..] => console::seed(rest),
        ["screenshots", rest @ ..] => console::screenshots(rest),
        ["fuzz", rest @ ..] => fuzz::explore(rest),
        ["soak", rest @ ..] => bench("soak", rest),
        ["size"] => build_release().and_then(|()| check_size()),
        ["dist"] => dist::build(),
        ["wheel"] => wheel::build().map(|_| ()),
        ["package"] => package::build(),
        ["public-api"] => public_api::list(),
        ["openapi"] => write_printed(&[(&["openapi"], "spec/openapi.json")]),
        ["settings"] => {
            write_printed(&[(&["settings"], "docs/reflect.toml"), (&["settings", "--markdown"], "docs/settings.md")])
        }
        ["bench", "python"] => bench_python(),
        ["bench", "console", rest @ ..] => build_release().and_then(|()| console::measure(rest)),
        ["bench", "first-lesson"] => wheel::time_first_lesson(),
        ["bench", name, rest @ ..] => bench(name, rest),
        [] | ["help" | "--help" | "-h", ..] => {
            say(HELP);
            Ok(())
        }
        _ => Err(anyhow::anyhow!("there is no such command\n\n{HELP}")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("xtask: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Builds the server as people run it, and runs it until it is stopped.
fn up(arguments: &[&str]) -> anyhow::Result<()> {
    let mut serve = std::process::Command::new(build_to_try()?);
    serve.arg("serve").args(arguments).current_dir(root());
    run(serve)
}

/// Starts two servers over one PostgreSQL, and stops all three with the first server that ends, or on Ctrl-C. Nothing of it is kept.
fn up_cluster(arguments: &[&str]) -> anyhow::Result<()> {
    let binary = build_to_try()?;
    let postgres = postgres::Postgres::start()?;
    let start = |port: u16| {
        let mut serve = std::process::Command::new(&binary);
        serve.args(["serve", "--listen", &format!("127.0.0.1:{port}")]).args(arguments).current_dir(root());
        serve.env("REFLECT_DATABASE_URL", &postgres.url);
        if std::env::var_os("REFLECT_MASTER_KEY").is_none() && std::env::var_os("REFLECT_MASTER_KEY_FILE").is_none() {
            serve.env("REFLECT_MASTER_KEY", TRIAL_KEY);
        }
        serve.spawn()
    };
    let mut servers = [start(8000)?, start(8001)?];
    say(&format!("master key, unless you have set one: {TRIAL_KEY}"));
    let ended = loop {
        let ended = servers.iter_mut().find_map(|server| server.try_wait().transpose());
        match ended {
            Some(ended) => break ended?,
            None => std::thread::sleep(std::time::Duration::from_millis(100)),
        }
    };
    for server in &mut servers {
        // One of them has ended already.
        let _ = server.kill();
        server.wait()?;
    }
    anyhow::ensure!(ended.success(), "a server ended with {ended}");
    Ok(())
}

/// The master key of servers that are only tried.
const TRIAL_KEY: &str = "rf_live_only-to-try-two-servers";

/// The server with its console, built to be there soon rather than to be as fast as a release.
fn build_to_try() -> anyhow::Result<PathBuf> {
    console::build_if_possible()?;
    run(cargo(["build", "--profile", "up", "--package", "reflect"]))?;
    Ok(target().join("up/reflect"))
}

/// Builds the server as people run it, with its console where that can be built.
fn build_release() -> anyhow::Result<()> {
    console::build_if_possible()?;
    run(cargo(["build", "--release", "--package", "reflect"]))
}

/// Writes what the server's commands print into files of the repository.
fn write_printed(files: &[(&[&str], &str)]) -> anyhow::Result<()> {
    stages::build_for_suites()?;
    for (command, path) in files {
        let printed = std::process::Command::new(target().join("debug/reflect")).args(*command).output()?;
        anyhow::ensure!(printed.status.success(), "`reflect {}` failed", command.join(" "));
        std::fs::write(root().join(path), printed.stdout)?;
    }
    Ok(())
}

/// How many megabytes the release binary may have: what people download and start at once, without a thought.
const MOST_MEGABYTES: f64 = 40.0;

/// Says how large the release binary is, and refuses one over the budget. Asked before anything is packed.
fn check_size() -> anyhow::Result<()> {
    let megabytes = std::fs::metadata(target().join("release/reflect"))?.len() as f64 / 1e6;
    say(&format!("the release binary has {megabytes:.1} of {MOST_MEGABYTES:.0} MB"));
    anyhow::ensure!(
        megabytes <= MOST_MEGABYTES,
        "it has {:.1} MB too many: see what made it grow, with `nm --size-sort`",
        megabytes - MOST_MEGABYTES
    );
    Ok(())
}

fn bench(name: &str, arguments: &[&str]) -> anyhow::Result<()> {
    // Some of them ask no server.
    let asks_none = matches!(name, "builds" | "diversity" | "learning" | "parse" | "reflexion");
    let server: &[&str] = if asks_none && !arguments.contains(&"served") { &[] } else { &["--package", "reflect"] };
    run(cargo([&["build", "--release", "--package", "reflect-bench"], server].concat()))?;
    if !server.is_empty() {
        check_size()?;
    }
    let built = target().join("release");
    let mut bench = std::process::Command::new(built.join("reflect-bench"));
    bench.arg(name).args(arguments).current_dir(root());
    bench.env("REFLECT_BIN", built.join("reflect"));
    let python = match name {
        "retrieval" if !arguments.contains(&"--postgres") => Some(python::RETRIEVAL),
        "quality" | "embed" => Some(python::EMBEDDER),
        "client" => Some(python::TESTS),
        "lessons" if !arguments.contains(&"--llm-url") => Some(python::LESSONS),
        _ => None,
    };
    if let Some(python) = python {
        bench.env("REFLECT_BENCH_PYTHON", python.ready()?.get_program());
    }
    let needs_postgres = arguments.contains(&"--postgres") || matches!(name, "copy" | "join");
    let postgres = needs_postgres.then(postgres::Postgres::start_durable).transpose()?;
    if let Some(postgres) = &postgres {
        postgres.tell_benchmark(&mut bench);
    }
    run(bench)
}

/// Our Python client beside the published one and bare httpx, against a server as people run it.
fn bench_python() -> anyhow::Result<()> {
    run(cargo(["build", "--release", "--package", "reflect"]))?;
    let mut bench = python::TESTS.ready()?;
    bench.arg("python/bench/calls.py").current_dir(root());
    bench.env("REFLECT_BIN", target().join("release/reflect")).env("PYTHONPATH", "tests/python");
    run(bench)
}
