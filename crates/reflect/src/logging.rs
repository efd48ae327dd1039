//! The server's log.

use std::{fs::OpenOptions, io::IsTerminal, os::unix::fs::OpenOptionsExt, path::Path};

use anyhow::Context;
use tracing_subscriber::EnvFilter;

use crate::settings::Settings;

/// How large the file may be at a start: a larger one begins anew.
const LARGEST_FILE: u64 = 1 << 20;

/// What the implementation of the Model Context Protocol says below this repeats whatever clients send, however long, and as often as they do.
const UNLESS_NAMED: &str = "rmcp=error";

/// Starts to log to standard error.
pub(crate) fn start(settings: &Settings) -> anyhow::Result<()> {
    let is_named = ["rmcp", "off"].iter().any(|name| settings.log.contains(name));
    let log = if is_named { settings.log.clone() } else { format!("{},{UNLESS_NAMED}", settings.log) };
    let filter = EnvFilter::try_new(&log).with_context(|| {
        format!("`log` is `{}`, it must be a level such as `info`, or levels by module", settings.log)
    })?;
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    if settings.log_as_json {
        builder.json().init()
    } else {
        builder.init()
    }
    Ok(())
}

/// Lets standard error be `server.log` in a folder that we own. Whoever has started a server that others use as well may be gone, and
/// the end of their pipe with them.
pub(crate) fn continue_in_file(folder: &Path) -> anyhow::Result<()> {
    let path = folder.join("server.log");
    let open = || {
        let file = OpenOptions::new().append(true).create(true).mode(0o600).open(&path)?;
        if file.metadata()?.len() > LARGEST_FILE {
            file.set_len(0)?;
        }
        rustix::stdio::dup2_stderr(&file)?;
        std::io::Result::Ok(())
    };
    open().with_context(|| format!("opening `{}`", path.display()))
}
