//! The whole server in this process: a real engine over a temporary database, behind its router.

use std::{ops::Deref, path::PathBuf, sync::Arc};

use reflect_api::Limits;
use reflect_core::worth::LearningRule;
use reflect_embed::HashingEmbedder;
use reflect_engine::{AuditLog, Background, Embedders, Engine, EngineSettings, MasterKey, ModelParts, Parts};
use reflect_llm::ChatModel;
use reflect_server::{App, KeyRate, MetricsAccess};
use reflection::{BuiltinReflector, RunReflector};
use tokio::runtime::{Builder, Runtime};

use crate::{
    client::Client,
    fakes::{FakeClock, FixedEntropy},
    test_database::TestDatabase,
};

pub(crate) const MASTER_KEY: &str = "rf_live_master_of-tests";
pub(crate) const BOOTSTRAP_TOKEN: &str = "let-me-in";

/// How a server is put together. What a test does not say is as for someone who read nothing.
#[derive(Clone)]
pub(crate) struct Setup {
    pub(crate) settings: EngineSettings,
    pub(crate) limits: Limits,
    pub(crate) reflector: Arc<dyn RunReflector>,
    pub(crate) embedders: Embedders,
    pub(crate) models: ModelParts,
    pub(crate) metrics: MetricsAccess,
    pub(crate) key_rate: Option<KeyRate>,
    pub(crate) bootstrap_token: Option<&'static str>,
    pub(crate) master_key: &'static str,
    /// Where the audit log goes, if anywhere.
    pub(crate) audit: Option<PathBuf>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            // Where a utility ends by constant steps is told by one formula. `worth.rs` is about what servers do by default.
            settings: EngineSettings { learning: LearningRule::Constant, ..EngineSettings::default() },
            limits: Limits::default(),
            reflector: Arc::new(BuiltinReflector),
            embedders: Embedders::new("builtin", Arc::new(HashingEmbedder)),
            models: ModelParts::default(),
            metrics: MetricsAccess::default(),
            key_rate: None,
            bootstrap_token: Some(BOOTSTRAP_TOKEN),
            master_key: MASTER_KEY,
            audit: None,
        }
    }
}

impl Setup {
    /// A server whose lessons this model writes.
    pub(crate) fn with_model(model: Arc<dyn ChatModel>) -> Self {
        let reflector = Some(model.name().to_owned());
        let models = ModelParts { listed: vec![model], reflector, ..ModelParts::default() };
        Self { models, ..Self::default() }
    }

    /// A server whose runs this model judges.
    pub(crate) fn with_judge(model: Arc<dyn ChatModel>) -> Self {
        let judge = Some(model.name().to_owned());
        let models = ModelParts { listed: vec![model], judge, ..ModelParts::default() };
        Self { models, ..Self::default() }
    }

    pub(crate) fn start(self) -> TestApp {
        self.start_on(TestDatabase::new())
    }

    pub(crate) fn start_on(self, database: TestDatabase) -> TestApp {
        TestApp::open(self, database, Arc::new(FakeClock::new()), Arc::new(FixedEntropy::new()))
    }

    /// A server with a worker of its own, for the few tests about waiting.
    pub(crate) async fn start_with_worker(self) -> (TestApp, Arc<Background>) {
        let app = self.clone().start();
        let background = Arc::new(Background::start(Arc::clone(&app.engine)).await.unwrap());
        let router =
            reflect_server::router(App::new(Arc::clone(&app.engine), Some(Arc::clone(&background)), self.limits));
        let client = Client { router, ..app.client.clone() };
        (TestApp { client, ..app }, background)
    }
}

/// A running server. Used as a client, it is the holder of the master key in the project `default`.
pub(crate) struct TestApp {
    client: Client,
    pub(crate) clock: Arc<FakeClock>,
    entropy: Arc<FixedEntropy>,
    setup: Setup,
    // Declared last and so dropped last: nobody works on it any more.
    database: TestDatabase,
}

impl Deref for TestApp {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl TestApp {
    pub(crate) fn new() -> Self {
        Setup::default().start()
    }

    pub(crate) fn with_reflector(reflector: Arc<dyn RunReflector>) -> Self {
        Setup { reflector, ..Setup::default() }.start()
    }

    /// Runs statements beside the server. Says whether there is a PostgreSQL that took them.
    pub(crate) fn run_sql(&self, sql: &str) -> bool {
        self.database.run(sql)
    }

    pub(crate) fn limits(&self) -> Limits {
        self.setup.limits.clone()
    }

    /// The same database under a new engine, as after a restart.
    pub(crate) fn restart(self) -> Self {
        let embedders = self.setup.embedders.clone();
        self.restart_with(embedders)
    }

    /// The same with other embedders.
    pub(crate) fn restart_with(self, embedders: Embedders) -> Self {
        let Self { client, clock, entropy, setup, database } = self;
        drop(client);
        Self::open(Setup { embedders, ..setup }, database, clock, entropy)
    }

    /// The same with another master key.
    pub(crate) fn restart_with_master_key(self, master_key: &'static str) -> Self {
        let Self { client, clock, entropy, setup, database } = self;
        drop(client);
        Self::open(Setup { master_key, ..setup }, database, clock, entropy)
    }

    fn open(setup: Setup, database: TestDatabase, clock: Arc<FakeClock>, entropy: Arc<FixedEntropy>) -> Self {
        let engine = Engine::new(Parts {
            store: database.open(),
            embedders: setup.embedders.clone(),
            reflector: Arc::clone(&setup.reflector),
            models: setup.models.clone(),
            clock: Arc::clone(&clock) as _,
            entropy: Arc::clone(&entropy) as _,
            audit: setup.audit.as_deref().map_or_else(AuditLog::default, |path| AuditLog::to_file(path).unwrap()),
            master_key: MasterKey::new(setup.master_key),
            bootstrap_token: setup.bootstrap_token.map(str::to_owned),
            settings: setup.settings.clone(),
        });
        let client = Client {
            router: reflect_server::router(
                App::new(Arc::clone(&engine), None, setup.limits.clone())
                    .with_metrics(setup.metrics)
                    .with_key_rate(setup.key_rate),
            ),
            engine,
            key: setup.master_key.to_owned(),
            project: "default".to_owned(),
        };
        Self { client, clock, entropy, setup, database }
    }
}

/// A runtime for tests that bring their own loop.
pub(crate) fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// Runs one case of a property.
pub(crate) fn block_on<T>(case: impl Future<Output = T>) -> T {
    runtime().block_on(case)
}
