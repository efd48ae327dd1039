//! The calls of the async client, each by its name.

use reflect_core::Scope;
use serde::Serialize;
use uuid::Uuid;

use crate::{
    ApiKey, AugmentTask, AuthoredReflection, Bootstrap, ChangedEvent, CreateKey, CreateSkillRequest, CreateTrace,
    CreditAnswer, DeleteTracesAnswer, DeletedProjectAnswer, EditMemoryRequest, EvaluatePolicyRequest, EvaluationAnswer,
    HealthAnswer, IntoOutcome, JudgeReportAnswer, LiftAnswer, LiftRequest, ListMemories, ListTraces, MemoryDetail,
    MemoryMapAnswer, Page, Project, QueryMemories, Result, RetrievalAnswer, ReviewTrace, ReviewTraces, RevisionAnswer,
    SessionAnswer, SettingChoicesAnswer, SettingsAnswer, SettingsRequest, SignInAnswer, Skill, StatisticsAnswer, Trace,
    TraceScope, Trajectory, WaitForTrace,
};

use super::{Call, ReflectClient, driver};

/// Writes the words of one call: where it is explained.
macro_rules! as_async {
    ($name:ident) => {
        concat!("As [`ReflectClient::", stringify!($name), "`](crate::ReflectClient::", stringify!($name), ").")
    };
}

/// Calls with options, which are made first and then sent.
macro_rules! with_options {
    ($($name:ident($($argument:ident: $type:ty),*) -> $builder:ident;)+) => {
        impl ReflectClient {
            $(
                #[doc = as_async!($name)]
                pub fn $name(&self $(, $argument: $type)*) -> Call<$builder> {
                    Call { builder: self.inner.$name($($argument),*) }
                }
            )+
        }
    };
}

/// Calls without options, which are sent at once.
macro_rules! at_once {
    ($($name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)+) => {
        impl ReflectClient {
            $(
                #[doc = as_async!($name)]
                pub fn $name(&self $(, $argument: $type)*) -> Result<$answer> {
                    let client = self.inner.clone();
                    driver::wait(async move { client.$name($($argument),*).await })?
                }
            )+
        }
    };
}

with_options! {
    query(task: impl Into<String>) -> QueryMemories;
    query_conversation(messages: &(impl Serialize + ?Sized)) -> QueryMemories;
    augment_with_memories(task: impl Into<String>) -> AugmentTask;
    create_trace(task: impl Into<String>, trajectory: impl Into<Trajectory>) -> CreateTrace;
    create_memory(task: impl Into<String>, result: impl IntoOutcome, reflection: AuthoredReflection) -> CreateTrace;
    trace(task: impl Into<String>) -> TraceScope;
    wait_for_trace(trace_id: Uuid) -> WaitForTrace;
    review_trace(trace_id: Uuid, result: impl IntoOutcome) -> ReviewTrace;
    review_traces() -> ReviewTraces;
    list_traces() -> ListTraces;
    list_memories() -> ListMemories;
    bootstrap(token: impl Into<String>, user_id: impl Into<String>) -> Bootstrap;
    create_key(label: impl Into<String>, scopes: impl IntoIterator<Item = Scope>) -> CreateKey;
}

at_once! {
    health() -> HealthAnswer;
    sign_in() -> SignInAnswer;
    sign_out() -> ();
    get_session() -> SessionAnswer;
    list_projects() -> Vec<Project>;
    delete_project() -> DeletedProjectAnswer;
    get_settings() -> SettingsAnswer;
    statistics(days: Option<u32>) -> StatisticsAnswer;
    lift(request: LiftRequest) -> LiftAnswer;
    evaluate_policy(request: EvaluatePolicyRequest) -> EvaluationAnswer;
    setting_choices() -> SettingChoicesAnswer;
    update_settings(request: SettingsRequest) -> SettingsAnswer;
    get_trace(trace_id: Uuid) -> Trace;
    retry_trace(trace_id: Uuid) -> Trace;
    take_back_review(trace_id: Uuid) -> Trace;
    get_memory(memory_id: Uuid) -> MemoryDetail;
    list_credits(memory_id: Uuid, cursor: Option<String>) -> Page<CreditAnswer>;
    list_memory_revisions(memory_id: Uuid) -> Vec<RevisionAnswer>;
    memory_map() -> MemoryMapAnswer;
    get_retrieval(retrieval_id: Uuid) -> RetrievalAnswer;
    edit_memory(memory_id: Uuid, edit: EditMemoryRequest) -> MemoryDetail;
    bring_back_memory(memory_id: Uuid) -> MemoryDetail;
    delete_memory(memory_id: Uuid) -> ();
    create_skill(request: CreateSkillRequest) -> Skill;
    get_skill() -> Option<Skill>;
    get_skill_version(version: u32) -> Skill;
    list_skill_versions() -> Vec<Skill>;
    judge_report() -> JudgeReportAnswer;
    list_keys() -> Vec<ApiKey>;
}

/// Those whose arguments have to be made their own before they can go to another thread.
impl ReflectClient {
    #[doc = as_async!(delete_traces)]
    pub fn delete_traces(&self, trace_ids: impl IntoIterator<Item = Uuid>) -> Result<DeleteTracesAnswer> {
        let (client, trace_ids) = (self.inner.clone(), trace_ids.into_iter().collect::<Vec<_>>());
        driver::wait(async move { client.delete_traces(trace_ids).await })?
    }

    #[doc = as_async!(delete_traces_cascading)]
    pub fn delete_traces_cascading(&self, trace_ids: impl IntoIterator<Item = Uuid>) -> Result<DeleteTracesAnswer> {
        let (client, trace_ids) = (self.inner.clone(), trace_ids.into_iter().collect::<Vec<_>>());
        driver::wait(async move { client.delete_traces_cascading(trace_ids).await })?
    }

    #[doc = as_async!(revoke_key)]
    pub fn revoke_key(&self, key_id: impl AsRef<str>) -> Result<ApiKey> {
        let (client, key_id) = (self.inner.clone(), key_id.as_ref().to_owned());
        driver::wait(async move { client.revoke_key(key_id).await })?
    }

    #[doc = as_async!(sign_in_with_code)]
    pub fn sign_in_with_code(&self, code: impl Into<String>) -> Result<SignInAnswer> {
        let (client, code) = (self.inner.clone(), code.into());
        driver::wait(async move { client.sign_in_with_code(code).await })?
    }

    #[doc = as_async!(events)]
    pub fn events(&self) -> Result<impl Iterator<Item = Result<ChangedEvent>> + Send + use<>> {
        let client = self.inner.clone();
        let mut events = Some(driver::wait(async move { client.events().await })??);
        Ok(std::iter::from_fn(move || {
            let mut following = events.take()?;
            match driver::wait(async move { (following.next().await, following) }) {
                Ok((changed, following)) => {
                    events = Some(following);
                    changed
                }
                Err(error) => Some(Err(error)),
            }
        }))
    }

    #[doc = as_async!(flush)]
    pub fn flush(&self) -> Result<()> {
        let client = self.inner.clone();
        driver::wait(async move { client.flush().await })
    }

    #[doc = as_async!(close)]
    pub fn close(self) -> Result<()> {
        driver::wait(self.inner.close())
    }
}
