//! Read-only connections. With the write-ahead log they never wait for the writer, nor it for them.

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use rusqlite::{Connection, OpenFlags};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{schema, text_functions};
use crate::{
    error::{StoreError, StoreResult},
    sql::Read,
};

/// How many reads run side by side. They are short and mostly in the page cache, so more would only take turns.
const CONNECTIONS: usize = 4;

/// A few connections, taken in turn.
#[derive(Clone)]
pub(crate) struct Readers {
    idle: Arc<Mutex<Vec<Connection>>>,
    permits: Arc<Semaphore>,
}

impl Readers {
    pub(crate) fn open(path: &Path) -> StoreResult<Self> {
        Self::open_some(path, CONNECTIONS)
    }

    pub(super) fn open_some(path: &Path, count: usize) -> StoreResult<Self> {
        let connections: StoreResult<Vec<Connection>> = (0..count).map(|_| open_read_only(path)).collect();
        Ok(Self { idle: Arc::new(Mutex::new(connections?)), permits: Arc::new(Semaphore::new(count)) })
    }

    /// The same for a database that another process may have open, and whose schema may be one that this release does not know.
    pub(crate) fn open_foreign(path: &Path) -> StoreResult<Self> {
        let readers = Self::open(path)?;
        for connection in readers.idle.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            schema::refuse_unknown(connection)?;
        }
        Ok(readers)
    }

    /// Runs `query` on this thread, while nobody else has a connection yet.
    pub(crate) fn read_now<T>(&self, query: impl FnOnce(&dyn Read) -> StoreResult<T>) -> StoreResult<T> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        in_snapshot(idle.first().ok_or(StoreError::Closed)?, query)
    }

    /// Runs `query` on a thread that may block, over one consistent view of the database.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        query: impl FnOnce(&dyn Read) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let permit = self.permit().await?;
        self.run(permit, |connection| in_snapshot(connection, query)).await
    }

    /// The right to one of the connections.
    pub(super) async fn permit(&self) -> StoreResult<OwnedSemaphorePermit> {
        Arc::clone(&self.permits).acquire_owned().await.map_err(|_| StoreError::Closed)
    }

    /// Runs `work` with a connection, on a thread that may block.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        permit: OwnedSemaphorePermit,
        work: impl FnOnce(&mut Connection) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let idle = Arc::clone(&self.idle);
        let work = move || {
            let _permit = permit;
            // A permit is held, so a connection is there, unless a query panicked and took one with it.
            let mut connection = idle.lock().unwrap_or_else(PoisonError::into_inner).pop().ok_or(StoreError::Closed)?;
            let result = work(&mut connection);
            idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
            result
        };
        tokio::task::spawn_blocking(work).await.map_err(|_| StoreError::Closed)?
    }
}

pub(super) fn open_read_only(path: &Path) -> StoreResult<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    schema::configure_connection(&connection)?;
    text_functions::register(&connection)?;
    // Whatever a reader has cached is void after the next commit of the writer, and the system caches the file; so a little will do.
    connection.pragma_update(None, "cache_size", -1_000)?;
    Ok(connection)
}

pub(super) fn in_snapshot<T>(
    connection: &Connection,
    query: impl FnOnce(&dyn Read) -> StoreResult<T>,
) -> StoreResult<T> {
    connection.prepare_cached("BEGIN")?.execute([])?;
    let result = query(connection);
    // A read transaction holds nothing that committing could lose. In a damaged database it cannot even be committed.
    if !connection.is_autocommit() && connection.prepare_cached("COMMIT")?.execute([]).is_err() {
        let _ = connection.execute_batch("ROLLBACK");
    }
    result
}
