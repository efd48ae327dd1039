//! What every store must do, whichever database is behind it.
//!
//! A case is an `async fn(&Store)` that knows nothing of the backend. Each file lists its cases once in
//! [`conformance!`](support::conformance), which runs them over a fresh SQLite store, or on the PostgreSQL that the variable
//! `REFLECT_TEST_DATABASE_URL` names. What belongs to SQLite alone (a full disk, its files) says so and opens its own store.
//!
//! To hold a new store method to its word, add to the file of its topic: that it works, that it works twice or on the
//! edge, and what it refuses.

#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "in tests a failure is the message")]

mod support;

mod bulk_reviews;
mod concurrency;
mod copies;
mod corrections;
mod disk;
mod embedder_switches;
mod equal_lessons;
mod follow_ups;
mod holdout;
mod idempotency;
mod index_rows;
mod ingest_rate;
mod instances;
mod jobs;
mod judgements;
mod keys;
mod ledger;
mod map_rows;
mod memories;
mod mixture;
mod portable;
mod projects;
mod reporters;
mod retention;
mod retired;
mod retrievals;
mod reviews;
mod room;
mod schemas;
mod search_tables;
mod sessions;
mod shared_database;
mod skills;
mod spend;
mod statistics;
mod trace_list;
mod traces;
mod writer;
