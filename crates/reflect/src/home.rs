//! Where everything is kept: in a data folder that this process owns, or in a database that it shares with others.

use std::{
    fmt,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::Context;
use reflect_core::Secret;
use reflect_store::{DataFolder, Owner, Ownership, Store, StoreError};
use tokio::time::{Instant, sleep};

use crate::settings::Settings;

/// How long a start waits for a database that does not answer: one that starts beside us, or that is failed over.
const PATIENCE: Duration = Duration::from_secs(60);

/// Between two attempts to reach it.
const PAUSE: Duration = Duration::from_millis(500);

/// Where everything is kept.
pub(crate) enum Home {
    /// Nobody else works in it as long as this is there.
    Folder(DataFolder),
    /// Any number of servers may.
    Database(Secret),
}

impl Home {
    /// Takes the data folder, unless another process has it. A database is not asked anything yet; it keeps no master key, since servers
    /// that each made one would not know each other's sessions and keys.
    pub(crate) fn open(settings: &Settings) -> anyhow::Result<Self> {
        let Some(url) = &settings.database_url else { return own_folder(&settings.data).map(Self::Folder) };
        anyhow::ensure!(
            settings.master_key.is_some(),
            "`database_url` is set and `master_key` is not, and a database keeps none: put one of 16 or more visible characters into \
             REFLECT_MASTER_KEY, or into a file that REFLECT_MASTER_KEY_FILE names, the same for all servers over this database"
        );
        Ok(Self::Database(url.clone()))
    }

    /// The database, for those who only look at it.
    pub(crate) fn shared(settings: &Settings) -> Option<Self> {
        settings.database_url.clone().map(Self::Database)
    }

    /// Opens the store.
    pub(crate) async fn store(&self) -> anyhow::Result<Store> {
        match self {
            Self::Folder(folder) => Store::open(&folder.database()).context("opening the database"),
            Self::Database(url) => connect(url).await.context("opening the database that `database_url` names"),
        }
    }

    /// The data folder, where there is one.
    pub(crate) fn folder(&mut self) -> Option<&mut DataFolder> {
        match self {
            Self::Folder(folder) => Some(folder),
            Self::Database(_) => None,
        }
    }
}

async fn connect(url: &Secret) -> Result<Store, StoreError> {
    let deadline = Instant::now() + PATIENCE;
    let mut is_said = false;
    loop {
        match Store::connect(url.expose()).await {
            Err(error @ StoreError::Unavailable(_)) if Instant::now() < deadline => {
                if !is_said {
                    tracing::warn!(%error, "the database cannot be reached yet; trying for a minute");
                    is_said = true;
                }
                sleep(PAUSE).await;
            }
            connected => return connected,
        }
    }
}

/// Takes the data folder, unless another process has it.
pub(crate) fn own_folder(path: &Path) -> anyhow::Result<DataFolder> {
    match DataFolder::open(path)? {
        Ownership::Ours(folder) => Ok(folder),
        Ownership::Theirs(owner) => Err(FolderTaken { folder: path.to_owned(), owner }.into()),
    }
}

/// Another process has the data folder. The command ends with a status of its own, by which programs tell that there is a server to join.
#[derive(Debug)]
pub(crate) struct FolderTaken {
    folder: PathBuf,
    pub(crate) owner: Owner,
}

impl FolderTaken {
    pub(crate) const STATUS: u8 = 3;
}

impl fmt::Display for FolderTaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the data folder `{}` is in use by process {}", self.folder.display(), self.owner.pid)?;
        if let Some(url) = &self.owner.url {
            write!(f, " at {url}")?;
        }
        f.write_str("; stop it first, or choose another folder with --data")
    }
}

impl std::error::Error for FolderTaken {}
