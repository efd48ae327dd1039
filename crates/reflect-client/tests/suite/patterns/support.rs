//! The two worlds.

use std::sync::Arc;

use reflect_api::Limits;
use reflect_client::{EmbeddedOptions, Message, Outcome, ReflectClient, Trace, blocking};
use reflect_embed::HashingEmbedder;
use reflect_engine::{AuditLog, Background, Embedders, Engine, EngineSettings, MasterKey, ModelParts, Parts};
use reflect_server::App;
use reflect_store::Store;
use reflect_system::{SystemClock, SystemEntropy};
use reflection::BuiltinReflector;
use tempfile::TempDir;
use tokio::runtime::Runtime;

const MASTER_KEY: &str = "rf_live_master_of-tests";

/// The task of every test, of which one lesson is known.
pub(crate) const TASK: &str = "Refund order A-17";

/// How far one review moves a memory from 0.5.
pub(crate) const AFTER_PASS: f64 = 0.65;
pub(crate) const AFTER_FAIL: f64 = 0.35;

/// A client, and what has to live as long as it.
pub(crate) struct World {
    pub(crate) client: ReflectClient,
    _folder: TempDir,
    _server: Option<Server>,
}

/// A server on threads of its own, so that a test may hold up all of its own.
struct Server {
    runtime: Option<Runtime>,
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

pub(crate) fn hashing() -> EmbeddedOptions {
    let embedders = Embedders::new("builtin", Arc::new(HashingEmbedder));
    EmbeddedOptions { embedders: Some(embedders), ..EmbeddedOptions::default() }
}

pub(crate) async fn in_process() -> World {
    let folder = tempfile::tempdir().unwrap();
    let client = ReflectClient::builder().open(folder.path(), hashing()).await.unwrap();
    World { client, _folder: folder, _server: None }
}

/// Makes no use of the caller's runtime, if there is one.
pub(crate) fn over_http() -> World {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::new(Parts {
        store: Store::open(&folder.path().join("reflect.db")).unwrap(),
        embedders: Embedders::new("builtin", Arc::new(HashingEmbedder)),
        reflector: Arc::new(BuiltinReflector),
        models: ModelParts::default(),
        clock: Arc::new(SystemClock),
        entropy: Arc::new(SystemEntropy),
        audit: AuditLog::default(),
        master_key: MasterKey::new(MASTER_KEY),
        bootstrap_token: None,
        settings: EngineSettings::default(),
    });
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.spawn(async move {
        let background = Arc::new(Background::start(Arc::clone(&engine)).await.unwrap());
        let router = reflect_server::router(App::new(engine, Some(background), Limits::default()));
        axum::serve(tokio::net::TcpListener::from_std(listener).unwrap(), router).await.unwrap();
    });
    // Not tried again: a call that hangs on a connection which nobody serves would pass at the second try, a minute later.
    let client = ReflectClient::builder().base_url(url).api_key(MASTER_KEY).retries(0).build().unwrap();
    World { client, _folder: folder, _server: Some(Server { runtime: Some(runtime) }) }
}

/// One test for each world.
macro_rules! in_both_worlds {
    ($($(#[$attribute:meta])* async fn $name:ident($client:ident: ReflectClient) $body:block)+) => {
        $(
            $(#[$attribute])*
            mod $name {
                #[allow(unused_imports, clippy::allow_attributes, reason = "not every test needs all of them")]
                use super::*;

                async fn holds($client: ReflectClient) $body

                #[tokio::test]
                async fn over_http() {
                    let world = crate::patterns::support::over_http();
                    holds(world.client.clone()).await;
                }

                #[tokio::test]
                async fn in_process() {
                    let world = crate::patterns::support::in_process().await;
                    holds(world.client.clone()).await;
                }
            }
        )+
    };
}
pub(crate) use in_both_worlds;

/// A lesson for [`TASK`]; its memory.
pub(crate) async fn lesson(client: &ReflectClient) -> uuid::Uuid {
    let trajectory = [Message::user(TASK), Message::assistant("Refunded.")];
    let trace = client.create_trace(TASK, trajectory).failed("look the order up first").and_wait().await.unwrap();
    trace.created_memory_id.unwrap()
}

pub(crate) async fn utility(client: &ReflectClient, memory_id: uuid::Uuid) -> f64 {
    client.get_memory(memory_id).await.unwrap().q_value
}

/// The traces but for the lesson's, newest first.
pub(crate) async fn runs(client: &ReflectClient) -> Vec<Trace> {
    let mut traces = client.list_traces().await.unwrap();
    traces.retain(|trace| trace.final_response != "Refunded.");
    traces
}

/// Of the only trace, its result and feedback.
pub(crate) async fn only_review(client: &ReflectClient) -> (Outcome, Option<String>) {
    let runs = runs(client).await;
    assert_eq!(runs.len(), 1, "{runs:?}");
    let review = runs[0].review.clone().unwrap();
    (review.result, review.feedback_text)
}

/// The same client without async.
pub(crate) fn without_async(world: &World) -> blocking::ReflectClient {
    blocking::ReflectClient::from(&world.client)
}
