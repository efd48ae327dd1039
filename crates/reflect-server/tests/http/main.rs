//! The server as a client sees it: requests in, answers out, in one process.
//!
//! [`test_app::TestApp`] is a real engine over a temporary database behind the real router. Time is a clock that tests
//! turn, jobs are drained by hand, and nothing sleeps or leaves the machine. [`sockets`] puts it behind a socket. One file an endpoint or topic.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "helpers outside of test functions fail tests by panicking"
)]

mod answer;
mod client;
mod distance;
mod fakes;
mod faulty_provider;
mod letters;
mod sockets;
mod test_app;
mod test_database;

mod access;
mod bootstrap;
mod bulk_reviews;
mod connections;
mod console;
mod corrections;
mod create_trace;
mod crediting;
mod crowding;
mod distillation;
mod equal_lessons;
mod events;
mod faults;
mod follow_ups;
mod full_database;
mod histories;
mod holdout;
mod hosts;
mod idempotency;
mod indexes;
mod injection;
mod isolation;
mod judge;
mod keys;
mod learning;
mod lift;
mod limits;
mod matching;
mod mcp;
mod memories;
mod metrics;
mod model_lessons;
mod model_settings;
mod outgrown;
mod paging;
mod projects;
mod queue;
mod ranking;
mod ranking_properties;
mod refused_bodies;
mod reporters;
mod request_memory;
mod retrievals;
mod review_trace;
mod round_trips;
mod sessions;
mod sitting_out;
mod skill;
mod spending;
mod statistics;
mod status;
mod switching;
mod switching_properties;
mod taking_back;
mod trace_filters;
mod turns;
mod what_if;
mod worth;

/// Hides a value that differs from run to run, and shows where there is none.
fn hidden(name: &'static str) -> insta::internals::Redaction {
    insta::dynamic_redaction(move |value, _| if value.is_nil() { value } else { name.into() })
}

/// Compares a whole answer with its snapshot, ids and times left out and figures rounded.
macro_rules! assert_answer {
    ($name:literal, $json:expr) => {
        insta::assert_json_snapshot!($name, $json, {
            ".**.id" => $crate::hidden("[id]"),
            ".**.trace_id" => $crate::hidden("[id]"),
            ".**.review_id" => $crate::hidden("[id]"),
            ".**.retrieval_id" => $crate::hidden("[id]"),
            ".**.created_memory_id" => $crate::hidden("[id]"),
            ".**.public_id" => $crate::hidden("[public id]"),
            ".**.api_key" => $crate::hidden("[secret]"),
            ".**.request_id" => $crate::hidden("[id]"),
            ".**.created_at" => $crate::hidden("[time]"),
            ".**.updated_at" => $crate::hidden("[time]"),
            ".**.last_used_at" => $crate::hidden("[time]"),
            ".**.revoked_at" => $crate::hidden("[time]"),
            ".**.expires_at" => $crate::hidden("[time]"),
            ".**.started_at" => $crate::hidden("[time]"),
            ".**.kernel" => $crate::hidden("[kernel]"),
            ".**.similarity" => insta::rounded_redaction(4),
            ".**.score" => insta::rounded_redaction(4),
            ".**.mmr_penalty" => insta::rounded_redaction(4),
        })
    };
}
pub(crate) use assert_answer;
