//! The real binary, started as a process and driven from outside.
//!
//! Nothing here reaches into the server: what a test knows came over HTTP, from a command's output or, for the ledger, from
//! the database file opened read-only. To add a topic, add a module; [`server_process`] starts and stops, [`http`] talks.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a failure in a test is the message, and what a test skips or measured is for people to read"
)]

mod backup;
mod command_line;
mod connections;
mod copy;
mod doctor;
mod embedders;
mod full_disk;
mod http;
mod kill;
mod leases;
mod limits;
mod portable;
mod postgres;
mod reflexion;
mod request_memory;
mod server_process;
