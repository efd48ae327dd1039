//! What SQLite's failures mean to the users of a store.

use std::sync::Arc;

use rusqlite::ffi::ErrorCode;

use crate::error::StoreError;

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::DiskFull,
            Some(
                ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked
                | ErrorCode::ReadOnly
                | ErrorCode::SystemIoFailure
                | ErrorCode::CannotOpen
                | ErrorCode::PermissionDenied,
            ) => Self::NotWritable(error.to_string()),
            Some(ErrorCode::OperationInterrupted) => Self::Interrupted,
            _ => Self::Database(Arc::new(error)),
        }
    }
}
