//! Files that get their names once they are whole.

use std::{
    ffi::OsString,
    fs::File,
    path::{Path, PathBuf},
};

use anyhow::{Context, ensure};

/// A file in the making, beside where it will stand. It is thrown away unless it is finished; one that a killed process left is in nobody's
/// way.
pub(crate) struct Partial {
    path: PathBuf,
    to: PathBuf,
}

impl Partial {
    /// Chooses the path of the file in the making. Refuses to overwrite anything.
    pub(crate) fn begin(to: &Path) -> anyhow::Result<Self> {
        ensure!(!to.exists(), "`{}` is there already: move it away, or choose another place", to.display());
        let mut name =
            to.file_name().map(OsString::from).with_context(|| format!("`{}` names no file", to.display()))?;
        name.push(".partial");
        let partial = Self { path: to.with_file_name(name), to: to.to_owned() };
        partial.remove();
        Ok(partial)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the file, which must be on disk, its name.
    pub(crate) fn finish(self) -> anyhow::Result<()> {
        let folder = self.to.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::rename(&self.path, &self.to)
            .and_then(|()| File::open(folder)?.sync_all())
            .with_context(|| format!("naming `{}`", self.to.display()))
    }

    fn remove(&self) {
        // In most cases there is none.
        let _ = std::fs::remove_file(&self.path);
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        self.remove();
    }
}
