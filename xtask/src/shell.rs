//! Running other programs.

use std::{
    ffi::OsStr,
    io::Write,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Context;

/// The repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// Where cargo puts what it builds.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |folder| root().join(folder))
}

/// The folder of what these commands note for themselves.
pub(crate) fn notes() -> anyhow::Result<PathBuf> {
    let folder = target().join("xtask");
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Cargo, in the repository.
pub(crate) fn cargo<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    command
}

/// Runs a command in front of the person who asked for it.
pub(crate) fn run(mut command: Command) -> anyhow::Result<()> {
    forget_own_package(&mut command);
    let shown = shown(&command);
    say(&format!("$ {shown}"));
    let status = command.status().with_context(|| format!("starting `{shown}`"))?;
    anyhow::ensure!(status.success(), "`{shown}` ended with {status}");
    Ok(())
}

/// Takes out of a command's environment what cargo tells this program of its own package. Build scripts look at it, `ring`'s among them, and
/// everything above them would be built anew whenever cargo is called from here after it was called by hand.
fn forget_own_package(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let told =
            name.to_str().is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_"));
        if told {
            command.env_remove(name);
        }
    }
}

/// Whether a command runs and succeeds; what it prints is not shown.
pub(crate) fn works(mut command: Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

/// Prints a line.
pub(crate) fn say(line: &str) {
    // Nobody is left to tell when standard output is gone.
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// A command as one would type it in the repository.
fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.strip_prefix(root()).ok().or_else(|| program.file_name().map(Path::new)).unwrap_or(program);
    let arguments = command.get_args().map(|argument| {
        let path = Path::new(argument);
        path.strip_prefix(root()).unwrap_or(path).display().to_string()
    });
    std::iter::once(name.display().to_string()).chain(arguments).collect::<Vec<_>>().join(" ")
}
