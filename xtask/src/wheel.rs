//! The wheel of our Python package, which carries the server.

use std::{path::PathBuf, process::Command};

use anyhow::Context;

use crate::{
    check_size, console,
    python::WHEEL,
    shell::{root, run, say, target},
};

/// Builds the wheel in release mode. Its tag says which systems it runs on: maturin looks at what the binary asks of the C library.
pub(crate) fn build() -> anyhow::Result<PathBuf> {
    console::build_if_possible()?;
    let wheel = build_with("release", "wheels")?;
    check_size()?;
    say(&format!("pip install {}", wheel.strip_prefix(root()).unwrap_or(&wheel).display()));
    Ok(wheel)
}

/// Builds the wheel around the binary that the tests use.
pub(crate) fn build_for_tests() -> anyhow::Result<PathBuf> {
    build_with("dev", "test-wheels")
}

fn build_with(profile: &str, folder: &str) -> anyhow::Result<PathBuf> {
    let folder = target().join(folder);
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    let mut maturin = WHEEL.ready()?;
    maturin.args(["-m", "maturin", "build", "--quiet", "--profile", profile, "--out"]).arg(&folder);
    maturin.current_dir(root().join("python"));
    run(maturin)?;
    Ok(std::fs::read_dir(&folder)?.next().context("maturin has built no wheel")??.path())
}

/// Builds the wheel, and times the way from its installation to a lesson.
pub(crate) fn time_first_lesson() -> anyhow::Result<()> {
    let mut script = Command::new("python3");
    script.arg(root().join("python/bench/first_lesson.py")).arg(build()?);
    run(script)
}
