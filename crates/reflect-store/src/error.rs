//! What can go wrong below the rules.

use std::sync::Arc;

/// A failure of the store itself. What the rules decide (no such trace, already reviewed) is in each method's answer.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// Nothing was written; reads go on, and writes will as soon as there is room.
    #[error("the disk is full")]
    DiskFull,
    /// Nothing was written: the database's server has no room. Reads go on, and writes will as soon as it has some.
    #[error("the database is full")]
    DatabaseFull,
    /// Nothing was written; reads go on, and writes will as soon as the disk takes them.
    #[error("the database cannot be written: {0}")]
    NotWritable(String),
    /// Nothing is known of what was being written: it may be stored or not. Reads and writes go on once the database is back.
    #[error("the database cannot be reached: {0}")]
    Unavailable(String),
    /// Nothing can be connected to.
    #[error("the database's URL: {0}")]
    BadUrl(String),
    /// Nothing was read or written: the database does not let us in, or there is none of that name.
    #[error("the database refuses the connection: {0}")]
    Refused(String),
    /// A search took longer than it may, or nobody waits for it any more.
    #[error("the search was given up")]
    Interrupted,
    /// Others are searching, and have been for as long as a search may wait for them.
    #[error("other searches are running")]
    SearchesBusy,
    /// The store was shut down.
    #[error("the store is closed")]
    Closed,
    /// Nothing was written, nor will be by this process; reads go on.
    #[error("another process has opened this database for writing since; this one writes no more: stop one of the two")]
    TakenOver,
    /// Made before the first release.
    #[error(
        "the database has schema {0}, from before 0.1.0: let the binary that made it write all projects with `reflect export FILE`, and this \
         one read them with `reflect import FILE` into a new data folder or database; their keys are made anew"
    )]
    BeforeFirstSchema(i64),
    /// Made by a later release.
    #[error("the database has schema {found}, this release knows up to {known}: run a newer release")]
    NewerSchema {
        /// The database's schema.
        found: i64,
        /// The newest that this release knows.
        known: i64,
    },
    /// Made by an earlier release, where only the newest schema will do.
    #[error(
        "the database has schema {0}, of an earlier release: start this release's server on it once, which migrates it"
    )]
    OlderSchema(i64),
    /// Nothing can be done with it before it is finished.
    #[error("this database is a copy that is not finished: repeat `reflect copy`, which goes on with it")]
    UnfinishedCopy,
    /// Nothing was copied.
    #[error("the database to copy into holds something already, in its table `{0}`: a copy needs an empty one")]
    NotEmpty(&'static str),
    /// The copy stays unfinished.
    #[error(
        "the copy is not equal: table `{table}` has {rows} rows, and {copied} in the copy, or others. Has somebody written to one of the \
         two since the copying began? Empty the copy and begin anew, while no server runs on either"
    )]
    CopyDiffers {
        /// The first that differs.
        table: &'static str,
        /// How many rows it has.
        rows: u64,
        /// How many the copy has.
        copied: u64,
    },
    /// Nothing of the line was stored, nor of those beside it.
    #[error("line {line} cannot be imported: `{what}`: {why}")]
    BadLine {
        /// Which one, from 1.
        line: u64,
        /// The field, or the line itself.
        what: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// The database is empty or gone, and something beside it says that it was not always.
    #[error(
        "`{}` is empty or missing, and `{beside}` beside it says that this folder held data: put the database back from a backup (is \
         the right disk mounted?), or remove what is left of it, `reflect.db*`, to start with nothing",
        .folder.join("reflect.db").display()
    )]
    Emptied {
        /// The data folder.
        folder: std::path::PathBuf,
        /// The file that says so.
        beside: &'static str,
    },
    /// Nothing was written: a project of this name was deleted, and still has rows.
    #[error("project `{0}` was deleted, and what it held is still being erased")]
    BeingErased(reflect_core::ProjectId),
    /// Nothing was written: another request has written the same thing at the same moment. Whoever tries again sees what came of that.
    #[error("another request was at the same thing at the same moment")]
    Crossed,
    /// Nothing was written: the project has changed its embedder since the vectors of a lesson were made.
    #[error("the project's embedder is `{0}` by now, and the lesson has no vector of it")]
    OtherEmbedder(reflect_core::EmbedderId),
    /// Anything else that the database says.
    #[error("database: {0}")]
    Database(#[source] Arc<dyn std::error::Error + Send + Sync>),
    /// A file beside the database.
    #[error("{what}: {source}")]
    File {
        /// What was being done.
        what: String,
        /// Why it failed.
        source: Arc<std::io::Error>,
    },
    /// A stored value that this release would not have written.
    #[error("stored {what} is damaged: {why}")]
    Damaged {
        /// The column or value.
        what: &'static str,
        /// What is wrong with it.
        why: String,
    },
}

/// The result of a store method.
pub type StoreResult<T> = Result<T, StoreError>;

impl StoreError {
    pub(crate) fn file(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let what = what.into();
        move |source| Self::File { what, source: Arc::new(source) }
    }

    pub(crate) fn damaged(what: &'static str, why: impl std::fmt::Display) -> Self {
        Self::Damaged { what, why: why.to_string() }
    }
}
