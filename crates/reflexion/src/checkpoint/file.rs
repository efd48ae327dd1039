//! A checkpoint in a file.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use async_trait::async_trait;

use super::{Checkpoint, CheckpointSink};
use crate::BoxError;

/// Keeps the newest checkpoint of one run in a file. Whoever reads the file finds a whole checkpoint, the old or the new one, even
/// after a power cut: the new one is written beside it, brought to the disk, and put in its place. Runs that go on at the same time need
/// a file each.
///
/// ```
/// use reflexion::CheckpointFile;
///
/// # fn main() -> Result<(), reflexion::BoxError> {
/// # let folder = tempfile::tempdir()?;
/// let file = CheckpointFile::new(folder.path().join("run.json"));
/// assert!(file.load()?.is_none(), "nothing to resume yet");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointFile {
    path: PathBuf,
}

impl CheckpointFile {
    /// At this path; its folder must be there.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// The newest checkpoint; none when no trial was over yet.
    pub fn load(&self) -> Result<Option<Checkpoint>, BoxError> {
        match fs::read_to_string(&self.path) {
            Ok(text) => Ok(Some(Checkpoint::from_json(&text)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

#[async_trait]
impl CheckpointSink for CheckpointFile {
    async fn save(&self, checkpoint: &Checkpoint) -> Result<(), BoxError> {
        let json = checkpoint.to_json()?;
        let path = self.path.clone();
        Ok(tokio::task::spawn_blocking(move || replace(&path, json.as_bytes())).await??)
    }
}

fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let mut file = File::create(&beside)?;
    file.write_all(content)?;
    file.sync_all()?;
    fs::rename(&beside, path)?;
    // The new name is on the disk only when its folder is.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}
