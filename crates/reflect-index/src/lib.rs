//! What queries search: the vectors of each project's tasks and lessons, utilities and metadata, in memory.
//!
//! The database is the truth. Every change to a memory there carries a number that only rises, so an index asks its
//! [`RowSource`] for what is newer than it has, applies that, and then is as new as the question: a query that starts after a
//! change was acknowledged always sees it, and nothing has to be told to the index from outside.
//!
//! A search takes a snapshot and lets go of the lock, so it never waits for changes longer than a few of them take to be put in, and
//! they never wait for a search. It reads four bits of each coordinate of every row, and where these leave room for doubt four more
//! (`scan`), which gives each row two bounds that its score lies between (`bounds`); what may be among the best is then computed exactly (`search`). There is
//! no approximation anywhere: an answer is what the slow, obvious ranking of all rows would give, and tests hold it against that.
//!
//! A project that does not fit in memory has an index of what changed last, and lists of the rest in a database (`outgrown`).
//!
//! What memories say is not in here: it is read from the database for the few that won. Nor is there any SQL, or a thread of its own.

#[cfg(test)]
mod acts;
#[cfg(test)]
mod agreement_tests;
mod block;
mod bounds;
mod candidates;
mod check;
mod encoding;
mod exact;
mod follow;
mod hits;
mod index;
mod indexes;
mod kernels;
mod large_pages;
mod layout;
mod nibbles;
mod outgrown;
#[cfg(test)]
mod outgrown_tests;
mod postings;
mod retired;
mod rows;
mod said;
mod scan;
mod scoring;
mod search;
mod sides;
mod similarity_rank;
#[cfg(test)]
mod slow_ranking;
mod surroundings;
mod task;
mod terms;
#[cfg(test)]
mod tests;
mod unseen;
mod vectors;

pub use check::{IndexReport, check_anew};
pub use exact::as_kept;
pub use follow::{IndexKey, RowSource};
pub use hits::{ByWorth, Found, Hit, Search};
pub use index::Index;
pub use indexes::{Arrival, Indexes};
pub use layout::Layout;
pub use outgrown::{CandidateSearch, listed};
