//! Benchmarks, each beside what people use today, in one run.
//!
//! `cargo xtask bench NAME` builds everything in release mode and runs one of these. They print ratios next to times, since
//! machines differ and ratios less so. Nothing here is a test: no time is asserted.

mod bare_loop;
mod ingest;
mod load;
mod parse;
mod server;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["ingest", options @ ..] => ingest::run(options),
        ["parse", options @ ..] => parse::run(options),
        _ => anyhow::bail!("usage: reflect-bench ingest [--seconds N] [--rounds N] [--connections N] | parse"),
    }
}

/// Prints a line of a report.
fn say(line: std::fmt::Arguments<'_>) {
    use std::io::Write;
    let _ = writeln!(std::io::stdout(), "{line}");
}
