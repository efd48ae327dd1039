//! The HTTP face of the engine: router, auth, error envelope, OpenAPI.
//!
//! An endpoint is one file under `endpoints/`: it unpacks, calls the service, packs. Nothing is decided here. To add one,
//! write its file, give it a `#[utoipa::path]`, add it to the router in `routes.rs`, and run `cargo xtask openapi`.

mod auth;
mod body;
mod endpoints;
mod envelope;
mod error;
mod headers;
mod openapi;
mod paging;
mod parameters;
mod routes;
mod throttle;

use std::sync::Arc;

use reflect_api::Limits;
use reflect_engine::{Background, Engine};
use reflect_service::Service;

pub use openapi::openapi_json;
pub use routes::router;

/// What every handler can reach.
#[derive(Clone)]
pub struct App {
    /// What answers.
    pub service: Service,
    /// The worker, where one runs.
    pub background: Option<Arc<Background>>,
    throttle: Arc<throttle::Throttle>,
    metrics_access: MetricsAccess,
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
        let metrics_access = MetricsAccess::default();
        Self { service: Service::new(engine, limits), background, throttle: Arc::default(), metrics_access }
    }

    /// The same app with another rule for who may read `/metrics`.
    #[must_use]
    pub fn with_metrics(self, metrics_access: MetricsAccess) -> Self {
        Self { metrics_access, ..self }
    }
}
