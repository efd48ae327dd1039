//! A server over HTTP.

mod answer;
mod call;
mod events;
mod pause;

use std::time::Duration;

use async_trait::async_trait;
use futures_util::stream::BoxStream;
use reflect_api::{
    BootstrapAnswer, BootstrapRequest, BulkReviewAnswer, BulkReviewRequest, ChangedEvent, CreateKeyRequest,
    CreateSkillRequest, CreateTraceRequest, CreatedKeyAnswer, CreditAnswer, DeleteTracesAnswer, DeleteTracesRequest,
    DeletedProjectAnswer, EditMemoryRequest, EvaluatePolicyRequest, EvaluationAnswer, HealthAnswer, JudgeReportAnswer,
    KeyAnswer, LiftAnswer, LiftRequest, ListCreditsRequest, ListMemoriesRequest, ListTracesRequest, MemoryDetail,
    MemoryMapAnswer, ProjectAnswer, QueryRequest, RetrievalAnswer, ReviewRequest, RevisionAnswer, SessionAnswer,
    SettingChoicesAnswer, SettingsAnswer, SettingsRequest, SignInAnswer, SignInRequest, SkillAnswer, StatisticsAnswer,
    StatisticsRequest, SubmissionAnswer, TraceAnswer,
};
use reflect_core::{ProjectId, Secret};
use reqwest::{Client, Method, Url};
use serde::{Serialize, de::DeserializeOwned};
use uuid::Uuid;

use crate::{
    Error, Result,
    key::generate_idempotency_key,
    world::{Named, Page, QueriedMemories, World},
};

use answer::{header, next_cursor, read};
use call::{Call, Repeat};

/// Names the answer of a query.
const RETRIEVAL_ID: &str = "x-retrieval-id";

/// Says that a task does without memories.
const HELD_OUT: &str = "x-reflect-held-out";

/// Says how much of a project was searched, where that was not everything.
const PARTIAL_SEARCH: &str = "x-reflect-partial-search";
const APPROXIMATE_SEARCH: &str = "x-reflect-approximate-search";
const NOTHING_FOUND: &str = "x-reflect-nothing-found";

/// How a server is reached.
#[derive(Debug, Clone)]
pub(crate) struct HttpSettings {
    pub(crate) base_url: Url,
    pub(crate) api_key: Option<Secret>,
    pub(crate) timeout: Duration,
    pub(crate) retries: u32,
    pub(crate) retry_pause: Duration,
}

/// A server over HTTP. Connections are kept and used again.
pub(crate) struct HttpWorld {
    client: Client,
    settings: HttpSettings,
    /// Made when it is first asked for.
    #[cfg(feature = "blocking")]
    apart: std::sync::OnceLock<Option<std::sync::Arc<HttpWorld>>>,
}

impl HttpWorld {
    pub(crate) fn new(settings: HttpSettings) -> Result<Self> {
        let client = reflect_http::client_for(&settings.base_url, |builder| {
            let user_agent = concat!("reflect-client/", env!("CARGO_PKG_VERSION"));
            builder.timeout(settings.timeout).tcp_nodelay(true).user_agent(user_agent)
        });
        Ok(Self {
            client: client.map_err(|error| Error::Settings(error.to_string()))?,
            settings,
            #[cfg(feature = "blocking")]
            apart: std::sync::OnceLock::new(),
        })
    }

    async fn get<T: DeserializeOwned>(&self, path: &[&str]) -> Result<T> {
        read(&self.settings, &self.send(Call::new(Method::GET, path)).await?)
    }

    async fn page<T: DeserializeOwned>(&self, call: Call) -> Result<Page<T>> {
        let answer = self.send(call).await?;
        Ok(Page { items: read(&self.settings, &answer)?, next_cursor: next_cursor(&answer) })
    }

    async fn post<T: DeserializeOwned>(&self, call: Call, body: &impl Serialize) -> Result<T> {
        read(&self.settings, &self.send(call.carrying(body)?).await?)
    }

    /// Sends what may be sent twice and is done once. A request without a name of its own gets one.
    async fn post_named<T: DeserializeOwned>(&self, path: &[&str], named: Named<impl Serialize>) -> Result<T> {
        let call = Call::new(Method::POST, path).named(named.name.or_else(generate_idempotency_key));
        self.post(call, &named.request).await
    }
}

#[async_trait]
impl World for HttpWorld {
    fn name(&self) -> String {
        self.settings.base_url.to_string()
    }

    async fn close(&self) {}

    #[cfg(feature = "blocking")]
    fn apart(&self) -> Option<std::sync::Arc<dyn World>> {
        let make = || HttpWorld::new(self.settings.clone()).ok().map(std::sync::Arc::new);
        self.apart.get_or_init(make).clone().map(|world| world as _)
    }

    async fn health(&self) -> Result<HealthAnswer> {
        read(&self.settings, &self.send(Call::new(Method::GET, &["health"]).without_key()).await?)
    }

    async fn bootstrap(&self, token: &str, request: BootstrapRequest) -> Result<BootstrapAnswer> {
        let call = Call::new(Method::POST, &["v1", "bootstrap"]).without_key().with_header("x-bootstrap-token", token);
        self.post(call, &request).await
    }

    async fn sign_in(&self, request: SignInRequest) -> Result<SignInAnswer> {
        let call = Call::new(Method::POST, &["v1", "sign-in"]);
        let call = if request.code.is_some() { call.without_key() } else { call };
        self.post(call, &request).await
    }

    async fn sign_out(&self) -> Result<()> {
        self.send(Call::new(Method::DELETE, &["v1", "session"])).await.map(|_| ())
    }

    async fn get_session(&self) -> Result<SessionAnswer> {
        self.get(&["v1", "session"]).await
    }

    async fn list_projects(&self) -> Result<Vec<ProjectAnswer>> {
        self.get(&["v1", "projects"]).await
    }

    async fn delete_project(&self, project: &ProjectId) -> Result<DeletedProjectAnswer> {
        let call = Call::new(Method::DELETE, &["v1", "projects", project.as_str()]);
        read(&self.settings, &self.send(call).await?)
    }

    async fn get_settings(&self, project: &ProjectId) -> Result<SettingsAnswer> {
        self.get(&in_project(project, &["settings"])).await
    }

    async fn lift(&self, project: &ProjectId, request: &LiftRequest) -> Result<LiftAnswer> {
        let call = Call::new(Method::GET, &in_project(project, &["lift"])).asking(request);
        read(&self.settings, &self.send(call).await?)
    }

    async fn evaluate_policy(&self, project: &ProjectId, request: EvaluatePolicyRequest) -> Result<EvaluationAnswer> {
        self.post(Call::new(Method::POST, &in_project(project, &["policies", "evaluate"])), &request).await
    }

    async fn statistics(&self, project: &ProjectId, request: &StatisticsRequest) -> Result<StatisticsAnswer> {
        let call = Call::new(Method::GET, &in_project(project, &["statistics"])).asking(request);
        read(&self.settings, &self.send(call).await?)
    }

    async fn events(&self, project: &ProjectId) -> Result<BoxStream<'static, Result<ChangedEvent>>> {
        self.follow(&Call::new(Method::GET, &in_project(project, &["events"]))).await
    }

    async fn setting_choices(&self, project: &ProjectId) -> Result<SettingChoicesAnswer> {
        self.get(&in_project(project, &["settings", "choices"])).await
    }

    async fn update_settings(&self, project: &ProjectId, request: SettingsRequest) -> Result<SettingsAnswer> {
        let call = Call::new(Method::PATCH, &in_project(project, &["settings"])).repeat(Repeat::Always);
        self.post(call, &request).await
    }

    async fn query(&self, project: &ProjectId, request: Named<QueryRequest>) -> Result<QueriedMemories> {
        let call = Call::new(Method::POST, &in_project(project, &["memory", "query"])).repeat(Repeat::Always);
        // Made once for all tries: who sits out does not change with them.
        let call = call.named(request.name.or_else(generate_idempotency_key));
        let answer = self.send(call.carrying(&request.request)?).await?;
        Ok(QueriedMemories {
            retrieval_id: header(&answer, RETRIEVAL_ID).and_then(|id| id.parse().ok()),
            held_out: header(&answer, HELD_OUT).and_then(|share| share.parse().ok()),
            partial_search: header(&answer, PARTIAL_SEARCH).map(str::to_owned),
            approximate_search: header(&answer, APPROXIMATE_SEARCH).map(str::to_owned),
            nothing_found: header(&answer, NOTHING_FOUND).map(str::to_owned),
            ..QueriedMemories::of(read(&self.settings, &answer)?)
        })
    }

    async fn create_trace(&self, project: &ProjectId, request: Named<CreateTraceRequest>) -> Result<SubmissionAnswer> {
        self.post_named(&in_project(project, &["traces"]), request).await
    }

    async fn get_trace(&self, project: &ProjectId, trace_id: Uuid) -> Result<TraceAnswer> {
        self.get(&in_project(project, &["traces", &trace_id.to_string()])).await
    }

    async fn list_traces(&self, project: &ProjectId, request: &ListTracesRequest) -> Result<Page<TraceAnswer>> {
        // Pairs of one name would be one in a map.
        let metadata = request.metadata.iter().map(|filter| (format!("metadata.{}", filter.key), filter.value.clone()));
        let rest = ListTracesRequest { metadata: Vec::new(), ..request.clone() };
        let call = Call::new(Method::GET, &in_project(project, &["traces"])).asking(&rest).asking_also(metadata);
        self.page(call).await
    }

    async fn review_trace(
        &self,
        project: &ProjectId,
        trace_id: Uuid,
        request: Named<ReviewRequest>,
    ) -> Result<TraceAnswer> {
        self.post_named(&in_project(project, &["traces", &trace_id.to_string(), "review"]), request).await
    }

    async fn review_traces(&self, project: &ProjectId, request: Named<BulkReviewRequest>) -> Result<BulkReviewAnswer> {
        self.post_named(&in_project(project, &["traces", "review"]), request).await
    }

    async fn take_back_review(&self, project: &ProjectId, trace_id: Uuid) -> Result<TraceAnswer> {
        let call = Call::new(Method::DELETE, &in_project(project, &["traces", &trace_id.to_string(), "review"]));
        read(&self.settings, &self.send(call).await?)
    }

    async fn retry_trace(&self, project: &ProjectId, trace_id: Uuid) -> Result<TraceAnswer> {
        let call = Call::new(Method::POST, &in_project(project, &["traces", &trace_id.to_string(), "retry"]));
        read(&self.settings, &self.send(call).await?)
    }

    async fn delete_traces(&self, project: &ProjectId, request: DeleteTracesRequest) -> Result<DeleteTracesAnswer> {
        let call = Call::new(Method::POST, &in_project(project, &["traces", "delete"])).repeat(Repeat::IfUnsent);
        self.post(call, &request).await
    }

    async fn list_memories(&self, project: &ProjectId, request: &ListMemoriesRequest) -> Result<Page<MemoryDetail>> {
        self.page(Call::new(Method::GET, &in_project(project, &["memories"])).asking(request)).await
    }

    async fn get_memory(&self, project: &ProjectId, memory_id: Uuid) -> Result<MemoryDetail> {
        self.get(&in_project(project, &["memories", &memory_id.to_string()])).await
    }

    async fn list_credits(
        &self,
        project: &ProjectId,
        memory_id: Uuid,
        request: &ListCreditsRequest,
    ) -> Result<Page<CreditAnswer>> {
        let memory_id = memory_id.to_string();
        let call = Call::new(Method::GET, &in_project(project, &["memories", &memory_id, "credits"]));
        self.page(call.asking(request)).await
    }

    async fn list_memory_revisions(&self, project: &ProjectId, memory_id: Uuid) -> Result<Vec<RevisionAnswer>> {
        self.get(&in_project(project, &["memories", &memory_id.to_string(), "revisions"])).await
    }

    async fn memory_map(&self, project: &ProjectId) -> Result<MemoryMapAnswer> {
        self.get(&in_project(project, &["memories", "map"])).await
    }

    async fn get_retrieval(&self, project: &ProjectId, retrieval_id: Uuid) -> Result<RetrievalAnswer> {
        self.get(&in_project(project, &["retrievals", &retrieval_id.to_string()])).await
    }

    async fn edit_memory(
        &self,
        project: &ProjectId,
        memory_id: Uuid,
        request: EditMemoryRequest,
    ) -> Result<MemoryDetail> {
        let call = Call::new(Method::PATCH, &in_project(project, &["memories", &memory_id.to_string()]));
        self.post(call, &request).await
    }

    async fn delete_memory(&self, project: &ProjectId, memory_id: Uuid) -> Result<()> {
        let call = Call::new(Method::DELETE, &in_project(project, &["memories", &memory_id.to_string()]));
        self.send(call).await.map(|_| ())
    }

    async fn create_skill(&self, project: &ProjectId, request: Named<CreateSkillRequest>) -> Result<SkillAnswer> {
        self.post_named(&in_project(project, &["skill", "create"]), request).await
    }

    async fn get_skill(&self, project: &ProjectId) -> Result<SkillAnswer> {
        self.get(&in_project(project, &["skill"])).await
    }

    async fn get_skill_version(&self, project: &ProjectId, version: u32) -> Result<SkillAnswer> {
        self.get(&in_project(project, &["skill", "versions", &version.to_string()])).await
    }

    async fn list_skill_versions(&self, project: &ProjectId) -> Result<Vec<SkillAnswer>> {
        self.get(&in_project(project, &["skill", "versions"])).await
    }

    async fn judge_report(&self, project: &ProjectId) -> Result<JudgeReportAnswer> {
        self.get(&in_project(project, &["judge", "report"])).await
    }

    async fn list_keys(&self, project: &ProjectId) -> Result<Vec<KeyAnswer>> {
        self.get(&in_project(project, &["api-keys"])).await
    }

    async fn create_key(&self, project: &ProjectId, request: Named<CreateKeyRequest>) -> Result<CreatedKeyAnswer> {
        self.post_named(&in_project(project, &["api-keys"]), request).await
    }

    async fn revoke_key(&self, project: &ProjectId, key_id: &str) -> Result<KeyAnswer> {
        let call =
            Call::new(Method::POST, &in_project(project, &["api-keys", key_id, "revoke"])).repeat(Repeat::Always);
        self.post(call, &serde_json::json!({})).await
    }
}

/// The path of something in a project. Each part is percent-encoded by itself, so an id may hold a slash.
fn in_project<'a>(project: &'a ProjectId, rest: &[&'a str]) -> Vec<&'a str> {
    [&["v1", "projects", project.as_str()], rest].concat()
}
