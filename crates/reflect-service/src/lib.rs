//! The wire's requests answered by the engine, for whoever brings them: a socket or the same process.
//!
//! A [`Service`] method checks a request, calls the engine and puts the answer into the wire's words; what cannot be answered
//! is a [`Refusal`] with the wire's code. The server adds HTTP around it and the embedded client nothing, so both worlds
//! refuse and answer alike. Nothing is decided here, and nothing here knows sockets, headers or statuses.
//!
//! To add a request, give it its struct in `reflect-api`, its use case in `reflect-engine`, and a method beside its relatives.

mod answer_texts;
mod bulk_reviews;
mod keys;
mod lift;
mod memories;
mod paging;
mod policies;
mod projects;
mod query;
mod refusal;
mod sessions;
mod skills;
mod statistics;
mod status;
mod traces;
mod watching;

use std::sync::Arc;

use reflect_api::Limits;
use reflect_engine::Engine;

pub use paging::Page;
pub use query::Queried;
pub use reflect_engine::Asker;
pub use refusal::{Refusal, ServiceResult};
pub use traces::trace_view;
pub use watching::changed_event;

/// Answers requests.
#[derive(Clone)]
pub struct Service {
    /// The use cases.
    pub engine: Arc<Engine>,
    /// How much a request may hold.
    pub limits: Arc<Limits>,
}

impl Service {
    /// Answers for this engine, within these limits.
    pub fn new(engine: Arc<Engine>, limits: Limits) -> Self {
        Self { engine, limits: Arc::new(limits) }
    }
}
