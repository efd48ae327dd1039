//! The console in the browser: built by Node, put where the server's crate takes it from.

use std::{path::PathBuf, process::Command};

use crate::{
    debian::{self, Package},
    shell::{root, run, say, target, works},
    stages::build_for_suites,
};

/// Installs what the console is built with, and builds it into the folder that goes into the binary.
pub(crate) fn build() -> anyhow::Result<()> {
    anyhow::ensure!(has_node(), "the console is built with Node.js 20 or newer, which is not there");
    install()?;
    run(npm(&["run", "--silent", "build"]))?;
    run(node(&["tools/pack.mjs"]))
}

/// The same where Node is there. A binary can be built without; it says so on its first page.
pub(crate) fn build_if_possible() -> anyhow::Result<()> {
    if has_node() {
        return build();
    }
    say("Node.js 20 is not there: the server is built without its console");
    Ok(())
}

/// Style and types of the console.
pub(crate) fn check() -> anyhow::Result<()> {
    install()?;
    run(npm(&["run", "--silent", "check"]))
}

/// Its tests in a real browser, against the server of the test build.
pub(crate) fn test() -> anyhow::Result<()> {
    debian::have(&[CHROMIUM])?;
    run(with_server(node(&["node_modules/@playwright/test/cli.js", "test"]), "debug"))
}

/// Fills a project of a running server.
pub(crate) fn seed(arguments: &[&str]) -> anyhow::Result<()> {
    run(node(&[&["tools/seed.mjs"], arguments].concat()))
}

/// Pictures of every page, of a project that looks like a real one.
pub(crate) fn screenshots(arguments: &[&str]) -> anyhow::Result<()> {
    build()?;
    debian::have(&[CHROMIUM, CLOCK, SANS, MONO])?;
    build_for_suites()?;
    run(with_server(node(&[&["tools/screenshots.mjs"], arguments].concat()), "debug"))
}

/// How soon each page is there, and how smoothly long ones scroll, with the server of the release build.
pub(crate) fn measure(arguments: &[&str]) -> anyhow::Result<()> {
    debian::have(&[CHROMIUM])?;
    run(with_server(node(&[&["tools/measure.mjs"], arguments].concat()), "release"))
}

pub(crate) const CHROMIUM: Package = Package { name: "chromium", file: "/usr/bin/chromium" };
/// Sets a server's clock back, so that what is seeded has happened over a month.
const CLOCK: Package = Package { name: "libfaketime", file: "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1" };
const SANS: Package = Package { name: "fonts-inter", file: "/usr/share/doc/fonts-inter" };
const MONO: Package = Package { name: "fonts-jetbrains-mono", file: "/usr/share/doc/fonts-jetbrains-mono" };

/// Tells a script which server to start.
fn with_server(mut script: Command, profile: &str) -> Command {
    script.env("REFLECT_BIN", target().join(profile).join("reflect"));
    script
}

/// A script in the console's folder.
fn node(arguments: &[&str]) -> Command {
    let mut node = Command::new("node");
    node.args(arguments).current_dir(folder());
    node
}

fn npm(arguments: &[&str]) -> Command {
    let mut npm = Command::new("npm");
    npm.args(arguments).current_dir(folder());
    npm
}

fn folder() -> PathBuf {
    root().join("console")
}

fn has_node() -> bool {
    works(node(&["--eval", "process.exit(Number(process.versions.node.split('.')[0]) >= 20 ? 0 : 1)"]))
        && works(npm(&["--version"]))
}

/// Installs the packages of the lock file, anew whenever it changes.
///
/// Not by `npm ci`, which refuses a lock file that lacks optional packages of other systems, and some registries do not have those.
fn install() -> anyhow::Result<()> {
    let wanted = std::fs::read_to_string(folder().join("package-lock.json"))?;
    let installed = folder().join("node_modules/installed.txt");
    if std::fs::read_to_string(&installed).ok().as_ref() != Some(&wanted) {
        run(npm(&["install", "--no-save", "--no-audit", "--no-fund", "--loglevel", "error"]))?;
        std::fs::write(installed, wanted)?;
    }
    Ok(())
}
