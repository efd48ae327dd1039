//! The two worlds: a server over HTTP, and the engine in this process.

#[cfg(feature = "embedded")]
pub(crate) mod embedded;
pub(crate) mod http;

use async_trait::async_trait;
use futures_util::stream::BoxStream;
use reflect_api::{
    BootstrapAnswer, BootstrapRequest, BulkReviewAnswer, BulkReviewRequest, ChangedEvent, CreateKeyRequest,
    CreateSkillRequest, CreateTraceRequest, CreatedKeyAnswer, CreditAnswer, DeleteTracesAnswer, DeleteTracesRequest,
    DeletedProjectAnswer, EditMemoryRequest, EvaluatePolicyRequest, EvaluationAnswer, HealthAnswer, JudgeReportAnswer,
    KeyAnswer, LiftAnswer, LiftRequest, ListCreditsRequest, ListMemoriesRequest, ListTracesRequest, MemoryAnswer,
    MemoryDetail, MemoryMapAnswer, ProjectAnswer, QueryAnswer, QueryRequest, RetrievalAnswer, ReviewRequest,
    RevisionAnswer, SessionAnswer, SettingChoicesAnswer, SettingsAnswer, SettingsRequest, SignInAnswer, SignInRequest,
    SkillAnswer, StatisticsAnswer, StatisticsRequest, SubmissionAnswer, TraceAnswer,
};
use reflect_core::ProjectId;
use uuid::Uuid;

use crate::Result;

/// A page of a list.
///
/// ```no_run
/// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
/// let list = client.list_memories().page_size(50);
/// let first = list.page(None).await?;
/// println!("{} lessons", first.items.len());
/// if let Some(cursor) = first.next_cursor {
///     println!("{} more", list.page(Some(cursor)).await?.items.len());
/// }
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Page<T> {
    /// What is on it.
    pub items: Vec<T>,
    /// Where the next page starts, if there is one.
    pub next_cursor: Option<String>,
}

/// What a query found.
#[derive(Debug, Clone, PartialEq)]
pub struct QueriedMemories {
    /// The memories, best first.
    pub memories: Vec<MemoryAnswer>,
    /// What was searched for, where it was distilled from a conversation.
    pub intent: Option<String>,
    /// Names the answer.
    pub retrieval_id: Option<Uuid>,
    /// The share of tasks that do without memories, if this is one of them: the project measures whether memories help.
    pub held_out: Option<f64>,
    /// How much was searched, if not everything: the project is on the way to another embedder.
    pub partial_search: Option<String>,
    /// Why a better memory may be missing, if one may: the project does not fit in the server's memory, and was searched in its database by a
    /// `graph` that may pass memories over, or was `unfinished`.
    pub approximate_search: Option<String>,
    /// Why there are no memories, where none were found: how near the nearest is, or that there is none.
    pub nothing_found: Option<String>,
}

impl QueriedMemories {
    fn of(answer: QueryAnswer) -> Self {
        let (memories, intent) = match answer {
            QueryAnswer::Memories(memories) => (memories, None),
            QueryAnswer::Distilled(distilled) => (distilled.memories, Some(distilled.intent)),
        };
        Self {
            memories,
            intent,
            retrieval_id: None,
            held_out: None,
            partial_search: None,
            approximate_search: None,
            nothing_found: None,
        }
    }
}

/// A request that may have a name: under one, sending it twice does it once, and a query is answered by the same chance.
#[derive(Clone)]
pub(crate) struct Named<R> {
    pub(crate) request: R,
    pub(crate) name: Option<String>,
}

/// Whoever answers.
#[async_trait]
pub(crate) trait World: Send + Sync {
    /// What this world is, for people.
    fn name(&self) -> String;
    async fn close(&self);
    /// The same with connections of its own, for calls from another runtime. None where there is nothing to keep apart.
    #[cfg(feature = "blocking")]
    fn apart(&self) -> Option<std::sync::Arc<dyn World>> {
        None
    }

    async fn health(&self) -> Result<HealthAnswer>;
    async fn bootstrap(&self, token: &str, request: BootstrapRequest) -> Result<BootstrapAnswer>;
    async fn sign_in(&self, request: SignInRequest) -> Result<SignInAnswer>;
    async fn sign_out(&self) -> Result<()>;
    async fn get_session(&self) -> Result<SessionAnswer>;
    async fn list_projects(&self) -> Result<Vec<ProjectAnswer>>;
    async fn delete_project(&self, project: &ProjectId) -> Result<DeletedProjectAnswer>;
    async fn get_settings(&self, project: &ProjectId) -> Result<SettingsAnswer>;
    async fn statistics(&self, project: &ProjectId, request: &StatisticsRequest) -> Result<StatisticsAnswer>;
    async fn lift(&self, project: &ProjectId, request: &LiftRequest) -> Result<LiftAnswer>;
    async fn evaluate_policy(&self, project: &ProjectId, request: EvaluatePolicyRequest) -> Result<EvaluationAnswer>;
    async fn events(&self, project: &ProjectId) -> Result<BoxStream<'static, Result<ChangedEvent>>>;
    async fn setting_choices(&self, project: &ProjectId) -> Result<SettingChoicesAnswer>;
    async fn update_settings(&self, project: &ProjectId, request: SettingsRequest) -> Result<SettingsAnswer>;

    async fn query(&self, project: &ProjectId, request: Named<QueryRequest>) -> Result<QueriedMemories>;
    async fn create_trace(&self, project: &ProjectId, request: Named<CreateTraceRequest>) -> Result<SubmissionAnswer>;
    async fn get_trace(&self, project: &ProjectId, trace_id: Uuid) -> Result<TraceAnswer>;
    async fn list_traces(&self, project: &ProjectId, request: &ListTracesRequest) -> Result<Page<TraceAnswer>>;
    async fn review_trace(
        &self,
        project: &ProjectId,
        trace_id: Uuid,
        request: Named<ReviewRequest>,
    ) -> Result<TraceAnswer>;
    async fn review_traces(&self, project: &ProjectId, request: Named<BulkReviewRequest>) -> Result<BulkReviewAnswer>;
    async fn take_back_review(&self, project: &ProjectId, trace_id: Uuid) -> Result<TraceAnswer>;
    async fn retry_trace(&self, project: &ProjectId, trace_id: Uuid) -> Result<TraceAnswer>;
    async fn delete_traces(&self, project: &ProjectId, request: DeleteTracesRequest) -> Result<DeleteTracesAnswer>;

    async fn list_memories(&self, project: &ProjectId, request: &ListMemoriesRequest) -> Result<Page<MemoryDetail>>;
    async fn get_memory(&self, project: &ProjectId, memory_id: Uuid) -> Result<MemoryDetail>;
    async fn list_credits(
        &self,
        project: &ProjectId,
        memory_id: Uuid,
        request: &ListCreditsRequest,
    ) -> Result<Page<CreditAnswer>>;
    async fn list_memory_revisions(&self, project: &ProjectId, memory_id: Uuid) -> Result<Vec<RevisionAnswer>>;
    async fn memory_map(&self, project: &ProjectId) -> Result<MemoryMapAnswer>;
    async fn get_retrieval(&self, project: &ProjectId, retrieval_id: Uuid) -> Result<RetrievalAnswer>;
    async fn edit_memory(
        &self,
        project: &ProjectId,
        memory_id: Uuid,
        request: EditMemoryRequest,
    ) -> Result<MemoryDetail>;
    async fn delete_memory(&self, project: &ProjectId, memory_id: Uuid) -> Result<()>;

    async fn create_skill(&self, project: &ProjectId, request: Named<CreateSkillRequest>) -> Result<SkillAnswer>;
    async fn get_skill(&self, project: &ProjectId) -> Result<SkillAnswer>;
    async fn get_skill_version(&self, project: &ProjectId, version: u32) -> Result<SkillAnswer>;
    async fn list_skill_versions(&self, project: &ProjectId) -> Result<Vec<SkillAnswer>>;
    async fn judge_report(&self, project: &ProjectId) -> Result<JudgeReportAnswer>;

    async fn list_keys(&self, project: &ProjectId) -> Result<Vec<KeyAnswer>>;
    async fn create_key(&self, project: &ProjectId, request: Named<CreateKeyRequest>) -> Result<CreatedKeyAnswer>;
    async fn revoke_key(&self, project: &ProjectId, key_id: &str) -> Result<KeyAnswer>;
}
