//! What packages bring along of the command line: completions for shells, and pages for `man`.

use std::path::Path;

use anyhow::Context;
use clap_complete::Shell;

use crate::{command_line::command, print};

/// Prints the completions for a shell.
pub(crate) fn print_completions(shell: Shell) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(), "reflect", &mut script);
    print(&String::from_utf8(script)?)
}

/// Writes a page for every command into a folder.
pub(crate) fn write_man_pages(folder: &Path) -> anyhow::Result<()> {
    clap_mangen::generate_to(command(), folder).with_context(|| format!("writing into `{}`", folder.display()))
}
