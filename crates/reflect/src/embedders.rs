//! Which embedders a server has, by its settings.

use std::{fmt, str::FromStr, sync::Arc, time::Duration};

use anyhow::Context;
use reflect_core::{Clock, Entropy, Secret};
use reflect_embed::{
    BatchLimits, BatchingEmbedder, CACHE_BYTES, CachedEmbedder, Embedder, HashingEmbedder, HttpEmbedder,
    HttpEmbedderSettings, LIMITS, ModelEmbedder, RedactingEmbedder, run_here,
};
use reflect_engine::Embedders;
use reflection::Redactor;

use crate::embedding_models;

/// How many requests go to the endpoint at the same time.
const JOINED_AT_A_TIME: usize = 4;

/// The embedders that were named: the first is for new projects.
#[derive(Debug, Clone)]
pub(crate) struct EmbedderSettings {
    pub(crate) names: Vec<EmbedderName>,
    /// Where the one over HTTP is, if one was named.
    pub(crate) remote: Option<Remote>,
}

/// What people call an embedder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EmbedderName {
    Builtin,
    Hashing,
    /// A model that `reflect model install` put into the cache folder.
    Installed(String),
    OpenAi(String),
    Http(String),
}

/// An endpoint.
#[derive(Debug, Clone)]
pub(crate) struct Remote {
    pub(crate) url: String,
    pub(crate) key: Option<Secret>,
    pub(crate) dimension: usize,
    pub(crate) shorten: bool,
    pub(crate) batch: usize,
    pub(crate) timeout: Duration,
    /// Removes from texts what must not leave the machine. The model in the binary sees them as they are.
    pub(crate) redactor: Option<Arc<Redactor>>,
}

impl EmbedderName {
    /// The model, if it is one over HTTP.
    pub(crate) fn model(&self) -> Option<&str> {
        match self {
            Self::Builtin | Self::Hashing | Self::Installed(_) => None,
            Self::OpenAi(model) | Self::Http(model) => Some(model),
        }
    }

    /// Where it is if nothing else is said.
    pub(crate) fn default_url(&self) -> Option<&'static str> {
        matches!(self, Self::OpenAi(_)).then_some("https://api.openai.com/v1")
    }
}

impl FromStr for EmbedderName {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match (text, text.split_once('/')) {
            ("builtin", _) => Ok(Self::Builtin),
            ("hashing", _) => Ok(Self::Hashing),
            (name, None) if embedding_models::can_be_installed(name) => Ok(Self::Installed(name.to_owned())),
            (_, Some(("openai", model))) if !model.is_empty() => Ok(Self::OpenAi(model.to_owned())),
            (_, Some(("http", model))) if !model.is_empty() => Ok(Self::Http(model.to_owned())),
            _ => Err(()),
        }
    }
}

impl fmt::Display for EmbedderName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Builtin => f.write_str("builtin"),
            Self::Hashing => f.write_str("hashing"),
            Self::Installed(name) => f.write_str(name),
            Self::OpenAi(model) => write!(f, "openai/{model}"),
            Self::Http(model) => write!(f, "http/{model}"),
        }
    }
}

impl EmbedderSettings {
    /// The embedders themselves. The built-in one is always there; hashing is kept for projects that have it, and they leave
    /// it at the next start unless it was named.
    pub(crate) fn make(&self, clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> anyhow::Result<Embedders> {
        let mut names = self.names.iter().chain([&EmbedderName::Builtin]);
        let first = names.next().context("`embedder` is empty")?;
        let mut embedders = Embedders::new(&first.to_string(), self.make_one(first, &clock, &entropy)?);
        for name in names {
            embedders = embedders.with(&name.to_string(), self.make_one(name, &clock, &entropy)?);
        }
        Ok(embedders.with_retired(Arc::new(HashingEmbedder)))
    }

    fn make_one(
        &self,
        name: &EmbedderName,
        clock: &Arc<dyn Clock>,
        entropy: &Arc<dyn Entropy>,
    ) -> anyhow::Result<Arc<dyn Embedder>> {
        match name {
            EmbedderName::Builtin => Ok(run_here(ModelEmbedder::builtin()?)),
            EmbedderName::Hashing => Ok(Arc::new(HashingEmbedder)),
            EmbedderName::Installed(model) => Ok(run_here(ModelEmbedder::new(embedding_models::load(model)?))),
            EmbedderName::OpenAi(model) | EmbedderName::Http(model) => {
                let remote = self.remote.as_ref();
                let remote = remote.with_context(|| format!("`embedder` is `{name}`, and nothing says where it is"))?;
                remote.make(model, Arc::clone(clock), Arc::clone(entropy))
            }
        }
    }
}

impl Remote {
    fn make(&self, model: &str, clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> anyhow::Result<Arc<dyn Embedder>> {
        let settings = HttpEmbedderSettings {
            key: self.key.clone(),
            asks_for_dimension: self.shorten,
            max_texts: self.batch,
            timeout: self.timeout,
            // Room for one more try after one that hung.
            patience: self.timeout * 2 + Duration::from_secs(5),
            ..HttpEmbedderSettings::new(&self.url, model, self.dimension)
        };
        let embedder = HttpEmbedder::new(settings, clock, entropy)?;
        Ok(match self.redactor.clone() {
            None => self.in_batches(embedder),
            Some(redactor) => {
                self.in_batches(RedactingEmbedder::new(embedder, move |text: &str| redactor.redact(text)))
            }
        })
    }

    fn in_batches(&self, embedder: impl Embedder + 'static) -> Arc<dyn Embedder> {
        let limits = BatchLimits { texts: self.batch.min(LIMITS.texts), tokens: LIMITS.text_tokens, ..LIMITS };
        let batching = BatchingEmbedder::new(embedder, limits, JOINED_AT_A_TIME);
        Arc::new(CachedEmbedder::new(batching, CACHE_BYTES))
    }
}
