//! Connections, taken in turn.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{connection::Connection, target::Target};
use crate::error::{StoreError, StoreResult};

/// Some connections at most, each made when it is first needed, and again when it has broken.
pub(super) struct Pool {
    target: Target,
    idle: Mutex<Vec<Connection>>,
    permits: Arc<Semaphore>,
}

impl Pool {
    pub(super) fn new(target: &Target, most: usize) -> Arc<Self> {
        let (idle, permits) = (Mutex::default(), Arc::new(Semaphore::new(most)));
        Arc::new(Self { target: target.clone(), idle, permits })
    }

    pub(super) fn target(&self) -> &Target {
        &self.target
    }

    /// The right to one of the connections.
    pub(super) async fn permit(&self) -> StoreResult<OwnedSemaphorePermit> {
        Arc::clone(&self.permits).acquire_owned().await.map_err(|_| StoreError::Closed)
    }

    /// The connection that was given back last, if it has not broken since.
    pub(super) fn take(&self) -> StoreResult<Connection> {
        loop {
            let last = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            match last {
                Some(connection) if connection.is_alive() => return Ok(connection),
                Some(_) => {}
                None => return Connection::open(&self.target),
            }
        }
    }

    pub(super) fn give_back(&self, connection: Connection) {
        if connection.is_open() {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        }
    }
}
