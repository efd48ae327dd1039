//! Whether memories help.

use reflect_api::{LiftAnswer, LiftRequest};

use crate::{Asker, Service, ServiceResult};

impl Service {
    /// Whether memories help, by the tasks that did without.
    pub async fn lift(&self, asker: Asker<'_>, request: &LiftRequest) -> ServiceResult<LiftAnswer> {
        let (report, holdout) = self.engine.lift(asker, request.left_out()).await?;
        Ok(LiftAnswer::new(&report, holdout))
    }
}
