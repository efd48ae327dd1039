//! Whether the server is alive.

use reflect_api::HealthAnswer;

use crate::Service;

impl Service {
    /// Answers `ok` and the version, for health checks.
    pub fn health(&self) -> HealthAnswer {
        HealthAnswer { status: "ok".into(), version: env!("CARGO_PKG_VERSION").into() }
    }
}
