//! The master key of a data folder: kept beside the data, made on the first start.

use std::{
    fs::OpenOptions,
    io::{self, Write},
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

use reflect_core::Entropy;

use super::MasterKey;

impl MasterKey {
    /// The shortest text of a master key, in visible ASCII characters.
    pub const SHORTEST: usize = 16;

    /// The text of the master key that is kept in a data folder, if one is. One that can be guessed is refused, and so is one that
    /// others may have written.
    pub fn find(folder: &Path) -> io::Result<Option<String>> {
        let path = path_in(folder);
        let refused =
            |problem: &str| Err(io::Error::new(io::ErrorKind::InvalidData, format!("`{}` {problem}", path.display())));
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(io::Error::new(error.kind(), format!("reading `{}`: {error}", path.display()))),
        };
        let mode = std::fs::metadata(&path)?.permissions().mode() & 0o777;
        if mode & 0o022 != 0 {
            return refused(&format!(
                "has mode {mode:04o}, so that others may have written it: look whether it is yours, then `chmod 600` it"
            ));
        }
        match text.trim() {
            "" => refused("is empty; delete it to have a new key made"),
            key if key.len() < Self::SHORTEST || !key.bytes().all(|byte| byte.is_ascii_graphic()) => refused(
                "holds no master key: it must be at least 16 visible ASCII characters without spaces; delete it to have one made",
            ),
            key => Ok(Some(key.to_owned())),
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
    folder.join(reflect_store::MASTER_KEY_FILE)
}

/// Written under another name and then moved, so that a kill in the middle leaves no half of a key.
fn keep(path: &Path, key: &str) -> io::Result<()> {
    let unfinished = path.with_extension("key.unfinished");
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&unfinished)?;
    writeln!(file, "{key}")?;
    file.sync_all()?;
    std::fs::rename(&unfinished, path)
}
