//! `cargo xtask package`: the libraries as a registry would get them, built from nothing but the packaged files.
//!
//! `cargo package` by itself builds one package after the other, each with the features of that one alone, so that what they stand on is
//! compiled several times over. Here all are unpacked side by side into a workspace of their own, which is checked once, in the
//! target folder of everything else.

use std::{fs, path::Path, process::Command};

use anyhow::Context;

use crate::shell::{cargo, root, run, target};

/// The libraries that others can use.
pub(crate) const LIBRARIES: [&str; 4] = ["reflection", "reflexion", "reflect-llm", "reflect-client"];

/// What they stand on.
pub(crate) const INTERNAL: [&str; 10] = [
    "reflect-api",
    "reflect-core",
    "reflect-embed",
    "reflect-engine",
    "reflect-http",
    "reflect-index",
    "reflect-macros",
    "reflect-service",
    "reflect-store",
    "reflect-system",
];

/// Packages the libraries and what they stand on, and checks that the packages build.
pub(crate) fn build() -> anyhow::Result<()> {
    let names = || LIBRARIES.into_iter().chain(INTERNAL);
    let mut package = cargo(["package", "--no-verify", "--allow-dirty", "--quiet"]);
    names().for_each(|name| {
        package.args(["--package", name]);
    });
    run(package)?;
    let packages = target().join("package");
    let unpacked = packages.join("unpacked");
    if unpacked.exists() {
        fs::remove_dir_all(&unpacked)?;
    }
    fs::create_dir_all(&unpacked)?;
    for name in names() {
        let mut tar = Command::new("tar");
        // With the time of now: packages carry one of long ago, by which cargo would take what it built of earlier ones.
        tar.arg("-xzmf").arg(packages.join(format!("{}.crate", folder(name)))).arg("-C").arg(&unpacked);
        let status = tar.status().context("starting `tar`")?;
        anyhow::ensure!(status.success(), "the package of `{name}` could not be unpacked");
        check_files(name, &unpacked.join(folder(name)))?;
    }
    fs::write(unpacked.join("Cargo.toml"), manifest(names())?)?;
    fs::copy(root().join("Cargo.lock"), unpacked.join("Cargo.lock"))?;
    let mut check = cargo(["check", "--workspace", "--quiet"]);
    check.current_dir(&unpacked).env("CARGO_TARGET_DIR", target());
    run(check)
}

/// The folder of a package's files.
fn folder(name: &str) -> String {
    format!("{name}-{}", env!("CARGO_PKG_VERSION"))
}

/// What a registry shows of a library has to be there.
fn check_files(name: &str, folder: &Path) -> anyhow::Result<()> {
    if !LIBRARIES.contains(&name) {
        return Ok(());
    }
    let manifest = fs::read_to_string(folder.join("Cargo.toml"))?;
    for key in ["description", "license", "keywords", "categories", "readme"] {
        anyhow::ensure!(manifest.contains(&format!("\n{key} = ")), "the package of `{name}` has no `{key}`");
    }
    anyhow::ensure!(folder.join("README.md").exists(), "the package of `{name}` has no README.md");
    Ok(())
}

/// A workspace of the unpacked packages in which they find each other, with the profiles of ours, so that dependencies are shared.
fn manifest<'a>(names: impl Iterator<Item = &'a str> + Clone) -> anyhow::Result<String> {
    let ours = fs::read_to_string(root().join("Cargo.toml"))?;
    let profiles = ours.split_once("[profile.dev]").and_then(|(_, rest)| rest.split_once("[profile.release]"));
    let (profiles, _) = profiles.context("Cargo.toml has no `[profile.dev]` before `[profile.release]`")?;
    let members: Vec<String> = names.clone().map(|name| format!("\"{}\"", folder(name))).collect();
    let patches: Vec<String> = names.map(|name| format!("{name} = {{ path = \"{}\" }}\n", folder(name))).collect();
    let (members, patches) = (members.join(", "), patches.concat());
    Ok(format!(
        "[workspace]\nresolver = \"3\"\nmembers = [{members}]\n\n[patch.crates-io]\n{patches}\n[profile.dev]{profiles}"
    ))
}
