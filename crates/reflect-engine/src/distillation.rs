//! What a conversation comes down to, as something to search by.

use std::time::Duration;

use reflect_core::{Message, ProjectId, Scope};
use reflection::{DistilOptions, distil_intent};

use crate::{Caller, Engine, EngineResult, metrics::FALLBACKS, models::BUILTIN};

/// How long a query waits for a model to distil: longer, and a rule is the better answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// What to search for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DistilledIntent {
    /// In words; empty if there is nothing to search by.
    pub text: String,
    /// The model that found it, or `builtin`.
    pub distilled_by: String,
}

impl Engine {
    /// What a conversation asks for: by the project's model, or by a rule where there is none or it does not answer.
    pub async fn distil(
        &self,
        caller: &Caller,
        project_id: &ProjectId,
        messages: &[Message],
    ) -> EngineResult<DistilledIntent> {
        caller.require(Scope::MemoryRead, project_id)?;
        let project = self.open_project(caller, project_id).await?;
        let model = self.models.reflector_of(&project.settings);
        let options = DistilOptions {
            timeout: Some(PATIENCE),
            redactor: self.models.redactor.clone(),
            ..DistilOptions::default()
        };
        let now = self.now();
        if let Some(model) = model
            && model.outage.until(now).is_none()
        {
            let asked = distil_intent(messages, Some(&*model.distiller), &options);
            match tokio::time::timeout(PATIENCE, asked).await {
                Ok(intent) if intent.by_model => {
                    return Ok(DistilledIntent { text: intent.text, distilled_by: model.name.clone() });
                }
                Ok(intent) => {
                    let error = intent.error.unwrap_or_default();
                    tracing::warn!(model = model.name, error, "a rule distils what a model did not");
                    self.metrics.count(&FALLBACKS, &["distiller", "error"]);
                }
                Err(_) => self.metrics.count(&FALLBACKS, &["distiller", "deadline"]),
            }
        }
        let intent = distil_intent(messages, None, &options).await;
        Ok(DistilledIntent { text: intent.text, distilled_by: BUILTIN.to_owned() })
    }
}
