//! Virtual environments for what is written in Python.

use std::{path::Path, process::Command};

use anyhow::Context;

use crate::shell::{root, run};

/// Makes the environment `target/NAME` with these requirements if need be, and hands out its Python. It is made anew whenever
/// the requirements change.
pub(crate) fn environment(requirements: &str, name: &str) -> anyhow::Result<Command> {
    let requirements = root().join(requirements);
    let wanted =
        std::fs::read_to_string(&requirements).with_context(|| format!("reading `{}`", requirements.display()))?;
    let folder = root().join("target").join(name);
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
