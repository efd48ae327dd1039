//! From the settings to models that can be asked.

use std::sync::Arc;

use anyhow::Context;
use reflect_core::{Clock, Entropy};
use reflect_engine::{ModelParts, WithRetries};
use reflect_llm::{
    ChatModel, HttpClient, Limited, Meter, Metered, ProviderSettings, RetrySettings, Retrying, Secret, connect,
};
use tokio::sync::Semaphore;

use crate::llm_settings::{Endpoint, LlmSettings, ModelName, Provider};

/// Puts the models together. Nothing is sent yet: whether a provider answers shows with the first lesson.
pub(crate) fn put_together(
    settings: &LlmSettings,
    clock: &Arc<dyn Clock>,
    entropy: &Arc<dyn Entropy>,
) -> anyhow::Result<ModelParts> {
    if settings.models.is_empty() {
        return Ok(ModelParts::default());
    }
    let places = Arc::new(Semaphore::new(settings.concurrency));
    let prices = Arc::new(settings.prices.clone());
    let listed = settings.models.iter().map(|name| {
        let model = reach(settings, name, clock)?;
        Ok(Arc::new(Metered::new(model, Arc::clone(&prices), Meter::default())) as Arc<dyn ChatModel>)
    });
    Ok(ModelParts {
        listed: listed.collect::<anyhow::Result<_>>()?,
        with_retries: Some(with_retries(settings, places, entropy)),
        reflector: settings.reflector.clone(),
        judge: settings.judge.clone(),
        call_timeout: Some(settings.timeout),
        prices,
        daily_limit_usd: settings.daily_limit_usd,
        redactor: settings.redactor.clone(),
    })
}

fn reach(settings: &LlmSettings, name: &ModelName, clock: &Arc<dyn Clock>) -> anyhow::Result<Arc<dyn ChatModel>> {
    let endpoint = settings.endpoints.get(&name.provider).cloned().unwrap_or_default();
    let here = endpoint.is_on_this_machine() || (name.provider == Provider::Ollama && endpoint.base_url.is_none());
    let http = if here { HttpClient::without_proxy() } else { HttpClient::new() }?;
    let provider = ProviderSettings {
        base_url: endpoint.base_url.clone(),
        api_key: endpoint.api_key.as_ref().map(|key| Secret::new(key.0.clone())),
        timeout: settings.timeout,
        ..ProviderSettings::new(http, Arc::clone(clock))
    };
    connect(&name.to_string(), &provider).with_context(|| {
        format!(
            "setting up `{name}` (see REFLECT_{0}_API_KEY and REFLECT_{0}_BASE_URL)",
            name.provider.name().to_uppercase()
        )
    })
}

/// Retries, each of which waits for its turn. What is inside, the engine's look at the spend limit included, happens once a call
/// has its turn: whoever was let in before the limit was reached would otherwise be let through after it.
fn with_retries(settings: &LlmSettings, places: Arc<Semaphore>, entropy: &Arc<dyn Entropy>) -> WithRetries {
    let retry = RetrySettings { attempts: settings.retries.saturating_add(1), ..RetrySettings::default() };
    let entropy = Arc::clone(entropy);
    Arc::new(move |model| {
        let in_turn = Limited::sharing(model, Arc::clone(&places));
        Arc::new(Retrying::new(in_turn, retry, Arc::clone(&entropy)))
    })
}

impl Endpoint {
    /// A proxy has no business between two programs on one machine.
    fn is_on_this_machine(&self) -> bool {
        let host = self.base_url.as_deref().and_then(|url| url.split_once("://")).map_or("", |(_, rest)| rest);
        ["127.0.0.1", "localhost", "[::1]"]
            .iter()
            .any(|here| host.strip_prefix(here).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/'])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_on_this_machine_is_known_as_such() {
        let here = |url: &str| Endpoint { base_url: Some(url.to_owned()), api_key: None }.is_on_this_machine();
        assert!(here("http://127.0.0.1:8080/v1") && here("http://localhost") && here("http://[::1]:11434"));
        assert!(!here("https://api.openai.com/v1") && !here("http://localhost.example.com/v1"));
        assert!(!Endpoint::default().is_on_this_machine());
    }
}
