//! Copying everything from one database into another, of whichever kind.
//!
//! Unlike an export, a copy has every column of every row as it is: keys by their hashes, jobs with their leases, sessions (whoever is signed in
//! stays so, since the keys that they stand for come along), what models cost, the log of queries, first answers, change numbers, checksums. No
//! list of columns stands here: the databases are asked which they have, so that a later schema's are copied, too.
//!
//! The source is read once, over one consistent view, in the order of its keys. Rows go to the target in batches; each is one transaction, which
//! also counts them in the table `unfinished_copy`. So a copy that was killed goes on where it was: as many rows as were counted are read and
//! not sent again. Then both are compared table by table. That table goes when they are found equal; until then nobody else opens the target.

mod copying;
mod progress;
mod reading;
mod source;
mod sums;
mod target;

pub use progress::{CopyProgress, CopyReport, CopyStep};
pub use source::CopySource;
pub use target::CopyTarget;
