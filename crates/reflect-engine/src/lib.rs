//! The use cases: query, ingest, review, keys; jobs and their runner.
//!
//! HTTP, MCP, the worker, the command line and tests all call the same methods of [`Engine`]. It decides; the store keeps.
//! There is no HTTP here and no SQL. Time, randomness, reflector and embedder are handed in.
//!
//! To add a use case, give it a file with its input, its answer and its method on [`Engine`].

mod access;
mod audit;
mod bulk_reviews;
mod coordination;
mod distillation;
mod embedders;
mod embedding;
mod error;
mod forgotten;
mod gauges;
mod indexes;
mod lift;
mod memories;
mod memory_map;
mod metrics;
mod mixing;
mod models;
mod nothing_found;
mod outgrown;
mod projects;
mod query;
mod quotas;
mod readiness;
mod retrievals;
mod reviews;
mod search_threads;
mod searching;
mod setting_choices;
mod settings;
mod skills;
mod statistics;
mod switching;
mod traces;
mod untold;
mod watching;
mod what_if;
mod words;
mod work;

use std::sync::{Arc, atomic::AtomicI64};

use reflect_core::{Clock, Entropy, Timestamp};
use reflect_index::Indexes;
use reflect_store::Store;
use reflection::RunReflector;
use tokio::sync::Semaphore;
use uuid::Uuid;

use coordination::Coordination;

pub use access::{Asker, AuthError, Caller, CreatedKey, MasterKey, NewKey, SignedIn};
pub use audit::{AuditEvent, AuditLog};
pub use bulk_reviews::BulkReview;
pub use coordination::{Changed, Watch};
pub use distillation::DistilledIntent;
pub use embedders::Embedders;
pub use error::{EngineError, EngineResult};
pub use indexes::{check_database, check_rows};
pub use memories::{EditMemory, KnownMemory};
pub use memory_map::{MapPoint, MemoryMap};
pub use metrics::{Family, HTTP_REQUESTS, HTTP_SECONDS, Metrics};
pub use models::{ModelParts, WithRetries};
pub use nothing_found::NothingFound;
pub use projects::{Bootstrap, Bootstrapped};
pub use query::{Query, RankedMemory, Retrieved};
pub use readiness::{Problem, Readiness, StoreState};
pub use reflect_index::{Hit, IndexReport};
pub use reflect_store::{
    BulkOutcome, CreditPage, DeletedProject, IdempotencyKey, MemoryFilter, MemoryPlan, Statistics, StoreError,
    Submission, SwitchProgress, TraceFilter, TracePage, TraceView, WaitedFor, waiting_for, with_waits,
};
pub use reviews::CreateReview;
pub use searching::Approximation;
pub use setting_choices::{SettingChoices, SettingDefaults};
pub use settings::{EngineSettings, SettingsChange};
pub use skills::CreateSkill;
pub use switching::SwitchStatus;
pub use traces::CreateTrace;
pub use untold::tell_lessons;
pub use work::Background;

/// What an engine is made of.
pub struct Parts {
    /// Where everything is kept.
    pub store: Store,
    /// What turns tasks into vectors.
    pub embedders: Embedders,
    /// Writes the lessons of projects without a model, and stands in for models.
    pub reflector: Arc<dyn RunReflector>,
    /// The models that may write lessons instead, judge, distil and compose.
    pub models: ModelParts,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Randomness for ids, secrets and jitter.
    pub entropy: Arc<dyn Entropy>,
    /// The key that opens every project.
    pub master_key: MasterKey,
    /// The token that lets a stranger make a project, if any does.
    pub bootstrap_token: Option<String>,
    /// Where it is written down who got in, and what they did to access and data.
    pub audit: AuditLog,
    /// Everything that can be tuned.
    pub settings: EngineSettings,
}

/// All of Reflect but its network interface.
pub struct Engine {
    store: Arc<Store>,
    embedders: Embedders,
    reflector: Arc<dyn RunReflector>,
    models: models::Models,
    spending: Arc<models::Spending>,
    metrics: Arc<Metrics>,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    master_key: MasterKey,
    bootstrap_token: Option<String>,
    sign_in_codes: access::SignInCodes,
    audit: AuditLog,
    settings: EngineSettings,
    coordination: Arc<Coordination>,
    indexes: Indexes,
    words: words::Words,
    outgrown: outgrown::Outgrown,
    memory_maps: memory_map::MemoryMaps,
    search_threads: search_threads::SearchThreads,
    /// One permit for each follow-up that may run at the same time: a quarter of the workers, so that lessons that are not there
    /// at all never wait behind lessons that could be better.
    follow_ups: Arc<Semaphore>,
    /// One permit for each lesson that may wait for a model at the same time: half the workers, so that a model that hangs
    /// leaves the other half to projects without one.
    model_work: Semaphore,
    switches: switching::Switches,
    probes: readiness::Probes,
    forgotten: forgotten::Forgotten,
    /// When the log last said that an embedder is busy, in milliseconds since 1970.
    busy_said_at: AtomicI64,
    /// What must outlive everything that works with this engine.
    held: std::sync::OnceLock<Box<dyn std::any::Any + Send + Sync>>,
}

impl Engine {
    /// Puts an engine together. Nothing runs yet: jobs are worked by [`Background`], or by hand with
    /// [`Engine::run_due_jobs`].
    pub fn new(parts: Parts) -> Arc<Self> {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let mut instance = [0_u8; 16];
        parts.entropy.fill(&mut instance);
        let store = Arc::new(parts.store);
        let coordination = Arc::new(Coordination::new(Arc::clone(&store), Uuid::from_bytes(instance)));
        let metrics = Arc::new(Metrics::default());
        let spending = Arc::new(models::Spending {
            store: Arc::clone(&store),
            clock: Arc::clone(&parts.clock),
            metrics: Arc::clone(&metrics),
            prices: Arc::clone(&parts.models.prices),
            daily_limit_usd: parts.models.daily_limit_usd,
            coordination: Arc::clone(&coordination),
        });
        Arc::new(Self {
            models: models::Models::new(parts.models, &spending),
            store,
            spending,
            metrics,
            embedders: parts.embedders,
            reflector: parts.reflector,
            clock: parts.clock,
            entropy: parts.entropy,
            master_key: parts.master_key,
            bootstrap_token: parts.bootstrap_token,
            sign_in_codes: access::SignInCodes::default(),
            audit: parts.audit,
            follow_ups: Arc::new(Semaphore::new((parts.settings.workers / 4).max(1))),
            model_work: Semaphore::new((parts.settings.workers / 2).max(1)),
            coordination,
            indexes: Indexes::new(parts.settings.index_memory),
            words: words::Words::default(),
            outgrown: outgrown::Outgrown::default(),
            memory_maps: memory_map::MemoryMaps::default(),
            settings: parts.settings,
            search_threads: search_threads::SearchThreads::new(cores),
            switches: switching::Switches::default(),
            probes: readiness::Probes::default(),
            forgotten: forgotten::Forgotten::default(),
            busy_said_at: AtomicI64::new(0),
            held: std::sync::OnceLock::new(),
        })
    }

    /// Keeps something for as long as anyone works with this engine, such as the lock on its data folder. Only the first is kept.
    pub fn hold_while_alive(&self, held: Box<dyn std::any::Any + Send + Sync>) {
        let _ = self.held.set(held);
    }

    /// The store, for commands that look after the data itself.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// A name for a request that came without one.
    pub fn generate_request_id(&self) -> String {
        let mut bytes = [0_u8; 8];
        self.entropy.fill(&mut bytes);
        access::hex(&bytes)
    }

    /// The time, as this engine was told to read it.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }
}
