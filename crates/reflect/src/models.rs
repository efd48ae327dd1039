//! From the settings to models that can be asked.

use std::sync::Arc;

use anyhow::Context;
use reflect_core::{Clock, Entropy};
use reflect_engine::{ModelParts, WithRetries};
use reflect_llm::{
    ChatModel, HttpClient, Limited, Meter, Metered, ProviderSettings, RetrySettings, Retrying, connect_with,
};
use tokio::sync::Semaphore;

use crate::llm_settings::{LlmSettings, ModelName};

/// Puts the models together. Nothing is sent yet: whether a provider answers shows with the first lesson.
pub(crate) fn put_together(
    settings: &LlmSettings,
    clock: &Arc<dyn Clock>,
    entropy: &Arc<dyn Entropy>,
) -> anyhow::Result<ModelParts> {
    if settings.models.is_empty() {
        return Ok(ModelParts::default());
    }
    say_where_keys_come_from(settings);
    let permits = Arc::new(Semaphore::new(settings.concurrency));
    let prices = Arc::new(settings.prices.clone());
    let http = HttpClient::new()?;
    let listed = settings.models.iter().map(|name| {
        let model = reach(settings, name, ProviderSettings::new(http.clone(), Arc::clone(clock)))?;
        Ok(Arc::new(Metered::new(model, Arc::clone(&prices), Meter::default())) as Arc<dyn ChatModel>)
    });
    Ok(ModelParts {
        listed: listed.collect::<anyhow::Result<_>>()?,
        with_retries: Some(with_retries(settings, permits, entropy)),
        reflector: settings.reflector.clone(),
        judge: settings.judge.clone(),
        call_timeout: Some(settings.timeout),
        prices,
        daily_limit_usd: settings.daily_limit_usd,
        redactor: settings.redactor.clone(),
    })
}

/// Says once for each provider that is used where its key and its address were found, never what they are.
fn say_where_keys_come_from(settings: &LlmSettings) {
    let mut said = Vec::new();
    for ModelName { provider, .. } in &settings.models {
        if said.contains(provider) {
            continue;
        }
        said.push(*provider);
        let endpoint = settings.endpoints.get(provider).cloned().unwrap_or_default();
        let key_from = endpoint.api_key_from.as_deref().unwrap_or("nowhere");
        let address_from = endpoint.base_url_from.as_deref().unwrap_or("the provider itself");
        tracing::info!(provider = provider.name(), key_from, address_from, "a provider of models");
    }
}

fn reach(settings: &LlmSettings, name: &ModelName, provider: ProviderSettings) -> anyhow::Result<Arc<dyn ChatModel>> {
    let endpoint = settings.endpoints.get(&name.provider).cloned().unwrap_or_default();
    let provider = ProviderSettings {
        base_url: endpoint.base_url,
        api_key: endpoint.api_key,
        timeout: settings.timeout,
        ..provider
    };
    connect_with(&name.to_string(), &provider).with_context(|| {
        format!(
            "setting up `{name}` (see REFLECT_{0}_API_KEY or {0}_API_KEY, and REFLECT_{0}_BASE_URL)",
            name.provider.name().to_uppercase()
        )
    })
}

/// Retries, each of which waits for its turn. What is inside, the engine's look at the spend limit included, happens once a call
/// has its turn: whoever was let in before the limit was reached would otherwise be let through after it.
fn with_retries(settings: &LlmSettings, permits: Arc<Semaphore>, entropy: &Arc<dyn Entropy>) -> WithRetries {
    let retry = RetrySettings { attempts: settings.retries.saturating_add(1), ..RetrySettings::default() };
    let entropy = Arc::clone(entropy);
    Arc::new(move |model| {
        let in_turn = Limited::sharing(model, Arc::clone(&permits));
        Arc::new(Retrying::new(in_turn, retry, Arc::clone(&entropy)))
    })
}
