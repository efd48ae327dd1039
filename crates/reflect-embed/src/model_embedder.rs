//! A model behind the door that all embedders share.

use std::sync::Arc;

use async_trait::async_trait;
use reflect_core::EmbedderId;
use tokio::{sync::Semaphore, task::spawn_blocking};

use crate::{EmbedError, Embedder, Model, ModelFileError, background_threads::BackgroundThreads};

/// Embeds with a [`Model`], on threads that may be busy for a while, as many at a time as there are cores.
pub struct ModelEmbedder {
    model: Arc<Model>,
    permits: Arc<Semaphore>,
    /// Where it runs, if whatever else there is to do may come first.
    background: Option<BackgroundThreads>,
}

impl ModelEmbedder {
    /// The file of the model in the binary. `tools/embedder` says how it came about.
    pub const BUILTIN: &[u8] = include_bytes!("../models/reflect-mini-4.safetensors");

    /// An embedder with the model that is in the binary.
    pub fn builtin() -> Result<Self, ModelFileError> {
        Ok(Self::new(Model::read(Self::BUILTIN)?))
    }

    /// An embedder with a model of one's own.
    pub fn new(model: Model) -> Self {
        Self { model: Arc::new(model), permits: Arc::new(Semaphore::new(cores())), background: None }
    }

    /// The same model, on threads that let others go first.
    pub(crate) fn in_background(&self) -> Self {
        // Where there are no such threads, it runs on those that there are.
        let background = BackgroundThreads::new(cores()).ok();
        Self { model: Arc::clone(&self.model), permits: Arc::new(Semaphore::new(cores())), background }
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }
}

/// How many runs of a model there may be at a time.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

#[async_trait]
impl Embedder for ModelEmbedder {
    fn id(&self) -> EmbedderId {
        EmbedderId(self.model.name().to_owned())
    }

    fn default_floor(&self) -> Option<f64> {
        Some(self.model.floor())
    }

    async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let closed = |_| EmbedError::Failed("the process is ending".into());
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(closed)?;
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        let model = Arc::clone(&self.model);
        // Goes with this future, if whoever asked goes away: then the thread stops as well.
        let asker = Arc::new(());
        let asker_seen_from_thread = Arc::downgrade(&asker);
        let embed = move || {
            let _permit = permit;
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            model.embed_while(&texts, || asker_seen_from_thread.strong_count() > 0)
        };
        let running = match &self.background {
            Some(threads) => threads.spawn(embed),
            None => Some(spawn_blocking(embed)),
        };
        let running = running.ok_or_else(|| EmbedError::Failed("the process is ending".into()))?;
        let vectors = running.await.map_err(|_| EmbedError::Failed("the model's thread ended".into()));
        drop(asker);
        vectors?.ok_or_else(|| EmbedError::Failed("whoever asked went away".into()))
    }
}
