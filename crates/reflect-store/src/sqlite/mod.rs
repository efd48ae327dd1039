//! SQLite: the writer thread and the readers, the schema and its migrations, and what only SQLite's SQL can say.
//!
//! Nothing else in this crate names `rusqlite`.

mod changes;
mod connection;
mod copying;
pub(crate) mod dialect;
mod error;
mod folder;
mod log_size;
mod permissions;
mod readers;
mod scans;
mod schema;
mod text_functions;
mod writer;

pub use copying::Copied;
pub(crate) use copying::{copy, older_schema};
pub use folder::{DataFolder, Owner, Ownership};
pub use permissions::MASTER_KEY_FILE;
pub(crate) use permissions::owners_file;
pub(crate) use readers::Readers;
pub(crate) use scans::Scans;
#[cfg(test)]
pub(crate) use schema::plan_of;
pub(crate) use schema::remove_copies;
pub(crate) use writer::Writer;
