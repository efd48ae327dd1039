//! Giving back the room of what was deleted.

use std::ops::ControlFlow;

use crate::{
    backend::Writer,
    error::StoreResult,
    sql::{Lane, Progress, Query, Transaction, params},
    sqlite::dialect,
    store::Store,
};

/// How many free pages a database may keep, whatever its size: the next rows will want some.
const KEPT_PAGES: usize = 1_024;

/// One in this many pages may be free.
const KEPT_SHARE: usize = 16;

impl Store {
    /// Gives free pages back to the file system for a moment, if SQLite's file has many of them.
    pub async fn give_back_pages(&self) -> StoreResult<Progress> {
        if self.is_shared() {
            // A server takes care of its own room.
            return Ok(Progress { done: true, ..Progress::default() });
        }
        let free = self.readers.read(|read| {
            read.query_one(dialect::FREE_PAGES, params![], |row| {
                Ok((row.get::<usize>("free")?, row.get::<usize>("pages")?))
            })
        });
        let (free, pages) = free.await?;
        if free <= KEPT_PAGES.max(pages / KEPT_SHARE) {
            return Ok(Progress { done: true, ..Progress::default() });
        }
        self.writer
            .write_some(Lane::Server, |write| {
                let mut given_back = 0;
                write.each_row(dialect::GIVE_BACK_PAGES, params![], &mut |_| {
                    given_back += 1;
                    Ok(ControlFlow::Continue(()))
                })?;
                Ok(given_back)
            })
            .await
    }

    /// Empties SQLite's write-ahead log, now if no reader needs it, else as soon as none does: what was deleted may still stand there.
    pub async fn empty_log(&self) -> StoreResult<()> {
        let Writer::Sqlite(writer) = &self.writer else { return Ok(()) };
        // In its order, so that it comes after all writes before it. It is done after their commit, which the next write waits for.
        let wishes = writer.log_wishes();
        let ask = move |_: &dyn Transaction| {
            wishes.ask_to_empty();
            Ok(())
        };
        self.writer.write(Lane::Server, ask).await?;
        self.settle().await
    }
}
