//! The engine in this process.

use std::{
    path::Path,
    sync::{Arc, PoisonError, RwLock},
};

use async_trait::async_trait;
use futures_util::stream::{self, BoxStream};
use reflect_api::{
    BootstrapAnswer, BootstrapRequest, BulkReviewAnswer, BulkReviewRequest, ChangedEvent, CreateKeyRequest,
    CreateSkillRequest, CreateTraceRequest, CreatedKeyAnswer, CreditAnswer, DeleteTracesAnswer, DeleteTracesRequest,
    DeletedProjectAnswer, EditMemoryRequest, EvaluatePolicyRequest, EvaluationAnswer, HealthAnswer, JudgeReportAnswer,
    KeyAnswer, LiftAnswer, LiftRequest, Limits, ListCreditsRequest, ListMemoriesRequest, ListTracesRequest,
    MemoryDetail, MemoryMapAnswer, ProjectAnswer, QueryRequest, RetrievalAnswer, ReviewRequest, RevisionAnswer,
    SessionAnswer, SettingChoicesAnswer, SettingsAnswer, SettingsRequest, SignInAnswer, SignInRequest, SkillAnswer,
    StatisticsAnswer, StatisticsRequest, SubmissionAnswer, TraceAnswer,
};
use reflect_core::{KeyId, MemoryId, ProjectId, RetrievalId, TraceId};
use reflect_engine::{
    AuditLog, Background, Caller, Embedders, Engine, EngineSettings, IdempotencyKey, MasterKey, ModelParts, Parts,
};
use reflect_service::{Asker, Refusal, Service, changed_event};
use reflect_store::{DataFolder, Ownership, Store};
use reflect_system::{SystemClock, SystemEntropy};
use reflection::{BuiltinReflector, RunReflector};
use serde::Serialize;
use sha2::{Digest, Sha256};
use tokio::time::{Duration, sleep};
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;

use crate::{
    Error, Result,
    world::{Named, Page, QueriedMemories, World},
};

/// How an embedded engine is put together. The default is what a server has that was given no settings: the built-in embedder and
/// the built-in reflector.
///
/// ```no_run
/// # async fn example() -> Result<(), reflect_client::Error> {
/// use reflect_client::{EmbeddedOptions, EngineSettings, ReflectClient};
///
/// let engine = EngineSettings { workers: 2, ..EngineSettings::default() };
/// let options = EmbeddedOptions { engine, ..EmbeddedOptions::default() };
/// let client = ReflectClient::builder().open("./reflect-data", options).await?;
/// # Ok(()) }
/// ```
pub struct EmbeddedOptions {
    /// Makes the vectors; the model inside the library when unset.
    pub embedders: Option<Embedders>,
    /// Writes the lessons where no model does.
    pub reflector: Arc<dyn RunReflector>,
    /// Models that write lessons, judge, distil and compose.
    pub models: ModelParts,
    /// Everything that can be tuned.
    pub engine: EngineSettings,
    /// How much a request may hold.
    pub limits: Limits,
    /// Lets [`crate::ReflectClient::bootstrap`] make projects, if set.
    pub bootstrap_token: Option<String>,
}

impl Default for EmbeddedOptions {
    fn default() -> Self {
        Self {
            embedders: None,
            reflector: Arc::new(BuiltinReflector),
            models: ModelParts::default(),
            engine: EngineSettings::default(),
            limits: Limits::default(),
            bootstrap_token: None,
        }
    }
}

/// The engine in this process. Dropping it stops the work in the background; the folder is given back with the engine, once
/// nothing works in it any more.
pub(crate) struct EmbeddedWorld {
    caller: Caller,
    /// Taken when the world is closed.
    open: RwLock<Option<Open>>,
    folder: String,
}

/// How far apart two events are at least, as on the server.
const EVENTS_APART: Duration = Duration::from_millis(250);

/// What there is until the world is closed.
struct Open {
    service: Service,
    background: Background,
    /// Ends the streams of those who follow a project.
    closing: CancellationToken,
    ends_streams: DropGuard,
}

impl EmbeddedWorld {
    pub(crate) async fn open(path: &Path, options: EmbeddedOptions) -> Result<Self> {
        let failed = |what: &str, problem: String| Error::Settings(format!("{what} `{}`: {problem}", path.display()));
        let folder = match DataFolder::open(path).map_err(|error| failed("opening", error.to_string()))? {
            Ownership::Ours(folder) => folder,
            Ownership::Theirs(owner) => {
                let folder = path.display().to_string();
                return Err(Error::FolderInUse { folder, pid: owner.pid, url: owner.url });
            }
        };
        let store = Store::open(&folder.database()).map_err(|error| failed("opening", error.to_string()))?;
        let (master_key, _) = MasterKey::find_or_make(path, &SystemEntropy)
            .map_err(|error| failed("reading the master key in", error.to_string()))?;
        let embedders = match options.embedders {
            Some(embedders) => embedders,
            None => Embedders::builtin().map_err(|error| failed("loading the model for", error.to_string()))?,
        };
        let engine = Engine::new(Parts {
            store,
            embedders,
            reflector: options.reflector,
            models: options.models,
            clock: Arc::new(SystemClock),
            entropy: Arc::new(SystemEntropy),
            master_key: MasterKey::new(&master_key),
            bootstrap_token: options.bootstrap_token,
            audit: AuditLog::default(),
            settings: options.engine,
        });
        // A lesson that is still being written when the client is dropped must not meet the next owner of the folder.
        engine.hold_while_alive(Box::new(folder));
        let background = Background::start(Arc::clone(&engine)).await.map_err(Refusal::from)?;
        let service = Service::new(engine, options.limits);
        let closing = CancellationToken::new();
        let open = Open { service, background, ends_streams: closing.clone().drop_guard(), closing };
        Ok(Self { caller: Caller::master(), open: RwLock::new(Some(open)), folder: path.display().to_string() })
    }

    /// Whoever answers, until the client is closed.
    fn service(&self) -> Result<Service> {
        self.with_open(|open| open.service.clone())
    }

    fn with_open<T>(&self, read: impl FnOnce(&Open) -> T) -> Result<T> {
        let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
        let closed = || Error::Settings(format!("the client of the folder `{}` was closed", self.folder));
        open.as_ref().map(read).ok_or_else(closed)
    }

    fn asker<'a>(&'a self, project_id: &'a ProjectId) -> Asker<'a> {
        Asker { caller: &self.caller, project_id }
    }
}

/// What makes a request one and the same, if it has a name.
fn idempotency(named: &Named<impl Serialize>, what: &str) -> Result<Option<IdempotencyKey>> {
    let Some(name) = &named.name else { return Ok(None) };
    let key = reflect_api::idempotency_key(name).map_err(Refusal::from)?;
    let json = serde_json::to_vec(&named.request)
        .map_err(|error| Error::Settings(format!("the request is no JSON: {error}")))?;
    let fingerprint = Sha256::new().chain_update(what).chain_update([0]).chain_update(json).finalize().into();
    Ok(Some(IdempotencyKey { key, fingerprint }))
}

#[async_trait]
impl World for EmbeddedWorld {
    fn name(&self) -> String {
        self.folder.clone()
    }

    async fn close(&self) {
        let open = self.open.write().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Open { service, background, ends_streams, .. }) = open {
            drop((service, ends_streams));
            background.stop().await;
        }
    }

    async fn health(&self) -> Result<HealthAnswer> {
        Ok(self.service()?.health())
    }

    async fn bootstrap(&self, token: &str, request: BootstrapRequest) -> Result<BootstrapAnswer> {
        Ok(self.service()?.bootstrap(token, request).await?)
    }

    async fn sign_in(&self, request: SignInRequest) -> Result<SignInAnswer> {
        let service = self.service()?;
        Ok(match request.code {
            Some(code) => service.sign_in_with_code(&code).await?,
            None => service.sign_in(&self.caller).await?,
        })
    }

    async fn sign_out(&self) -> Result<()> {
        Ok(self.service()?.sign_out(&self.caller).await?)
    }

    async fn get_session(&self) -> Result<SessionAnswer> {
        Ok(self.service()?.session(&self.caller))
    }

    async fn list_projects(&self) -> Result<Vec<ProjectAnswer>> {
        Ok(self.service()?.list_projects(&self.caller).await?)
    }

    async fn delete_project(&self, project: &ProjectId) -> Result<DeletedProjectAnswer> {
        Ok(self.service()?.delete_project(self.asker(project)).await?)
    }

    async fn get_settings(&self, project: &ProjectId) -> Result<SettingsAnswer> {
        Ok(self.service()?.get_settings(self.asker(project)).await?)
    }

    async fn statistics(&self, project: &ProjectId, request: &StatisticsRequest) -> Result<StatisticsAnswer> {
        Ok(self.service()?.statistics(self.asker(project), request).await?)
    }

    async fn lift(&self, project: &ProjectId, request: &LiftRequest) -> Result<LiftAnswer> {
        Ok(self.service()?.lift(self.asker(project), request).await?)
    }

    async fn evaluate_policy(&self, project: &ProjectId, request: EvaluatePolicyRequest) -> Result<EvaluationAnswer> {
        Ok(self.service()?.evaluate_policy(self.asker(project), request).await?)
    }

    async fn events(&self, project: &ProjectId) -> Result<BoxStream<'static, Result<ChangedEvent>>> {
        let (service, closing) = self.with_open(|open| (open.service.clone(), open.closing.clone()))?;
        let watch = service.watch(self.asker(project)).await?;
        let changes = stream::unfold((watch, closing), |(watch, closing)| async move {
            let changes = async {
                watch.wait().await;
                // Many changes make one event.
                sleep(EVENTS_APART).await;
            };
            tokio::select! {
                () = changes => {}
                () = closing.cancelled() => return None,
            }
            let changed = changed_event(watch.take());
            Some((Ok(changed), (watch, closing)))
        });
        Ok(Box::pin(changes))
    }

    async fn setting_choices(&self, project: &ProjectId) -> Result<SettingChoicesAnswer> {
        Ok(self.service()?.setting_choices(self.asker(project)).await?)
    }

    async fn update_settings(&self, project: &ProjectId, request: SettingsRequest) -> Result<SettingsAnswer> {
        Ok(self.service()?.update_settings(self.asker(project), request).await?)
    }

    async fn query(&self, project: &ProjectId, request: Named<QueryRequest>) -> Result<QueriedMemories> {
        let Named { request, name } = request;
        let name = name.as_deref().map(reflect_api::idempotency_key).transpose().map_err(Refusal::from)?;
        let queried = self.service()?.query(self.asker(project), request, name).await?;
        Ok(QueriedMemories {
            retrieval_id: queried.retrieval_id.map(|id| id.as_uuid()),
            held_out: queried.held_out,
            partial_search: queried.partial.map(|progress| progress.to_string()),
            approximate_search: queried.approximate.map(|approximate| approximate.as_str().to_owned()),
            nothing_found: queried.nothing_found.map(|why| why.to_string()),
            ..QueriedMemories::of(queried.answer)
        })
    }

    async fn create_trace(&self, project: &ProjectId, request: Named<CreateTraceRequest>) -> Result<SubmissionAnswer> {
        let idempotency = idempotency(&request, "traces")?;
        Ok(self.service()?.create_trace(self.asker(project), request.request, idempotency).await?)
    }

    async fn get_trace(&self, project: &ProjectId, trace_id: Uuid) -> Result<TraceAnswer> {
        Ok(self.service()?.get_trace(self.asker(project), TraceId::from_uuid(trace_id)).await?)
    }

    async fn list_traces(&self, project: &ProjectId, request: &ListTracesRequest) -> Result<Page<TraceAnswer>> {
        let page = self.service()?.list_traces(self.asker(project), request).await?;
        Ok(Page { items: page.items, next_cursor: page.next_cursor })
    }

    async fn review_trace(
        &self,
        project: &ProjectId,
        trace_id: Uuid,
        request: Named<ReviewRequest>,
    ) -> Result<TraceAnswer> {
        let idempotency = idempotency(&request, &format!("review {trace_id}"))?;
        let trace_id = TraceId::from_uuid(trace_id);
        Ok(self.service()?.review_trace(self.asker(project), trace_id, request.request, idempotency).await?)
    }

    async fn review_traces(&self, project: &ProjectId, request: Named<BulkReviewRequest>) -> Result<BulkReviewAnswer> {
        let idempotency = idempotency(&request, "bulk review")?;
        Ok(self.service()?.review_traces(self.asker(project), request.request, idempotency).await?)
    }

    async fn take_back_review(&self, project: &ProjectId, trace_id: Uuid) -> Result<TraceAnswer> {
        Ok(self.service()?.take_back_review(self.asker(project), TraceId::from_uuid(trace_id)).await?)
    }

    async fn retry_trace(&self, project: &ProjectId, trace_id: Uuid) -> Result<TraceAnswer> {
        Ok(self.service()?.retry_trace(self.asker(project), TraceId::from_uuid(trace_id)).await?)
    }

    async fn delete_traces(&self, project: &ProjectId, request: DeleteTracesRequest) -> Result<DeleteTracesAnswer> {
        Ok(self.service()?.delete_traces(self.asker(project), request).await?)
    }

    async fn list_memories(&self, project: &ProjectId, request: &ListMemoriesRequest) -> Result<Page<MemoryDetail>> {
        let page = self.service()?.list_memories(self.asker(project), request).await?;
        Ok(Page { items: page.items, next_cursor: page.next_cursor })
    }

    async fn get_memory(&self, project: &ProjectId, memory_id: Uuid) -> Result<MemoryDetail> {
        Ok(self.service()?.get_memory(self.asker(project), MemoryId::from_uuid(memory_id)).await?)
    }

    async fn list_credits(
        &self,
        project: &ProjectId,
        memory_id: Uuid,
        request: &ListCreditsRequest,
    ) -> Result<Page<CreditAnswer>> {
        let memory_id = MemoryId::from_uuid(memory_id);
        let page = self.service()?.list_credits(self.asker(project), memory_id, request).await?;
        Ok(Page { items: page.items, next_cursor: page.next_cursor })
    }

    async fn list_memory_revisions(&self, project: &ProjectId, memory_id: Uuid) -> Result<Vec<RevisionAnswer>> {
        Ok(self.service()?.list_memory_revisions(self.asker(project), MemoryId::from_uuid(memory_id)).await?)
    }

    async fn memory_map(&self, project: &ProjectId) -> Result<MemoryMapAnswer> {
        Ok(self.service()?.memory_map(self.asker(project)).await?)
    }

    async fn get_retrieval(&self, project: &ProjectId, retrieval_id: Uuid) -> Result<RetrievalAnswer> {
        Ok(self.service()?.get_retrieval(self.asker(project), RetrievalId::from_uuid(retrieval_id)).await?)
    }

    async fn edit_memory(
        &self,
        project: &ProjectId,
        memory_id: Uuid,
        request: EditMemoryRequest,
    ) -> Result<MemoryDetail> {
        Ok(self.service()?.edit_memory(self.asker(project), MemoryId::from_uuid(memory_id), request).await?)
    }

    async fn delete_memory(&self, project: &ProjectId, memory_id: Uuid) -> Result<()> {
        Ok(self.service()?.delete_memory(self.asker(project), MemoryId::from_uuid(memory_id)).await?)
    }

    async fn create_skill(&self, project: &ProjectId, request: Named<CreateSkillRequest>) -> Result<SkillAnswer> {
        let idempotency = idempotency(&request, "skill")?;
        Ok(self.service()?.create_skill(self.asker(project), request.request, idempotency).await?)
    }

    async fn get_skill(&self, project: &ProjectId) -> Result<SkillAnswer> {
        Ok(self.service()?.get_skill(self.asker(project)).await?)
    }

    async fn get_skill_version(&self, project: &ProjectId, version: u32) -> Result<SkillAnswer> {
        Ok(self.service()?.get_skill_version(self.asker(project), version).await?)
    }

    async fn list_skill_versions(&self, project: &ProjectId) -> Result<Vec<SkillAnswer>> {
        Ok(self.service()?.list_skill_versions(self.asker(project)).await?)
    }

    async fn judge_report(&self, project: &ProjectId) -> Result<JudgeReportAnswer> {
        Ok(self.service()?.judge_report(self.asker(project)).await?)
    }

    async fn list_keys(&self, project: &ProjectId) -> Result<Vec<KeyAnswer>> {
        Ok(self.service()?.list_keys(self.asker(project)).await?)
    }

    async fn create_key(&self, project: &ProjectId, request: Named<CreateKeyRequest>) -> Result<CreatedKeyAnswer> {
        let idempotency = idempotency(&request, "api-keys")?;
        Ok(self.service()?.create_key(self.asker(project), request.request, idempotency).await?)
    }

    async fn revoke_key(&self, project: &ProjectId, key_id: &str) -> Result<KeyAnswer> {
        // What cannot be an id names nothing, as on the server.
        let key_id: KeyId = key_id.parse().map_err(|_| Refusal::not_found("key", key_id))?;
        Ok(self.service()?.revoke_key(self.asker(project), key_id).await?)
    }
}
