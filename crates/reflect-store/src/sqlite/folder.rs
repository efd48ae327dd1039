//! The data folder and its one owner.

use std::{
    fs::{File, TryLockError},
    io::{Read, Seek, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::permissions::{self, MASTER_KEY_FILE};
use crate::error::{StoreError, StoreResult};

/// Who has a data folder open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// The process.
    pub pid: u32,
    /// Where it listens, once it does.
    pub url: Option<String>,
}

/// What opening a folder found.
#[derive(Debug)]
pub enum Ownership {
    /// The folder is ours until the value is dropped.
    Ours(DataFolder),
    /// Another process has it.
    Theirs(Owner),
}

/// A data folder that this process owns. The operating system gives the lock back when the process ends, however it ends.
#[derive(Debug)]
pub struct DataFolder {
    path: PathBuf,
    lock: File,
}

impl DataFolder {
    /// Makes the folder if need be and takes it, unless another process has it. Nobody but its owner may look into it. A folder whose
    /// database has been emptied is refused.
    pub fn open(path: &Path) -> StoreResult<Ownership> {
        permissions::make_folder(path).map_err(StoreError::file(format!("making the folder `{}`", path.display())))?;
        let lock_path = path.join("owner.lock");
        let what = || StoreError::file(format!("opening `{}`", lock_path.display()));
        let mut options = permissions::owners_file();
        let mut lock = options.read(true).write(true).create(true).truncate(false).open(&lock_path).map_err(what())?;
        match lock.try_lock() {
            Ok(()) => {
                refuse_emptied(path)?;
                permissions::close_to_others(path);
                let mut folder = Self { path: path.to_owned(), lock };
                folder.announce(None)?;
                Ok(Ownership::Ours(folder))
            }
            Err(TryLockError::WouldBlock) => Ok(Ownership::Theirs(read_owner(&mut lock))),
            Err(TryLockError::Error(error)) => Err(what()(error)),
        }
    }

    /// Writes into the lock where this process listens, for those who find the folder taken.
    pub fn announce(&mut self, url: Option<String>) -> StoreResult<()> {
        let owner = Owner { pid: std::process::id(), url };
        let text = serde_json::to_vec(&owner).map_err(|error| StoreError::damaged("owner", error))?;
        let write = |lock: &mut File| {
            lock.set_len(0)?;
            lock.rewind()?;
            lock.write_all(&text)?;
            lock.flush()
        };
        write(&mut self.lock).map_err(StoreError::file("writing `owner.lock`"))
    }

    /// The folder's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The database inside.
    pub fn database(&self) -> PathBuf {
        Self::database_in(&self.path)
    }

    /// Where the database of a folder is, whoever owns it.
    pub fn database_in(path: &Path) -> PathBuf {
        path.join("reflect.db")
    }
}

/// Refuses a database of 0 bytes, or none, beside what only a server leaves that has had one: a master key is made after the database, and
/// a write-ahead log belongs to one. SQLite would take it for a new database, and throw the log away.
fn refuse_emptied(folder: &Path) -> StoreResult<()> {
    let size = |name: &str| std::fs::metadata(folder.join(name)).ok().map(|found| found.len());
    let database = size("reflect.db");
    let has_log = size("reflect.db-wal").is_some_and(|size| size > 0);
    let beside = match database {
        Some(0) if has_log => "reflect.db-wal",
        Some(0) if size(MASTER_KEY_FILE).is_some() => MASTER_KEY_FILE,
        None if has_log => "reflect.db-wal",
        _ => return Ok(()),
    };
    Err(StoreError::Emptied { folder: folder.to_owned(), beside })
}

/// The owner is written after the lock is taken, so for a moment it may not be there yet.
fn read_owner(lock: &mut File) -> Owner {
    let mut text = String::new();
    let _ = lock.read_to_string(&mut text);
    serde_json::from_str(&text).unwrap_or(Owner { pid: 0, url: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_taken_folder_names_its_owner_and_is_free_again_afterwards() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data");
        let Ownership::Ours(mut owned) = DataFolder::open(&path).unwrap() else { panic!("nobody has it") };
        owned.announce(Some("http://127.0.0.1:8000".into())).unwrap();
        let Ownership::Theirs(owner) = DataFolder::open(&path).unwrap() else { panic!("it is taken") };
        assert_eq!(owner, Owner { pid: std::process::id(), url: Some("http://127.0.0.1:8000".into()) });
        drop(owned);
        assert!(matches!(DataFolder::open(&path).unwrap(), Ownership::Ours(_)));
    }
}
