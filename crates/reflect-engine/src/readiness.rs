//! Whether the engine can do its work, and what is wrong where it cannot.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use reflect_core::Timestamp;
use reflect_embed::Caller;
use reflect_store::StoreError;
use tokio::time::Instant;

use crate::{Engine, models::Trouble};

/// How long what was found counts: whoever asks more often costs nothing.
const FRESH: Duration = Duration::from_secs(2);

/// How long the store may take to answer and to write.
const STORE_PATIENCE: Duration = Duration::from_secs(10);

/// How long an embedder counts as alive after it has made a vector.
const EMBEDDER_ALIVE: Duration = Duration::from_secs(30);

/// How long an embedder may take to make one.
const EMBEDDER_PATIENCE: Duration = Duration::from_secs(5);

/// How many lessons in a row have to fail before lessons count as failing, and for how long after the last of them they do: if
/// nobody sends any more because of that, nobody would find out that they could be written again.
const FAILED_LESSONS: u32 = 3;
const FAILED_LESSONS_MILLIS: u64 = 300_000;

/// Whether the engine can do its work, and with what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Readiness {
    /// Whether the database can be read and written.
    pub store: StoreState,
    /// The embedder of new projects.
    pub embedder: String,
    /// Who writes the lessons.
    pub reflector: String,
    /// What is wrong.
    pub problems: Vec<Problem>,
}

/// What the database can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreState {
    /// All it should.
    Open,
    /// It can be read; the disk is full.
    Full,
    /// It can be read.
    ReadOnly,
    /// Nothing.
    Unavailable,
}

/// Something that is wrong. It is told to strangers, so it holds nobody's words but ours; those of others stand apart in `said`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// `store`, `embedder`, `reflector` or `model`.
    pub part: &'static str,
    /// What, in a sentence.
    pub problem: String,
    /// The words of whoever is at fault, where there are some: shortened and without secrets, but they may repeat what they were asked.
    /// For the operator alone.
    pub said: Option<String>,
    /// Since when, where that is known.
    pub since: Option<Timestamp>,
    /// Whether requests fail because of it. Otherwise something else stands in.
    pub is_fatal: bool,
}

impl Problem {
    fn fatal(part: &'static str, problem: String) -> Self {
        Self { part, problem, said: None, since: None, is_fatal: true }
    }
}

/// What was found lately.
#[derive(Default)]
pub(crate) struct Probes {
    /// Held while somebody looks, so that all who ask at the same time share one look.
    store: tokio::sync::Mutex<Option<(Instant, StoreState)>>,
    embedder: tokio::sync::Mutex<Option<(Instant, bool)>>,
    lessons: Mutex<FailedLessons>,
}

#[derive(Debug, Clone, Copy, Default)]
struct FailedLessons {
    in_a_row: u32,
    since: Option<Timestamp>,
    last: Option<Timestamp>,
}

impl Engine {
    /// Whether everything is there that requests need.
    pub async fn readiness(&self) -> Readiness {
        let (store, embedder) = tokio::join!(self.store_state(), self.is_embedder_alive());
        let id = self.embedders.default_id().to_string();
        let mut problems = Vec::new();
        problems.extend(store_problem(store));
        if !embedder {
            problems.push(Problem::fatal("embedder", format!("`{id}` makes no vectors")));
        }
        problems.extend(self.failing_lessons());
        problems.extend(self.models.iter().filter_map(|model| {
            let Trouble { reason, said, since } = model.breaker.trouble()?;
            let problem = format!("`{}` gives no answers of use ({reason}); rules write its lessons", model.name);
            Some(Problem { part: "model", problem, said: Some(said), since: Some(since), is_fatal: false })
        }));
        let reflector = self.models.default_reflector().unwrap_or_else(|| self.reflector.written_by().reflector);
        Readiness { store, embedder: id, reflector, problems }
    }

    async fn store_state(&self) -> StoreState {
        let mut found = self.probes.store.lock().await;
        if let Some((at, state)) = *found
            && at.elapsed() < FRESH
        {
            return state;
        }
        let probe = async {
            self.store.ping().await.map_err(|error| (StoreState::Unavailable, error))?;
            self.store.probe_writing().await.map_err(|error| (StoreState::ReadOnly, error))
        };
        let too_long = || (StoreState::Unavailable, StoreError::Unavailable("it takes too long to answer".into()));
        let probed = tokio::time::timeout(STORE_PATIENCE, probe).await.unwrap_or_else(|_| Err(too_long()));
        let state = match probed {
            Ok(()) => StoreState::Open,
            Err((_, StoreError::DiskFull | StoreError::DatabaseFull)) => StoreState::Full,
            Err((state, error)) => {
                tracing::error!(%error, "the store is not ready");
                state
            }
        };
        *found = Some((Instant::now(), state));
        state
    }

    /// Asks the embedder of new projects for a vector of a text that nobody has asked for before, now and then.
    async fn is_embedder_alive(&self) -> bool {
        let mut found = self.probes.embedder.lock().await;
        if let Some((at, is_alive)) = *found
            && at.elapsed() < if is_alive { EMBEDDER_ALIVE } else { FRESH }
        {
            return is_alive;
        }
        let text = format!("ready? {}", self.now());
        let id = self.embedders.default_id();
        let texts = [text.as_str()];
        let asked = self.embed_all(Caller::asking("readiness"), id, &texts);
        let is_alive = match tokio::time::timeout(EMBEDDER_PATIENCE, asked).await {
            // One that is busy is alive.
            Ok(Ok(_) | Err(crate::EngineError::EmbedderBusy { .. })) => true,
            Ok(Err(error)) => {
                tracing::error!(embedder = %id, %error, "the embedder is not ready");
                false
            }
            Err(_) => {
                tracing::error!(embedder = %id, "the embedder is not ready: it took too long");
                false
            }
        };
        *found = Some((Instant::now(), is_alive));
        is_alive
    }

    /// A lesson was given up.
    pub(crate) fn note_failed_lesson(&self) {
        let now = self.now();
        let mut lessons = self.probes.lessons.lock().unwrap_or_else(PoisonError::into_inner);
        lessons.in_a_row = lessons.in_a_row.saturating_add(1);
        lessons.since.get_or_insert(now);
        lessons.last = Some(now);
    }

    /// A lesson was written.
    pub(crate) fn note_written_lesson(&self) {
        *self.probes.lessons.lock().unwrap_or_else(PoisonError::into_inner) = FailedLessons::default();
    }

    fn failing_lessons(&self) -> Option<Problem> {
        let lessons = *self.probes.lessons.lock().unwrap_or_else(PoisonError::into_inner);
        let is_recent = self.now().millis_since(lessons.last?) < FAILED_LESSONS_MILLIS;
        (lessons.in_a_row >= FAILED_LESSONS && is_recent).then(|| Problem {
            since: lessons.since,
            ..Problem::fatal("reflector", format!("the last {} lessons could not be written", lessons.in_a_row))
        })
    }
}

fn store_problem(state: StoreState) -> Option<Problem> {
    let problem = match state {
        StoreState::Open => return None,
        StoreState::Full => "the disk is full",
        StoreState::ReadOnly => "the database cannot be written",
        StoreState::Unavailable => "the database cannot be read",
    };
    Some(Problem::fatal("store", problem.to_owned()))
}
