//! The HTTP face of the engine: router, auth, error envelope, OpenAPI.
//!
//! An endpoint is one file under `endpoints/`: it unpacks, calls the service, packs. Nothing is decided here. To add one,
//! write its file, give it a `#[utoipa::path]`, add it to the router in `routes.rs`, and run `cargo xtask openapi`.

mod auth;
mod body;
mod byte_budget;
mod changes;
mod connections;
mod console;
mod endpoints;
mod envelope;
mod error;
mod gate;
mod headers;
mod key_rates;
mod mcp;
mod openapi;
mod paging;
mod parameters;
mod routes;
mod security;
mod slow_requests;
mod stopping;
mod throttle;
mod unread;

use std::{sync::Arc, time::Duration};

use reflect_api::Limits;
use reflect_console::Console;
use reflect_engine::{Background, Engine};
use reflect_service::Service;

use byte_budget::ByteBudget;
use slow_requests::SlowRequests;
use tokio::sync::Semaphore;

pub use connections::{ConnectionSettings, serve};
pub use key_rates::KeyRate;
pub use openapi::openapi_json;
pub use reflect_mcp::AGENT_SKILL;
pub use routes::router;

/// What every handler can reach.
#[derive(Clone)]
pub struct App {
    /// What answers.
    pub service: Service,
    /// The worker, where one runs.
    pub background: Option<Arc<Background>>,
    throttle: Arc<throttle::Throttle>,
    /// Without them keys may ask as often as they like.
    key_rates: Option<Arc<key_rates::KeyRates>>,
    metrics_access: MetricsAccess,
    allowed_hosts: Arc<[String]>,
    slow_requests: SlowRequests,
    console: Console,
    /// One permit for each stream of events that may still begin.
    streams: Arc<Semaphore>,
    stopping: stopping::Stopping,
    byte_budget: Arc<ByteBudget>,
    changes: changes::Changes,
}

/// Who may read `/metrics`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MetricsAccess {
    /// Anyone who reaches the server, as with `/health`.
    #[default]
    Open,
    /// The holder of the master key.
    MasterKey,
    /// Nobody.
    Off,
}

impl App {
    /// An app over an engine.
    pub fn new(engine: Arc<Engine>, background: Option<Arc<Background>>, limits: Limits) -> Self {
        Self {
            service: Service::new(engine, limits),
            background,
            throttle: Arc::default(),
            key_rates: None,
            metrics_access: MetricsAccess::default(),
            allowed_hosts: Arc::default(),
            slow_requests: SlowRequests::new(Duration::from_secs(1)),
            console: Console::embedded(),
            streams: endpoints::events::stream_slots(),
            stopping: stopping::Stopping::default(),
            byte_budget: Arc::new(ByteBudget::new(256 << 20)),
            changes: changes::Changes::default(),
        }
    }

    /// The same app with another bound, in bytes, on what the bodies and answers of all requests together hold.
    #[must_use]
    pub fn with_request_memory(self, bytes: usize) -> Self {
        Self { byte_budget: Arc::new(ByteBudget::new(bytes)), ..self }
    }

    /// The same app with a bound on how often each key may ask, but the master key.
    #[must_use]
    pub fn with_key_rate(self, rate: Option<KeyRate>) -> Self {
        Self { key_rates: rate.map(|rate| Arc::new(key_rates::KeyRates::new(rate))), ..self }
    }

    /// The same app under further names: over loopback it answers to no others but `localhost` and addresses.
    #[must_use]
    pub fn with_allowed_hosts(self, names: impl IntoIterator<Item = String>) -> Self {
        Self { allowed_hosts: names.into_iter().collect(), ..self }
    }

    /// The same app, which logs requests that take this long.
    #[must_use]
    pub fn with_slow_request(self, slow_request: Duration) -> Self {
        Self { slow_requests: SlowRequests::new(slow_request), ..self }
    }

    /// The same app with another console.
    #[must_use]
    pub fn with_console(self, console: Console) -> Self {
        Self { console, ..self }
    }

    /// The same app with another rule for who may read `/metrics`.
    #[must_use]
    pub fn with_metrics(self, metrics_access: MetricsAccess) -> Self {
        Self { metrics_access, ..self }
    }
}
