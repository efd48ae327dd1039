//! Projects as lines of JSON, and back.
//!
//! The first line of an export names the version of the format, the last one says how much there was. A line between them is one thing
//! with everything that belongs to it, so each can be stored by itself: an import that was killed is begun again from the first line,
//! and passes over what is there. `parts` has the format, column by column.

mod counts;
mod export;
mod import;
mod parts;
mod reading;
mod writing;

pub use counts::LineCounts;
pub use import::Import;
