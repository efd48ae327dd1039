//! What a conversation comes down to, as something to search by.

use std::time::Duration;

use reflect_core::Message;
use reflect_store::{WaitedFor, waiting_for};
use reflection::{DistilOptions, distil_intent};

use crate::{
    Asker, Engine, EngineResult,
    metrics::FALLBACKS,
    models::{BUILTIN, Fallback, Model, Overheard, Role},
};

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
    pub(crate) async fn distil(&self, asker: Asker<'_>, messages: &[Message]) -> EngineResult<DistilledIntent> {
        let project = self.open_project(asker).await?;
        let model = self.models.reflector_of(&project.settings);
        let options = DistilOptions {
            timeout: Some(self.models.call_timeout.map_or(PATIENCE, |timeout| timeout.min(PATIENCE))),
            redactor: self.models.redactor.clone(),
            ..DistilOptions::default()
        };
        if let Some(model) = model {
            let by_model = self.distil_by_model(&model, messages, &options).await;
            match by_model {
                Ok(text) => return Ok(DistilledIntent { text, distilled_by: model.name.clone() }),
                Err(fallback) => {
                    let reason = fallback.label();
                    tracing::debug!(model = model.name, reason, error = %fallback, "a rule distils what a model did not");
                    self.metrics.count(&FALLBACKS, &[Role::Distiller.name(), reason]);
                }
            }
        }
        let intent = distil_intent(messages, None, &options).await;
        Ok(DistilledIntent { text: intent.text, distilled_by: BUILTIN.to_owned() })
    }

    async fn distil_by_model(
        &self,
        model: &Model,
        messages: &[Message],
        options: &DistilOptions,
    ) -> Result<String, Fallback> {
        let out = |until| Fallback::CircuitOpen { until };
        let permit = model.breaker.admit(self.now()).map_err(out)?;
        let in_time = model.query_breaker.admit(self.now()).map_err(out)?;
        let overheard = Overheard::new(&*model.distiller);
        let asked = distil_intent(messages, Some(&overheard), options);
        let Ok(intent) = waiting_for(WaitedFor::Model, tokio::time::timeout(PATIENCE, asked)).await else {
            // That a query's short patience ran out says nothing about how the model does with lessons.
            in_time.failed(self.now());
            return Err(Fallback::TooSlow);
        };
        let problem = (!intent.by_model).then(|| intent.error.unwrap_or_default());
        if overheard.was_late() {
            in_time.failed(self.now());
            return problem.map_or(Ok(intent.text), |_| Err(Fallback::TooSlow));
        }
        in_time.answered();
        overheard.report(permit, self.now(), problem)?;
        Ok(intent.text)
    }
}
