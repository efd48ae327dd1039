//! Keeps the write-ahead log small.
//!
//! SQLite copies the log into the database by itself, and begins it anew once no reader needs what is in it. Where reads overlap all the
//! time that moment does not come by itself: then the writer waits for it a little, and as a last resort lets no new search begin.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use rusqlite::Connection;

use super::schema::{BUSY_TIMEOUT, LOG_BYTES};
use crate::error::StoreResult;

/// How often the size is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How long writers wait for readers at a time.
const WAIT_FOR_READERS: Duration = Duration::from_millis(50);

/// From this size on no new search begins for a while: one after the other, they would never leave a gap.
const TOO_LARGE: u64 = 4 * LOG_BYTES;

/// How long no new search begins. Looks come more often, so that it is made longer until the log is small.
const PAUSE: Duration = Duration::from_secs(2);

/// Watches the log of one database, on the thread that writes it.
pub(super) struct LogSize {
    log: PathBuf,
    looked_at: Instant,
    wishes: LogWishes,
}

/// What others and the writer want of each other about the log.
#[derive(Clone, Default)]
pub(crate) struct LogWishes {
    empty: Arc<AtomicBool>,
    no_search_until: Arc<Mutex<Option<Instant>>>,
}

impl LogWishes {
    /// Has the log emptied after the next commit: what was deleted may still stand there.
    pub(crate) fn ask_to_empty(&self) {
        self.empty.store(true, Ordering::Relaxed);
    }

    /// How long a new search has to wait.
    pub(super) fn search_pause(&self) -> Option<Duration> {
        let until = *self.no_search_until.lock().unwrap_or_else(PoisonError::into_inner);
        until.map(|until| until.saturating_duration_since(Instant::now())).filter(|pause| !pause.is_zero())
    }

    fn pause_searches(&self, pause: Option<Duration>) {
        let until = pause.map(|pause| Instant::now() + pause);
        *self.no_search_until.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }
}

impl LogSize {
    pub(super) fn new(database: &Path, wishes: LogWishes) -> Self {
        Self { log: log_of(database), looked_at: Instant::now(), wishes }
    }

    /// To be called after every commit.
    pub(super) fn keep_small(&mut self, connection: &Connection) {
        let wanted = self.wishes.empty.load(Ordering::Relaxed);
        if !wanted && self.looked_at.elapsed() < LOOK_EVERY {
            return;
        }
        self.looked_at = Instant::now();
        let bytes = std::fs::metadata(&self.log).map_or(0, |log| log.len());
        if !wanted && bytes <= LOG_BYTES {
            return;
        }
        match empty(connection) {
            Ok(true) => {
                self.wishes.empty.store(false, Ordering::Relaxed);
                self.wishes.pause_searches(None);
            }
            Ok(false) if bytes > TOO_LARGE => {
                tracing::warn!(bytes, "the write-ahead log is large, and reads keep it so; new searches wait");
                self.wishes.pause_searches(Some(PAUSE));
            }
            Ok(false) => {}
            Err(error) => tracing::warn!(%error, "the write-ahead log could not be moved into the database"),
        }
    }
}

/// Moves all of the log into the database, unless readers need it for longer than they are waited for.
fn empty(connection: &Connection) -> StoreResult<bool> {
    connection.busy_timeout(WAIT_FOR_READERS)?;
    let busy = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0));
    connection.busy_timeout(BUSY_TIMEOUT)?;
    Ok(!busy?)
}

/// The log beside a database.
pub(super) fn log_of(database: &Path) -> PathBuf {
    let mut name = database.file_name().map(OsString::from).unwrap_or_default();
    name.push("-wal");
    database.with_file_name(name)
}
