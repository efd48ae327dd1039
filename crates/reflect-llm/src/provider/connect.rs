//! From a name such as `openai/gpt-5.4-mini` to a model that can be asked.

use std::{fmt, sync::Arc, time::Duration};

use derive_setters::Setters;
use reflect_core::Clock;
use reflect_http::{HttpClient, NoClient};
use reflect_system::SystemClock;
use reqwest::Url;

use super::{
    anthropic::Anthropic,
    gemini::Gemini,
    http_model::{HttpModel, Target},
    ollama::Ollama,
    openai::OpenAi,
    protocol::Protocol,
};
use crate::{ChatModel, Secret};

/// How long an answer is waited for when neither the request nor the settings say.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(120);

/// Where and how a provider is asked. All of it is the operator's: nothing that a user sends chooses an address or a key.
#[derive(Clone, Setters)]
#[setters(generate = false, strip_option)]
pub struct ProviderSettings {
    /// The address up to the protocol's own path, such as `https://api.openai.com/v1`. The provider's own when unset.
    #[setters(generate, into)]
    pub base_url: Option<String>,
    /// The key. Needed by the providers themselves; endpoints of one's own often do without.
    #[setters(generate)]
    pub api_key: Option<Secret>,
    /// How long an answer is waited for when the request does not say.
    pub timeout: Duration,
    /// The connections.
    pub http: HttpClient,
    /// The time of day, to read waits that providers give as a date.
    pub clock: Arc<dyn Clock>,
}

impl ProviderSettings {
    /// The provider's own address, no key, and two minutes for an answer.
    pub fn new(http: HttpClient, clock: Arc<dyn Clock>) -> Self {
        Self { base_url: None, api_key: None, timeout: DEFAULT_TIMEOUT, http, clock }
    }
}

impl fmt::Debug for ProviderSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("ProviderSettings");
        shown.field("base_url", &self.base_url).field("api_key", &self.api_key).field("timeout", &self.timeout);
        shown.finish_non_exhaustive()
    }
}

/// Why a model cannot even be asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConnectError {
    /// The name has no provider, or one that is not known.
    #[error("`{0}` names no model: write `openai/…`, `anthropic/…`, `gemini/…` or `ollama/…`")]
    UnknownModel(String),
    /// The provider wants a key.
    #[error("`{0}` needs an API key")]
    NoKey(String),
    /// There are no connections to be had.
    #[error(transparent)]
    NoClient(#[from] NoClient),
    /// The base URL cannot be used.
    #[error("`{url}` is not an address like `https://api.openai.com/v1`: {reason}")]
    BadUrl {
        /// What was given.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// A model by its name, at the provider's own address: `openai/…`, `anthropic/…`, `gemini/…`, or `ollama/…` on this machine, which needs
/// no key: give it an empty one. Nothing is sent yet. Models of one process share their connections where [`connect_with`] is used.
///
/// ```
/// # fn main() -> Result<(), reflect_llm::ConnectError> {
/// let model = reflect_llm::connect("openai/gpt-5.4-mini", "sk-…")?;
/// assert_eq!(model.name(), "openai/gpt-5.4-mini");
/// # Ok(()) }
/// ```
pub fn connect(model: &str, key: impl Into<String>) -> Result<Arc<dyn ChatModel>, ConnectError> {
    let settings = ProviderSettings::new(HttpClient::new()?, Arc::new(SystemClock));
    connect_with(model, &settings.api_key(Secret::new(key)))
}

/// The same with an address, a time limit and connections of the caller's. With a base URL, `openai/…` is whatever speaks that protocol.
pub fn connect_with(model: &str, settings: &ProviderSettings) -> Result<Arc<dyn ChatModel>, ConnectError> {
    let unknown = || ConnectError::UnknownModel(model.to_owned());
    let (provider, name) = model.split_once('/').ok_or_else(unknown)?;
    if name.trim().is_empty() {
        return Err(unknown());
    }
    let own_address = settings.base_url.is_none();
    let (protocol, default_url, needs_key): (Arc<dyn Protocol>, _, _) = match provider {
        "openai" => (Arc::new(OpenAi { own_address }), "https://api.openai.com/v1", own_address),
        "anthropic" => (Arc::new(Anthropic), "https://api.anthropic.com/v1", own_address),
        "gemini" => (Arc::new(Gemini), "https://generativelanguage.googleapis.com/v1beta", own_address),
        "ollama" => (Arc::new(Ollama), "http://127.0.0.1:11434", false),
        _ => return Err(unknown()),
    };
    let key = settings.api_key.clone().filter(|key| !key.expose().is_empty());
    if needs_key && key.is_none() {
        return Err(ConnectError::NoKey(model.to_owned()));
    }
    let base_url = checked_url(settings.base_url.as_deref().unwrap_or(default_url))?;
    let target = Target { full_name: model.to_owned(), model: name.to_owned(), base_url, key };
    Ok(Arc::new(HttpModel::new(target, protocol, settings)))
}

fn checked_url(text: &str) -> Result<Url, ConnectError> {
    let bad = |reason: String| ConnectError::BadUrl { url: without_password(text), reason };
    let url = Url::parse(text.trim_end_matches('/')).map_err(|error| bad(error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") || url.cannot_be_a_base() {
        return Err(bad("it has to begin with `http://` or `https://`".to_owned()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(bad("a key belongs in its own setting, not in the address".to_owned()));
    }
    Ok(url)
}

/// An address as it may be shown: what stands before an `@` may be a password.
fn without_password(text: &str) -> String {
    text.rsplit_once('@').map_or_else(|| text.to_owned(), |(_, host)| format!("****@{host}"))
}
