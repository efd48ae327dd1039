//! `cargo xtask dist`: the archive that is released, and checks of what is packaged.

use std::{
    env::consts::{ARCH, OS},
    fs,
    path::Path,
    process::Command,
};

use anyhow::Context;

use crate::{
    build_release, check_size,
    python::PACKAGING,
    shell::{root, run, say, target, works},
    stages::build_for_suites,
};

/// What stands in the archive beside the binary: where it comes from, and where it goes.
const FILES: &[(&str, &str)] = &[
    ("README.md", "README.md"),
    ("CHANGELOG.md", "CHANGELOG.md"),
    ("LICENSE-APACHE", "LICENSE-APACHE"),
    ("LICENSE-MIT", "LICENSE-MIT"),
    ("docs/operations.md", "docs/operations.md"),
    ("docs/scale.md", "docs/scale.md"),
    ("docs/settings.md", "docs/settings.md"),
    ("docs/upgrading.md", "docs/upgrading.md"),
    ("docs/reflect.toml", "reflect.toml"),
    ("packaging/reflect.service", "reflect.service"),
];

/// Each shell with the name under which it looks for its completions.
const COMPLETIONS: &[(&str, &str)] = &[("bash", "reflect"), ("fish", "reflect.fish"), ("zsh", "_reflect")];

/// Builds the server as people run it, and packs it with what belongs to it into `target/dist`.
pub(crate) fn build() -> anyhow::Result<()> {
    build_release()?;
    check_size()?;
    let archive = pack(&target().join("release/reflect"))?;
    say(&format!("{} is made", archive.display()));
    Ok(())
}

fn pack(binary: &Path) -> anyhow::Result<std::path::PathBuf> {
    let name = format!("reflect-{}-{ARCH}-{OS}", env!("CARGO_PKG_VERSION"));
    let (dist, folder) = (target().join("dist"), target().join("dist").join(&name));
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    for inner in ["docs", "completions", "man/man1"] {
        fs::create_dir_all(folder.join(inner))?;
    }
    fs::copy(binary, folder.join("reflect")).with_context(|| format!("copying `{}`", binary.display()))?;
    for (from, to) in FILES {
        fs::copy(root().join(from), folder.join(to)).with_context(|| format!("copying `{from}`"))?;
    }
    for (shell, file) in COMPLETIONS {
        let printed = Command::new(binary).args(["completions", shell]).output()?;
        anyhow::ensure!(printed.status.success(), "`reflect completions {shell}` failed");
        fs::write(folder.join("completions").join(file), printed.stdout)?;
    }
    let mut man = Command::new(binary);
    man.arg("man").arg(folder.join("man/man1"));
    run(man)?;
    let archive = dist.join(format!("{name}.tar.gz"));
    // The same files make the same archive, whenever and by whomever.
    let mut tar = Command::new("tar");
    tar.args([
        "--sort=name",
        "--owner=0",
        "--group=0",
        "--numeric-owner",
        "--mtime=@0",
        "--use-compress-program=gzip -9n",
    ]);
    tar.arg("--directory").arg(&dist).arg("--create").arg("--file").arg(&archive).arg(&name);
    run(tar)?;
    let sum = Command::new("sha256sum").arg(format!("{name}.tar.gz")).current_dir(&dist).output()?;
    anyhow::ensure!(sum.status.success(), "`sha256sum` failed");
    fs::write(dist.join("SHA256SUMS"), sum.stdout)?;
    Ok(archive)
}

/// Looks at the files of containers and of systemd, which cannot all be run here, and packs the binary that the tests use.
pub(crate) fn check() -> anyhow::Result<()> {
    let lint = |program: &str, arguments: &[&str]| {
        let python = PACKAGING.ready()?;
        let mut lint = Command::new(Path::new(python.get_program()).with_file_name(program));
        lint.args(arguments).current_dir(root());
        run(lint)
    };
    lint("hadolint", &["packaging/Dockerfile"])?;
    let compose = ["packaging/compose.yaml", "packaging/compose-postgres.yaml"];
    lint("check-jsonschema", &[&["--builtin-schema", "vendor.compose-spec"], &compose[..]].concat())?;
    if works(systemd_analyze(&["--version"])) {
        // In tenths: 100 is a service that can reach everything.
        let arguments = ["security", "--offline=true", "--threshold=20", "packaging/reflect.service"];
        anyhow::ensure!(
            works(systemd_analyze(&arguments)),
            "the service can reach too much: see `systemd-analyze {}`",
            arguments.join(" ")
        );
    }
    build_for_suites()?;
    let archive = pack(&target().join("debug/reflect"))?;
    let listed = Command::new("tar").arg("--list").arg("--file").arg(&archive).output()?;
    let listed = String::from_utf8(listed.stdout)?;
    for file in [
        "/reflect\n",
        "/reflect.service\n",
        "/reflect.toml\n",
        "/completions/_reflect\n",
        "/man/man1/reflect-serve.1\n",
    ] {
        anyhow::ensure!(listed.contains(file), "the archive lacks `{}`", file.trim());
    }
    Ok(())
}

fn systemd_analyze(arguments: &[&str]) -> Command {
    let mut command = Command::new("systemd-analyze");
    command.args(arguments).current_dir(root());
    command
}
