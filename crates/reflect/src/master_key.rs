//! The master key: the operator's, or one that is made on the first start and kept beside the data.

use std::{
    fs::OpenOptions,
    io::{IsTerminal, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use anyhow::Context;
use reflect_engine::{MasterKey, SystemEntropy};

use crate::{say, settings::Settings};

fn path(data: &Path) -> PathBuf {
    data.join("master.key")
}

/// The master key of a data folder, if it is known.
pub(crate) fn find(settings: &Settings) -> anyhow::Result<Option<String>> {
    if let Some(secret) = &settings.master_key {
        return Ok(Some(secret.0.clone()));
    }
    let path = path(&settings.data);
    match std::fs::read_to_string(&path) {
        Ok(text) if text.trim().is_empty() => {
            anyhow::bail!("`{}` is empty; delete it to have a new key made", path.display())
        }
        Ok(text) => Ok(Some(text.trim().to_owned())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("reading `{}`", path.display())),
    }
}

/// The master key of a folder that we own.
pub(crate) struct OwnedKey {
    pub(crate) text: String,
    /// Where it is kept, if it was made just now.
    pub(crate) made_at: Option<PathBuf>,
}

/// The master key of a folder that we own; the first time it is made and kept there, readable by the owner alone.
pub(crate) fn find_or_make(settings: &Settings) -> anyhow::Result<OwnedKey> {
    if let Some(text) = find(settings)? {
        return Ok(OwnedKey { text, made_at: None });
    }
    let text = MasterKey::generate(&SystemEntropy);
    let path = path(&settings.data);
    keep(&path, &text).with_context(|| format!("writing `{}`", path.display()))?;
    Ok(OwnedKey { text, made_at: Some(path) })
}

/// Says that a key was made. On a terminal it is printed, once; elsewhere only the place is.
pub(crate) fn show(key: &OwnedKey) -> anyhow::Result<()> {
    let Some(path) = &key.made_at else { return Ok(()) };
    if std::io::stdout().is_terminal() {
        say(format_args!("master key: {} (shown once, kept in {})", key.text, path.display()))
    } else {
        say(format_args!("master key: kept in {}", path.display()))
    }
}

/// Written under another name and then moved, so that a kill in the middle leaves no half of a key.
fn keep(path: &Path, key: &str) -> std::io::Result<()> {
    let unfinished = path.with_extension("key.unfinished");
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&unfinished)?;
    writeln!(file, "{key}")?;
    file.sync_all()?;
    std::fs::rename(&unfinished, path)
}
