//! Virtual environments for what is written in Python.

use std::{path::Path, process::Command};

use anyhow::Context;

use crate::shell::{root, run};

/// A virtual environment.
#[derive(Clone, Copy)]
pub(crate) struct Environment {
    /// Where it is, below `target/`.
    folder: &'static str,
    requirements: &'static str,
    /// Whether the requirements name all there is to install: a package may ask for more than is used of it.
    complete: bool,
}

/// What the suites in `tests/python` need.
pub(crate) const TESTS: Environment =
    Environment { folder: "python", requirements: "tests/python/requirements.txt", complete: false };

/// The original of our embedding model, and what it is run with.
pub(crate) const EMBEDDER: Environment =
    Environment { folder: "python-embedder", requirements: "tools/embedder/requirements.txt", complete: true };

/// What the index is measured beside.
pub(crate) const RETRIEVAL: Environment = Environment {
    folder: "python-retrieval",
    requirements: "benches/python/retrieval_requirements.txt",
    complete: false,
};

impl Environment {
    /// Its Python. The environment is made if need be, and anew whenever the requirements change.
    pub(crate) fn ready(self) -> anyhow::Result<Command> {
        let requirements = root().join(self.requirements);
        let wanted =
            std::fs::read_to_string(&requirements).with_context(|| format!("reading `{}`", requirements.display()))?;
        let folder = root().join("target").join(self.folder);
        let installed = folder.join("installed.txt");
        if std::fs::read_to_string(&installed).ok().as_ref() != Some(&wanted) {
            self.make(&folder, &requirements)?;
            std::fs::write(&installed, wanted)?;
        }
        Ok(Command::new(folder.join("bin/python")))
    }

    fn make(self, folder: &Path, requirements: &Path) -> anyhow::Result<()> {
        let mut venv = Command::new("python3");
        venv.args(["-m", "venv", "--clear"]).arg(folder);
        run(venv)?;
        let mut install = Command::new(folder.join("bin/python"));
        install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"]);
        install.arg(requirements).args(self.complete.then_some("--no-deps"));
        run(install)
    }
}
