//! Benchmarks, each beside what people use today, in one run.
//!
//! `cargo xtask bench NAME` builds everything in release mode and runs one of these. They print ratios next to times, since
//! machines differ and ratios less so. Nothing here is a test: no time is asserted.

mod bare_loop;
mod builds;
mod client;
mod diversity;
mod embed;
mod filled_database;
mod ingest;
mod kernels;
mod learning;
mod lessons;
mod load;
mod memory;
mod parse;
mod postgres;
mod quality;
mod query;
mod reflexion;
mod retrieval;
mod server;
mod soak;

fn main() -> anyhow::Result<()> {
    choose_kernel()?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["ingest", "--postgres", options @ ..] => postgres::ingest(options),
        ["ingest", options @ ..] => ingest::run(options),
        ["builds", binaries @ ..] if !binaries.is_empty() => builds::run(binaries),
        ["client"] => client::run(),
        ["copy"] => postgres::copy(),
        ["diversity"] => diversity::run(),
        ["embed"] => embed::run(),
        ["embed", "--kernels"] => kernels::run(),
        ["cold-start"] => embed::print_cold_start(),
        ["join"] => postgres::join(),
        ["learning", options @ ..] => learning::run(options),
        ["lessons", options @ ..] => lessons::run(options),
        ["limits", options @ ..] => soak::limits::run(options),
        ["memory", options @ ..] => memory::run(options),
        ["parse", options @ ..] => parse::run(options),
        ["quality"] => quality::run(),
        ["query", "--postgres"] => postgres::query(),
        ["query"] => query::run(None),
        ["query", "--beside", binary] => query::run(Some(binary)),
        ["reflexion", options @ ..] => reflexion::run(options),
        ["retrieval", "--postgres", options @ ..] => postgres::retrieval(options),
        ["retrieval", options @ ..] => retrieval::run(options),
        ["soak", options @ ..] => soak::run(options),
        _ => anyhow::bail!(
            "usage: reflect-bench ingest [--postgres] [--seconds N] [--rounds N] [--connections N]\n       \
             reflect-bench reflexion [--tasks N]\n       \
             reflect-bench retrieval [--postgres] [--sizes N,N] [--rounds N]\n       \
             reflect-bench learning [variants | lift | what-if] [--seeds N] [--worlds N] …\n       \
             reflect-bench lessons [lift [--runs N] …] [--arms …] [--seeds N] [--held-back] …\n       \
             reflect-bench limits [--seconds N]\n       \
             reflect-bench memory [--memories N]\n       \
             reflect-bench soak [--minutes N]\n       \
             reflect-bench embed [--kernels]\n       \
             reflect-bench client | cold-start | copy | diversity | join | parse | quality\n       \
             reflect-bench query [--postgres | --beside BINARY]\n       \
             reflect-bench builds BINARY…"
        ),
    }
}

/// What runs in this process computes with the kernel that the server's own setting names.
fn choose_kernel() -> anyhow::Result<()> {
    use reflect_core::Kernel;
    let Ok(name) = std::env::var("REFLECT_KERNEL") else { return Ok(()) };
    let named = name == "auto" || Kernel::available().any(|kernel| kernel.name() == name && kernel.choose());
    anyhow::ensure!(named, "`REFLECT_KERNEL` is `{name}`, which this machine does not have");
    Ok(())
}

/// The Python that xtask made ready for this benchmark.
fn python() -> anyhow::Result<std::process::Command> {
    use anyhow::Context;
    let python = std::env::var_os("REFLECT_BENCH_PYTHON").context("run it with `cargo xtask bench`")?;
    Ok(std::process::Command::new(python))
}

/// Prints a line of a report.
fn say(line: std::fmt::Arguments<'_>) {
    use std::io::Write;
    let _ = writeln!(std::io::stdout(), "{line}");
}
