//! What another configuration would have done.

use reflect_api::{EvaluatePolicyRequest, EvaluationAnswer};

use crate::{Asker, Service, ServiceResult};

impl Service {
    /// What a configuration would have done, by the log, or why that cannot be told.
    pub async fn evaluate_policy(
        &self,
        asker: Asker<'_>,
        request: EvaluatePolicyRequest,
    ) -> ServiceResult<EvaluationAnswer> {
        Ok(self.engine.evaluate_policy(asker, request.check()?, request.since).await?.into())
    }
}
