//! The wheel of our Python package, which carries the server.

use std::{path::PathBuf, process::Command};

use anyhow::Context;

use crate::{
    build_release, check_size,
    python::{SDK, WHEEL},
    shell::{root, run, say, target},
    stages::pytest,
};

/// Builds the wheel in release mode. Its tag says which systems it runs on: maturin looks at what the binary asks of the C library.
pub(crate) fn build() -> anyhow::Result<PathBuf> {
    build_release()?;
    check_size()?;
    let folder = target().join("wheels");
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    let mut maturin = WHEEL.ready()?;
    maturin.args(["-m", "maturin", "build", "--quiet", "--release", "--out"]).arg(&folder);
    maturin.current_dir(root().join("python"));
    run(maturin)?;
    let wheel = std::fs::read_dir(&folder)?.next().context("maturin has built no wheel")??.path();
    say(&format!("pip install {}", wheel.strip_prefix(root()).unwrap_or(&wheel).display()));
    Ok(wheel)
}

/// What decides how the wheel is put together.
pub(crate) const GUARDED: &[&str] =
    &["python/pyproject.toml", "python/requirements-wheel.txt", "python/tests/test_wheel.py", "xtask/src/wheel.rs"];

/// Builds the wheel, and tries it in an environment of its own.
pub(crate) fn test() -> anyhow::Result<()> {
    let wheel = build()?;
    let mut tests =
        pytest(SDK, &["--config-file", "python/pyproject.toml", "--rootdir", "python", "python/tests/test_wheel.py"])?;
    tests.env("REFLECT_WHEEL", wheel).env("REFLECT_BIN", target().join("release/reflect"));
    run(tests)
}

/// Builds the wheel, and times the way from its installation to a lesson.
pub(crate) fn time_first_lesson() -> anyhow::Result<()> {
    let mut script = Command::new("python3");
    script.arg(root().join("python/bench/first_lesson.py")).arg(build()?);
    run(script)
}
