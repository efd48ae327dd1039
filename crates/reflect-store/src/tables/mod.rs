//! What is done inside a transaction: each file knows the statements of one table, or of a few that change together.
//!
//! A function here takes the transaction, or the view, that it works in; whoever called it commits. A file may call those about
//! smaller things, never the other way round.

pub(crate) mod all;
pub(crate) mod checksums;
pub(crate) mod credits;
pub(crate) mod drawn_queries;
pub(crate) mod idempotency;
pub(crate) mod jobs;
pub(crate) mod judgements;
pub(crate) mod keys;
pub(crate) mod leftover_vectors;
pub(crate) mod lessons;
pub(crate) mod memories;
pub(crate) mod projects;
pub(crate) mod queue;
pub(crate) mod reporters;
pub(crate) mod retrievals;
pub(crate) mod reviews;
pub(crate) mod same_words;
pub(crate) mod search_tables;
pub(crate) mod showing;
pub(crate) mod traces;
pub(crate) mod unfinished_copy;
pub(crate) mod unfolded_memories;
