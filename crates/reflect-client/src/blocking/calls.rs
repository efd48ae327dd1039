//! The calls of the async client, each by its name.

use reflect_core::Scope;
use serde::Serialize;
use uuid::Uuid;

use crate::{
    ApiKey, AugmentTask, AuthoredReflection, Bootstrap, CreateKey, CreateSkillRequest, CreateTrace, DeleteTracesAnswer,
    DeletedProjectAnswer, EditMemoryRequest, HealthAnswer, IntoOutcome, JudgeReportAnswer, ListMemories, ListTraces,
    MemoryDetail, Project, QueryMemories, Result, ReviewTrace, ReviewTraces, SettingsAnswer, SettingsRequest, Skill,
    Trace, TraceScope, Trajectory, WaitForTrace,
};

use super::{Call, ReflectClient, driver};

/// Writes the words of one call: where it is explained.
macro_rules! as_async {
    ($name:ident) => {
        concat!("As [`ReflectClient::", stringify!($name), "`](crate::ReflectClient::", stringify!($name), ").")
    };
}

/// Calls with options, which are made first and then sent. Each has the lines of its example.
macro_rules! with_options {
    ($($name:ident($($argument:ident: $type:ty),*) -> $builder:ident, $($example:literal),+;)+) => {
        impl ReflectClient {
            $(
                #[doc = as_async!($name)]
                ///
                /// ```no_run
                /// # use reflect_client::blocking::ReflectClient;
                /// # fn example(client: ReflectClient, id: uuid::Uuid) -> Result<(), reflect_client::Error> {
                $(#[doc = $example])+
                /// # Ok(()) }
                /// ```
                pub fn $name(&self $(, $argument: $type)*) -> Call<$builder> {
                    Call { builder: self.inner.$name($($argument),*) }
                }
            )+
        }
    };
}

/// Calls without options, which are sent at once. Each has the lines of its example.
macro_rules! at_once {
    ($($name:ident($($argument:ident: $type:ty),*) -> $answer:ty, $($example:literal),+;)+) => {
        impl ReflectClient {
            $(
                #[doc = as_async!($name)]
                ///
                /// ```no_run
                /// # use reflect_client::blocking::ReflectClient;
                /// # fn example(client: ReflectClient, id: uuid::Uuid) -> Result<(), reflect_client::Error> {
                $(#[doc = $example])+
                /// # Ok(()) }
                /// ```
                pub fn $name(&self $(, $argument: $type)*) -> Result<$answer> {
                    let client = self.inner.clone();
                    driver::wait(async move { client.$name($($argument),*).await })?
                }
            )+
        }
    };
}

with_options! {
    query(task: impl Into<String>) -> QueryMemories,
        r#"let found = client.query("Refund order A-17").limit(5).send()?;"#;
    query_conversation(messages: &(impl Serialize + ?Sized)) -> QueryMemories,
        r#"let messages = [reflect_client::Message::user("Can I have my money back?")];"#,
        r#"println!("searched for {:?}", client.query_conversation(&messages).send()?.intent);"#;
    augment_with_memories(task: impl Into<String>) -> AugmentTask,
        r#"let augmented = client.augment_with_memories("Refund order A-17").limit(3).send()?;"#,
        r#"println!("{}", augmented.augmented_task);"#;
    create_trace(task: impl Into<String>, trajectory: impl Into<Trajectory>) -> CreateTrace,
        r#"let stored = client.create_trace("Add up", "2 + 2 = 5").failed("2 + 2 is 4").send()?;"#,
        r#"println!("{}", stored.trace_id);"#;
    create_memory(task: impl Into<String>, result: impl IntoOutcome, reflection: AuthoredReflection) -> CreateTrace,
        "use reflect_client::AuthoredReflection;",
        "",
        r#"let lesson = AuthoredReflection { guidance: Some("Look it up first.".into()), ..Default::default() };"#,
        r#"client.create_memory("Refund an order", "pass", lesson).send()?;"#;
    trace(task: impl Into<String>) -> TraceScope,
        r#"let guard = client.trace("Count the rows").start()?;"#,
        r#"guard.set_output(reflect_client::TraceOutput::new("42 rows").passed());"#,
        "guard.finish()?;";
    wait_for_trace(trace_id: Uuid) -> WaitForTrace,
        "let trace = client.wait_for_trace(id).require_reviewed(true).send()?;",
        r#"println!("{:?}", trace.created_memory_id);"#;
    review_trace(trace_id: Uuid, result: impl IntoOutcome) -> ReviewTrace,
        r#"client.review_trace(id, "fail").feedback("Missed the WHERE clause").send()?;"#;
    review_traces() -> ReviewTraces,
        r#"let answer = client.review_traces().failed(id, "Missed the WHERE clause").send()?;"#,
        r#"println!("{} reviews", answer.reviews.len());"#;
    list_traces() -> ListTraces,
        "let failed = client.list_traces().failed().send()?;",
        r#"println!("{} runs failed", failed.len());"#;
    list_memories() -> ListMemories,
        r#"println!("{} lessons", client.list_memories().send()?.len());"#;
    bootstrap(token: impl Into<String>, user_id: impl Into<String>) -> Bootstrap,
        r#"let made = client.bootstrap("the token", "me").send()?;"#,
        r#"println!("{}", made.api_key);"#;
    create_key(label: impl Into<String>, scopes: impl IntoIterator<Item = Scope>) -> CreateKey,
        r#"let made = client.create_key("reader", [reflect_client::Scope::MemoryRead]).send()?;"#,
        r#"println!("{}", made.api_key);"#;
}

at_once! {
    health() -> HealthAnswer,
        r#"assert_eq!(client.health()?.status, "ok");"#;
    list_projects() -> Vec<Project>,
        "for project in client.list_projects()? {",
        r#"    println!("{} {}", project.project_id, project.embedder);"#,
        "}";
    delete_project() -> DeletedProjectAnswer,
        r#"let deleted = client.with_project("old-shop")?.delete_project()?;"#,
        r#"println!("{} traces and {} memories are gone", deleted.traces, deleted.memories);"#;
    get_settings() -> SettingsAnswer,
        r#"println!("{:?}", client.get_settings()?.lambda);"#;
    update_settings(request: SettingsRequest) -> SettingsAnswer,
        "use reflect_client::SettingsRequest;",
        "",
        "client.update_settings(SettingsRequest { lambda: Some(Some(0.3)), ..Default::default() })?;";
    get_trace(trace_id: Uuid) -> Trace,
        r#"println!("{}", client.get_trace(id)?.task);"#;
    retry_trace(trace_id: Uuid) -> Trace,
        r#"println!("{:?}", client.retry_trace(id)?.ingest_status);"#;
    take_back_review(trace_id: Uuid) -> Trace,
        r#"println!("{:?}", client.take_back_review(id)?.review_status);"#;
    get_memory(memory_id: Uuid) -> MemoryDetail,
        r#"println!("{:.2}", client.get_memory(id)?.q_value);"#;
    edit_memory(memory_id: Uuid, edit: EditMemoryRequest) -> MemoryDetail,
        "use reflect_client::{EditMemoryRequest, MemoryStatus};",
        "",
        "let hide = EditMemoryRequest { status: Some(MemoryStatus::Disabled), ..Default::default() };",
        "client.edit_memory(id, hide)?;";
    delete_memory(memory_id: Uuid) -> (),
        "client.delete_memory(id)?;";
    create_skill(request: CreateSkillRequest) -> Skill,
        "let skill = client.create_skill(Default::default())?;",
        r#"println!("{}", skill.content);"#;
    get_skill() -> Option<Skill>,
        "if let Some(skill) = client.get_skill()? {",
        r#"    println!("{} {}", skill.version, skill.name);"#,
        "}";
    get_skill_version(version: u32) -> Skill,
        r#"println!("{}", client.get_skill_version(1)?.content);"#;
    list_skill_versions() -> Vec<Skill>,
        "for skill in client.list_skill_versions()? {",
        r#"    println!("{} {}", skill.version, skill.description);"#,
        "}";
    judge_report() -> JudgeReportAnswer,
        r#"println!("{:?}", client.judge_report()?.agreement);"#;
    list_keys() -> Vec<ApiKey>,
        "for key in client.list_keys()? {",
        r#"    println!("{} {}", key.public_id, key.label);"#,
        "}";
}

/// Those whose arguments have to be made their own before they can go to another thread.
impl ReflectClient {
    #[doc = as_async!(delete_traces)]
    ///
    /// ```no_run
    /// # use reflect_client::blocking::ReflectClient;
    /// # fn example(client: ReflectClient, id: uuid::Uuid) -> Result<(), reflect_client::Error> {
    /// println!("{} erased", client.delete_traces([id])?.deleted);
    /// # Ok(()) }
    /// ```
    pub fn delete_traces(&self, trace_ids: impl IntoIterator<Item = Uuid>) -> Result<DeleteTracesAnswer> {
        let (client, trace_ids) = (self.inner.clone(), trace_ids.into_iter().collect::<Vec<_>>());
        driver::wait(async move { client.delete_traces(trace_ids).await })?
    }

    #[doc = as_async!(delete_traces_cascading)]
    ///
    /// ```no_run
    /// # use reflect_client::blocking::ReflectClient;
    /// # fn example(client: ReflectClient, id: uuid::Uuid) -> Result<(), reflect_client::Error> {
    /// println!("{} erased", client.delete_traces_cascading([id])?.deleted);
    /// # Ok(()) }
    /// ```
    pub fn delete_traces_cascading(&self, trace_ids: impl IntoIterator<Item = Uuid>) -> Result<DeleteTracesAnswer> {
        let (client, trace_ids) = (self.inner.clone(), trace_ids.into_iter().collect::<Vec<_>>());
        driver::wait(async move { client.delete_traces_cascading(trace_ids).await })?
    }

    #[doc = as_async!(revoke_key)]
    ///
    /// ```no_run
    /// # fn example(client: reflect_client::blocking::ReflectClient) -> Result<(), reflect_client::Error> {
    /// let made = client.create_key("reader", [reflect_client::Scope::MemoryRead]).send()?;
    /// client.revoke_key(made.key.id.to_string())?;
    /// # Ok(()) }
    /// ```
    pub fn revoke_key(&self, key_id: impl AsRef<str>) -> Result<ApiKey> {
        let (client, key_id) = (self.inner.clone(), key_id.as_ref().to_owned());
        driver::wait(async move { client.revoke_key(key_id).await })?
    }

    #[doc = as_async!(flush)]
    ///
    /// ```no_run
    /// # fn example(client: reflect_client::blocking::ReflectClient) -> Result<(), reflect_client::Error> {
    /// client.flush()?; // the traces of dropped guards are sent now
    /// # Ok(()) }
    /// ```
    pub fn flush(&self) -> Result<()> {
        let client = self.inner.clone();
        driver::wait(async move { client.flush().await })
    }

    #[doc = as_async!(close)]
    ///
    /// ```no_run
    /// # fn example(client: reflect_client::blocking::ReflectClient) -> Result<(), reflect_client::Error> {
    /// client.close()?;
    /// # Ok(()) }
    /// ```
    pub fn close(self) -> Result<()> {
        driver::wait(self.inner.close())
    }
}
