//! The two worlds, each put together as its users do.

use std::{net::SocketAddr, sync::Arc};

use reflect_api::Limits;
use reflect_client::{EmbeddedOptions, Message, ReflectClient, Trace};
use reflect_embed::HashingEmbedder;
use reflect_engine::{AuditLog, Background, Embedders, Engine, EngineSettings, MasterKey, ModelParts, Parts};
use reflect_server::App;
use reflect_store::Store;
use reflect_system::{SystemClock, SystemEntropy};
use reflection::{BuiltinReflector, RunReflector};
use tempfile::TempDir;
use tokio::{net::TcpListener, task::JoinSet};

const MASTER_KEY: &str = "rf_live_master_of-tests";
pub(crate) const BOOTSTRAP_TOKEN: &str = "let-me-in";

/// Writes a case once and runs it in both worlds.
macro_rules! in_both_worlds {
    ($(async fn $name:ident($client:ident) $body:block)+) => {
        $(
            async fn $name($client: reflect_client::ReflectClient) $body

            mod $name {
                #[tokio::test]
                async fn over_http() {
                    let world = crate::worlds::harness::HttpWorld::start(crate::worlds::harness::builtin_reflector()).await;
                    super::$name(world.client()).await;
                }

                #[tokio::test]
                async fn in_process() {
                    let (client, _folder) = crate::worlds::harness::embedded(crate::worlds::harness::builtin_reflector()).await;
                    super::$name(client.clone()).await;
                    client.close().await;
                }
            }
        )+
    };
}
pub(crate) use in_both_worlds;

pub(crate) fn builtin_reflector() -> Arc<dyn RunReflector> {
    Arc::new(BuiltinReflector)
}

/// Hashing is quick to start, and similarity of spelling is all that these cases need.
fn embedders() -> Embedders {
    Embedders::new("builtin", Arc::new(HashingEmbedder))
}

/// The engine in this process.
pub(crate) async fn embedded(reflector: Arc<dyn RunReflector>) -> (ReflectClient, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let options = EmbeddedOptions {
        embedders: Some(embedders()),
        reflector,
        bootstrap_token: Some(BOOTSTRAP_TOKEN.into()),
        ..EmbeddedOptions::default()
    };
    let client = ReflectClient::builder().open(folder.path(), options).await.unwrap();
    (client, folder)
}

/// A server on a port of its own.
pub(crate) struct HttpWorld {
    address: SocketAddr,
    _serving: JoinSet<()>,
    _folder: TempDir,
}

impl HttpWorld {
    pub(crate) async fn start(reflector: Arc<dyn RunReflector>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let engine = Engine::new(Parts {
            store: Store::open(&folder.path().join("reflect.db")).unwrap(),
            embedders: embedders(),
            reflector,
            models: ModelParts::default(),
            clock: Arc::new(SystemClock),
            entropy: Arc::new(SystemEntropy),
            audit: AuditLog::default(),
            master_key: MasterKey::new(MASTER_KEY),
            bootstrap_token: Some(BOOTSTRAP_TOKEN.into()),
            settings: EngineSettings::default(),
        });
        let background = Arc::new(Background::start(Arc::clone(&engine)).await.unwrap());
        let app = App::new(engine, Some(background), Limits::default());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut serving = JoinSet::new();
        serving.spawn(async move { axum::serve(listener, reflect_server::router(app)).await.unwrap() });
        Self { address, _serving: serving, _folder: folder }
    }

    pub(crate) fn client(&self) -> ReflectClient {
        self.client_with(MASTER_KEY)
    }

    pub(crate) fn client_with(&self, key: &str) -> ReflectClient {
        let url = format!("http://{}", self.address);
        ReflectClient::builder().base_url(url).api_key(key).build().unwrap()
    }
}

/// A run of a task that passed and became a memory.
pub(crate) async fn learned(client: &ReflectClient, task: &str) -> Trace {
    let trajectory = [Message::user(task), Message::assistant("Done as asked.")];
    client.create_trace(task, trajectory).passed().and_wait().await.unwrap()
}
