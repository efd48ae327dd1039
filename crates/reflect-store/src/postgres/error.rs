//! What PostgreSQL's failures mean to the users of a store.

use std::{error::Error as _, io, sync::Arc};

use tokio_postgres::{Error, error::SqlState};

use crate::error::StoreError;

impl From<Error> for StoreError {
    fn from(error: Error) -> Self {
        let Some(code) = error.code() else {
            let by_network = error.source().is_some_and(|source| source.is::<io::Error>());
            return if error.is_closed() || by_network {
                Self::Unavailable(described(&error))
            } else {
                Self::Database(Arc::new(error))
            };
        };
        match code {
            &SqlState::DISK_FULL => Self::DatabaseFull,
            &SqlState::UNIQUE_VIOLATION => Self::Crossed,
            &SqlState::QUERY_CANCELED => Self::Interrupted,
            &SqlState::READ_ONLY_SQL_TRANSACTION | &SqlState::INSUFFICIENT_PRIVILEGE => {
                Self::NotWritable(described(&error))
            }
            &SqlState::LOCK_NOT_AVAILABLE | &SqlState::T_R_DEADLOCK_DETECTED | &SqlState::T_R_SERIALIZATION_FAILURE => {
                Self::Unavailable(described(&error))
            }
            // A connection that failed, one too many, a server that starts or stops, one without memory.
            code if ["08", "53", "57", "58"].iter().any(|class| code.code().starts_with(class)) => {
                Self::Unavailable(described(&error))
            }
            _ => Self::Database(Arc::new(error)),
        }
    }
}

/// A failure to connect, which is not ours whatever it is. Some do not go away by themselves: a wrong password, an unknown database.
pub(super) fn unreachable(error: &Error) -> StoreError {
    let is_refused = |code: &SqlState| ["28", "3D"].iter().any(|class| code.code().starts_with(class));
    if error.code().is_some_and(is_refused) {
        return StoreError::Refused(described(error));
    }
    StoreError::Unavailable(described(error))
}

/// The error with its causes: by itself it says little more than where it came up.
fn described(error: &Error) -> String {
    if let Some(said) = error.as_db_error() {
        return said.message().to_owned();
    }
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}
