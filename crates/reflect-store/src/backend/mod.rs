//! Which database it is: SQLite or PostgreSQL, each behind the same three doors.

mod readers;
mod scans;
mod turns;
mod writer;

pub(crate) use readers::Readers;
pub(crate) use scans::Scans;
pub(crate) use turns::Turns;
pub(crate) use writer::Writer;
