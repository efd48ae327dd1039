//! Why a use case could not be carried out.

use reflect_core::{Scope, Timestamp};
use reflect_store::StoreError;

/// A refusal or a failure. Each variant is something that a caller would act on differently.
#[derive(Debug, Clone, thiserror::Error)]
pub enum EngineError {
    /// There is no such thing in this project.
    #[error("{0}")]
    NotFound(String),
    /// The key may not do this.
    #[error("this key lacks the scope `{0}`")]
    MissingScope(Scope),
    /// The key is bound to another project.
    #[error("this key belongs to another project")]
    OtherProject,
    /// A key can only hand on what it has.
    #[error("this key cannot give the scope `{0}`, which it does not have")]
    ScopeNotHeld(Scope),
    /// A key whose time is limited can only make keys that end by then.
    #[error(
        "this key expires{}, so it only makes keys that expire by then: send a smaller `expires_in_seconds`",
        until.map(|until| format!(" at {until}")).unwrap_or_default()
    )]
    TimeNotHeld {
        /// When this key ends.
        until: Option<Timestamp>,
    },
    /// The trace has another review.
    #[error("trace `{0}` was already reviewed differently; send \"supersedes\": true to correct that review")]
    AlreadyReviewed(reflect_core::TraceId),
    /// The lesson of the trace's review is still being written.
    #[error("the review of trace `{0}` is still being processed; ask again when its `ingest_status` is `completed`")]
    ReviewInProgress(reflect_core::TraceId),
    /// Only a failed trace can be retried.
    #[error("trace `{0}` has not failed, so there is nothing to retry")]
    NotFailed(reflect_core::TraceId),
    /// Another request came with the same idempotency key.
    #[error("this Idempotency-Key was used for a different request; use a new one for each request")]
    IdempotencyKeyReused,
    /// The first answer can no longer be given.
    #[error(
        "the key was created by an earlier request with this Idempotency-Key, and its secret can no longer be shown"
    )]
    SecretGone,
    /// The name is taken.
    #[error("project `{0}` exists already")]
    ProjectExists(reflect_core::ProjectId),
    /// Bootstrapping is switched off.
    #[error("this server has no bootstrap token; set `REFLECT_BOOTSTRAP_TOKEN` to allow bootstrapping")]
    BootstrapDisabled,
    /// The token is not the right one.
    #[error("the bootstrap token is wrong")]
    WrongBootstrapToken,
    /// No such code, or no longer.
    #[error(
        "this code is wrong, was used before or is older than five minutes; sign in with an API key, or start the server \
         again for another"
    )]
    WrongSignInCode,
    /// A session cannot prolong itself.
    #[error("this key is a session of the console already; sign in with an API key, or with a link")]
    SessionOfSession,
    /// Only sessions are signed out of.
    #[error("this key is no session of the console; revoke it with `POST …/api-keys/{{id}}/revoke`")]
    NoSession,
    /// A skill needs more to stand on.
    #[error("this project has {found} reviewed memories, and a skill needs at least {needed}; review more runs first")]
    TooFewMemories {
        /// How many there are.
        found: usize,
        /// How many it takes.
        needed: usize,
    },
    /// Others kept writing versions of the skill at the same time.
    #[error("others are writing this project's skill at the same time; try again shortly")]
    SkillContended,
    /// The queue of lessons has fallen too far behind.
    #[error("lessons are being written {waiting_seconds} s behind; try again in {retry_after_seconds} s")]
    Backlogged {
        /// For how long the oldest one has been waiting.
        waiting_seconds: u64,
        /// When to try again.
        retry_after_seconds: u64,
    },
    /// The project has stored as many traces today as it may.
    #[error(
        "this project has stored the {most} traces that it may store in a day; try again in {retry_after_seconds} s"
    )]
    QuotaExceeded {
        /// How many it may store.
        most: u64,
        /// When the next day begins (UTC).
        retry_after_seconds: u64,
    },
    /// A value is outside its range.
    #[error("`{field}` {problem}")]
    Invalid {
        /// The field.
        field: &'static str,
        /// What is wrong, and what is allowed.
        problem: String,
    },
    /// No vector could be made.
    #[error("the task could not be embedded: {0}")]
    Embedding(String),
    /// Too many tasks of the project wait for the embedder.
    #[error("the embedder is busy with other tasks of this project; try again in {retry_after_seconds} s")]
    EmbedderBusy {
        /// When to try again.
        retry_after_seconds: u64,
    },
    /// A project of this name was deleted, and is still being erased.
    #[error(
        "project `{project_id}` was deleted, and what it held is still being erased; try again in {retry_after_seconds} s"
    )]
    BeingErased {
        /// The project.
        project_id: reflect_core::ProjectId,
        /// When to try again.
        retry_after_seconds: u64,
    },
    /// A search had to look at more than it has time for.
    #[error(
        "the search took longer than {seconds} s and was given up; narrow it by `since` and `until`, or by `review_status=pending`"
    )]
    SearchTooBroad {
        /// How long a search may take.
        seconds: u64,
    },
    /// Searches of the same project, or of too many others, are running.
    #[error("other searches are running; try again in {retry_after_seconds} s")]
    SearchesBusy {
        /// When to try again.
        retry_after_seconds: u64,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The result of a use case.
pub type EngineResult<T> = Result<T, EngineError>;

impl EngineError {
    pub(crate) fn no_trace(trace_id: reflect_core::TraceId) -> Self {
        Self::NotFound(format!("there is no trace `{trace_id}` in this project"))
    }

    pub(crate) fn no_memory(memory_id: reflect_core::MemoryId) -> Self {
        Self::NotFound(format!("there is no memory `{memory_id}` in this project"))
    }

    pub(crate) fn being_erased(project_id: &reflect_core::ProjectId) -> Self {
        Self::BeingErased { project_id: project_id.clone(), retry_after_seconds: 1 }
    }

    pub(crate) fn no_project(project_id: &reflect_core::ProjectId) -> Self {
        Self::NotFound(format!("there is no project `{project_id}`"))
    }
}
