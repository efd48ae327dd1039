//! The master key: the operator's, or the one that is kept beside the data.

use std::{io::IsTerminal, path::PathBuf};

use reflect_engine::MasterKey;
use reflect_system::SystemEntropy;

use crate::{say, settings::Settings};

/// The master key of a data folder, if it is known.
pub(crate) fn find(settings: &Settings) -> anyhow::Result<Option<String>> {
    match &settings.master_key {
        Some(secret) => Ok(Some(secret.expose().to_owned())),
        None if settings.database_url.is_some() => Ok(None),
        None => Ok(MasterKey::find(&settings.data)?),
    }
}

/// The master key of a folder that we own.
pub(crate) struct OwnedKey {
    pub(crate) text: String,
    /// Where it is kept, if it was made just now.
    pub(crate) made_at: Option<PathBuf>,
}

/// The operator's master key, or that of the folder, which is made the first time.
pub(crate) fn find_or_make(settings: &Settings) -> anyhow::Result<OwnedKey> {
    if let Some(secret) = &settings.master_key {
        return Ok(OwnedKey { text: secret.expose().to_owned(), made_at: None });
    }
    let (text, made_at) = MasterKey::find_or_make(&settings.data, &SystemEntropy)?;
    Ok(OwnedKey { text, made_at })
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
