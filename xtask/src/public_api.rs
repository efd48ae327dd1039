//! `cargo xtask public-api`: what the libraries offer, and whether everything that they show can be named.

use std::{fs, os::unix::fs::PermissionsExt, process::Command};

use crate::{
    package::{INTERNAL, LIBRARIES},
    shell::{cargo, root, run, target},
};

/// Prints every public name of the libraries, and refuses those that show what nobody can name.
pub(crate) fn list() -> anyhow::Result<()> {
    describe()?;
    run(reader())
}

/// Refuses libraries that show what nobody can name.
pub(crate) fn check() -> anyhow::Result<()> {
    describe()?;
    let read = reader().output()?;
    anyhow::ensure!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    Ok(())
}

/// Has rustdoc describe the libraries in JSON.
fn describe() -> anyhow::Result<()> {
    // JSON is not stable yet, so rustdoc has to be told that it may. Only rustdoc: whatever is compiled stays as it is.
    let rustdoc = target().join("rustdoc-json");
    fs::create_dir_all(target())?;
    fs::write(&rustdoc, "#!/bin/sh\nRUSTC_BOOTSTRAP=1 exec rustdoc \"$@\"\n")?;
    fs::set_permissions(&rustdoc, fs::Permissions::from_mode(0o755))?;
    // Of all crates, so that nothing is built a second time with fewer features.
    let mut doc = cargo(["doc", "--no-deps", "--quiet"]);
    doc.env("RUSTDOC", &rustdoc).env("RUSTDOCFLAGS", "-Z unstable-options --output-format json");
    run(doc)
}

fn reader() -> Command {
    let mut python = Command::new("python3");
    python.arg(root().join("tools/public_api.py")).arg(target().join("doc"));
    python.args(LIBRARIES).arg("--").args(INTERNAL);
    python
}
