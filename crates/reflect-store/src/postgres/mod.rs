//! PostgreSQL: connections that are driven by the thread that waits for them, who reads and who writes, the schema and its migrations, and
//! what only PostgreSQL's SQL can say.
//!
//! Several processes may share a database. Whoever changes a project holds its lock until the commit, so that its changes have one order
//! everywhere; nobody ever waits for a row of a project without that lock, so that no two can wait for each other.
//!
//! Nothing else in this crate names `tokio_postgres`.

mod answer;
mod connection;
pub(crate) mod dialect;
mod error;
mod known;
mod lanes;
mod link;
mod lists;
mod merged;
mod pool;
mod readers;
mod scans;
mod schema;
pub(crate) mod search_sql;
mod target;
mod tls;
mod values;
mod write;
mod writer;

pub use link::Heard;
pub(crate) use link::{LazyLink, Link};
pub(crate) use readers::Readers;
pub(crate) use scans::Scans;
pub(crate) use schema::{migrate, refuse_other_schema};
pub(crate) use target::Target;
pub(crate) use writer::Writer;
