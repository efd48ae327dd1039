//! The loop from outside: what comes in which order, what comes of it, and what happens when things go wrong.

#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "in tests a failure is the message")]

mod budgets;
mod cancelling;
mod checkpoints;
mod context;
mod edge_cases;
mod inputs;
mod iteration_defects;
mod memories;
mod order;
mod outcomes;
mod policies;
mod properties;
mod reference_tests;
mod reflecting;
mod spans;
mod stuck;
mod support;
