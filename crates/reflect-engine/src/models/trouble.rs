//! What keeps a model from doing its work, since when, and in whose words.

use std::sync::{Mutex, MutexGuard, PoisonError};

use reflect_core::Timestamp;

use super::fallback::Fallback;

/// Why the last call came to nothing, and since when none has come to anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trouble {
    /// The kind in one word.
    pub(crate) reason: &'static str,
    /// What the provider said, shortened and without secrets; or what we have to say about its answer.
    pub(crate) said: String,
    pub(crate) since: Timestamp,
}

/// The troubles of one model. The log hears of each once: when it begins, when the reason changes, and when it is over.
#[derive(Default)]
pub(super) struct Troubles {
    model: String,
    now: Mutex<Option<Trouble>>,
}

impl Troubles {
    pub(super) fn of(model: &str) -> Self {
        Self { model: model.to_owned(), now: Mutex::default() }
    }

    /// What is wrong at the moment, if anything is.
    pub(super) fn current(&self) -> Option<Trouble> {
        self.lock().clone()
    }

    /// A call came to nothing, whether or not that says that the model is down.
    pub(super) fn note(&self, fallback: &Fallback, now: Timestamp) {
        let mut current = self.lock();
        let (reason, said) = (fallback.label(), fallback.to_string());
        if current.as_ref().is_none_or(|trouble| trouble.reason != reason) {
            tracing::warn!(model = self.model, reason, said, "a model gives no answers of use; rules do its work");
        }
        let since = current.as_ref().map_or(now, |trouble| trouble.since);
        *current = Some(Trouble { reason, said, since });
    }

    /// A call was of use.
    pub(super) fn end(&self) {
        if let Some(trouble) = self.lock().take() {
            tracing::info!(model = self.model, reason = trouble.reason, since = %trouble.since, "a model answers again");
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Trouble>> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
