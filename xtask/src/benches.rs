//! The benchmarks, which nothing else builds: that they compile, are clean and pass their own tests.

use crate::shell::{cargo, run};

const PACKAGE: &str = "--package=reflect-bench";

pub(crate) fn check() -> anyhow::Result<()> {
    run(cargo(["clippy", PACKAGE, "--all-targets", "--quiet", "--", "--deny", "warnings"]))?;
    run(cargo(["test", PACKAGE, "--quiet"]))
}
