//! A virtual environment for the tests that are written in Python.

use std::{path::Path, process::Command};

use anyhow::Context;

use crate::shell::{root, run};

/// Makes the environment if need be, and hands out its Python. It is made anew whenever the requirements change.
pub(crate) fn environment() -> anyhow::Result<Command> {
    let requirements = root().join("tests/python/requirements.txt");
    let wanted = std::fs::read_to_string(&requirements).context("reading the requirements of the Python tests")?;
    let folder = root().join("target/python");
    let installed = folder.join("installed.txt");
    if std::fs::read_to_string(&installed).ok().as_ref() != Some(&wanted) {
        make(&folder, &requirements)?;
        std::fs::write(&installed, wanted)?;
    }
    Ok(Command::new(folder.join("bin/python")))
}

fn make(folder: &Path, requirements: &Path) -> anyhow::Result<()> {
    let mut venv = Command::new("python3");
    venv.args(["-m", "venv", "--clear"]).arg(folder);
    run(venv)?;
    let mut install = Command::new(folder.join("bin/python"));
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"]).arg(requirements);
    run(install)
}
