//! Copying a whole database, also one that another process is writing to.

use std::{fs::File, path::Path};

use rusqlite::{
    Connection,
    backup::{Backup, StepResult},
};

use super::{permissions, readers::open_read_only, schema};
use crate::error::{StoreError, StoreResult};

/// How many pages are copied before the next look at how far it has come: 4 MiB.
const PAGES_AT_ONCE: i32 = 1_000;

/// How far a copy has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copied {
    /// How many bytes it has.
    pub bytes: u64,
    /// How many it will have.
    pub of: u64,
}

/// Copies the database at `from` into a new file at `to`, which is on disk when this returns. The copy is the database as it was when
/// this began, in one file without a log beside it. Whoever writes to the database goes on meanwhile.
pub(crate) fn copy(from: &Path, to: &Path, each: &mut dyn FnMut(Copied)) -> StoreResult<()> {
    let what = || StoreError::file(format!("writing `{}`", to.display()));
    permissions::owners_file().write(true).create_new(true).open(to).map_err(what())?;
    copy_pages(from, to, each)?;
    // The pages say that there is a write-ahead log, as there is beside the original.
    let copy = Connection::open(to)?;
    copy.pragma_update(None, "journal_mode", "DELETE")?;
    copy.close().map_err(|(_, error)| error)?;
    File::open(to).and_then(|file| file.sync_all()).map_err(what())
}

/// The schema of the database at `path`, if it is not the newest.
pub(crate) fn older_schema(path: &Path) -> StoreResult<Option<i64>> {
    schema::older(&open_read_only(path)?)
}

fn copy_pages(from: &Path, to: &Path, each: &mut dyn FnMut(Copied)) -> StoreResult<()> {
    let source = open_read_only(from)?;
    schema::refuse_unknown(&source)?;
    // One view from the first page to the last. Without it the copy would begin anew at every commit of a writer.
    source.execute_batch("BEGIN")?;
    source.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    let page_bytes: u64 = source.pragma_query_value(None, "page_size", |row| row.get(0))?;
    let mut copy = Connection::open(to)?;
    // A copy that is not whole is thrown away, so nothing needs to be undone in it; it is flushed once, at the end.
    copy.pragma_update(None, "journal_mode", "OFF")?;
    copy.pragma_update(None, "synchronous", "OFF")?;
    let backup = Backup::new(&source, &mut copy)?;
    loop {
        let step = backup.step(PAGES_AT_ONCE)?;
        let progress = backup.progress();
        let bytes = |pages: i32| u64::from(pages.unsigned_abs()) * page_bytes;
        each(Copied { bytes: bytes(progress.pagecount - progress.remaining), of: bytes(progress.pagecount) });
        match step {
            StepResult::Done => return Ok(()),
            StepResult::More => {}
            _ => return Err(StoreError::NotWritable("the database is locked".into())),
        }
    }
}
