//! Packages of Debian that a command needs.

use std::{path::Path, process::Command};

use anyhow::Context;

use crate::shell::run;

/// A package of Debian, and a file that it brings.
pub(crate) struct Package {
    pub(crate) name: &'static str,
    pub(crate) file: &'static str,
}

/// Installs packages that are not there. Only root can; others are told what to install.
pub(crate) fn have(packages: &[Package]) -> anyhow::Result<()> {
    let missing: Vec<&str> =
        packages.iter().filter(|package| !Path::new(package.file).exists()).map(|package| package.name).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let apt = |arguments: &[&str]| {
        let mut apt = Command::new("apt-get");
        apt.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
        run(apt)
    };
    apt(&["update", "--quiet"])
        .and_then(|()| apt(&[&["install", "--quiet", "--yes", "--no-install-recommends"], missing.as_slice()].concat()))
        .with_context(|| format!("install {}", missing.join(", ")))
}
