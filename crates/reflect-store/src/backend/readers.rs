//! Reading.

use crate::{
    error::StoreResult,
    postgres,
    sql::Read,
    sqlite,
    waits::{WaitedFor, waiting_for},
};

/// Connections that read, taken in turn.
#[derive(Clone)]
pub(crate) enum Readers {
    Sqlite(sqlite::Readers),
    Postgres(postgres::Readers),
}

impl Readers {
    /// Runs `query` on a thread that may block, over one consistent view of the database.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        query: impl FnOnce(&dyn Read) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        waiting_for(WaitedFor::Reader, async {
            match self {
                Self::Sqlite(readers) => readers.read(query).await,
                Self::Postgres(readers) => readers.read(query).await,
            }
        })
        .await
    }

    /// The same for a `query` with a single question.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        query: impl FnOnce(&dyn Read) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        match self {
            Self::Sqlite(_) => self.read(query).await,
            Self::Postgres(readers) => waiting_for(WaitedFor::Reader, readers.ask(query)).await,
        }
    }
}
