//! Whether anyone is there.

use reflect_api::HealthAnswer;

use crate::Service;

impl Service {
    /// That someone is.
    pub fn health(&self) -> HealthAnswer {
        HealthAnswer { status: "ok".into(), version: env!("CARGO_PKG_VERSION").into() }
    }
}
