//! The master key of a data folder: kept beside the data, made on the first start.

use std::{
    fs::OpenOptions,
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use reflect_core::Entropy;

use super::MasterKey;

impl MasterKey {
    /// The text of the master key that is kept in a data folder, if one is.
    pub fn find(folder: &Path) -> io::Result<Option<String>> {
        let path = path_in(folder);
        match std::fs::read_to_string(&path) {
            Ok(text) if text.trim().is_empty() => {
                let problem = format!("`{}` is empty; delete it to have a new key made", path.display());
                Err(io::Error::new(io::ErrorKind::InvalidData, problem))
            }
            Ok(text) => Ok(Some(text.trim().to_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(io::Error::new(error.kind(), format!("reading `{}`: {error}", path.display()))),
        }
    }

    /// The text of the master key of a folder that we own, and where it is kept if it was made just now: readable by the owner
    /// alone.
    pub fn find_or_make(folder: &Path, entropy: &dyn Entropy) -> io::Result<(String, Option<PathBuf>)> {
        if let Some(text) = Self::find(folder)? {
            return Ok((text, None));
        }
        let (text, path) = (Self::generate(entropy), path_in(folder));
        keep(&path, &text)
            .map_err(|error| io::Error::new(error.kind(), format!("writing `{}`: {error}", path.display())))?;
        Ok((text, Some(path)))
    }
}

fn path_in(folder: &Path) -> PathBuf {
    folder.join("master.key")
}

/// Written under another name and then moved, so that a kill in the middle leaves no half of a key.
fn keep(path: &Path, key: &str) -> io::Result<()> {
    let unfinished = path.with_extension("key.unfinished");
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&unfinished)?;
    writeln!(file, "{key}")?;
    file.sync_all()?;
    std::fs::rename(&unfinished, path)
}
