//! A second embedder, which counts letters, and which tests can hold up or break.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use async_trait::async_trait;
use reflect_core::EmbedderId;
use reflect_embed::{EmbedError, Embedder, HashingEmbedder};
use reflect_engine::Embedders;
use tokio::sync::Notify;

/// How often each letter occurs, unless a text has `jumble` in it. Its vectors have another dimension than hashing's, and are of another kind for each name.
pub(crate) struct Letters {
    name: &'static str,
    /// How many texts it was asked about.
    pub(crate) texts: AtomicUsize,
    state: Mutex<State>,
}

#[derive(Clone, Default)]
enum State {
    #[default]
    Works,
    Fails,
    /// The next call says that it has come, and waits to be let go.
    Held {
        came: Arc<Notify>,
        go: Arc<Notify>,
    },
}

impl Letters {
    pub(crate) fn new(name: &'static str) -> Arc<Self> {
        Arc::new(Self { name, texts: AtomicUsize::new(0), state: Mutex::default() })
    }

    pub(crate) fn fail(&self) {
        *self.state.lock().unwrap() = State::Fails;
    }

    pub(crate) fn work(&self) {
        *self.state.lock().unwrap() = State::Works;
    }

    /// Holds the next call up: the first signal says that it has come, the second lets it go.
    pub(crate) fn hold(&self) -> (Arc<Notify>, Arc<Notify>) {
        let (came, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        *self.state.lock().unwrap() = State::Held { came: Arc::clone(&came), go: Arc::clone(&go) };
        (came, go)
    }

    /// Takes the state of one call: a hold is for one call only.
    fn take_state(&self) -> State {
        let mut state = self.state.lock().unwrap();
        match &*state {
            State::Held { .. } => std::mem::take(&mut *state),
            other => other.clone(),
        }
    }
}

#[async_trait]
impl Embedder for Letters {
    fn id(&self) -> EmbedderId {
        EmbedderId(format!("{}-v1-27", self.name))
    }

    fn default_floor(&self) -> Option<f64> {
        None
    }

    async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        match self.take_state() {
            State::Works => {}
            State::Fails => return Err(EmbedError::Failed("the letters are jumbled".into())),
            State::Held { came, go } => {
                came.notify_one();
                go.notified().await;
            }
        }
        if texts.iter().any(|text| text.contains("jumble")) {
            return Err(EmbedError::Failed("one of the texts is jumbled".into()));
        }
        self.texts.fetch_add(texts.len(), Ordering::Relaxed);
        Ok(texts.iter().map(|text| count(text)).collect())
    }
}

fn count(text: &str) -> Vec<f32> {
    let mut counts = [0.0_f32; 27];
    counts[26] = 0.1;
    for letter in text.bytes().map(|byte| byte.to_ascii_lowercase()).filter(u8::is_ascii_lowercase) {
        counts[usize::from(letter - b'a')] += 1.0;
    }
    let length = counts.iter().map(|count| count * count).sum::<f32>().sqrt();
    counts.iter().map(|count| count / length).collect()
}

/// Hashing as the default, and these beside it.
pub(crate) fn beside_hashing(others: &[&Arc<Letters>]) -> Embedders {
    let hashing = Embedders::new("builtin", Arc::new(HashingEmbedder));
    others.iter().fold(hashing, |embedders, letters| embedders.with(letters.name, Arc::clone(letters) as _))
}

/// Only these, the first as the default.
pub(crate) fn only(letters: &Arc<Letters>) -> Embedders {
    Embedders::new(letters.name, Arc::clone(letters) as _)
}
