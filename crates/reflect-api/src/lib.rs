//! The wire: request and answer structs, error codes, and how they become core types.
//!
//! A request is a struct that says what may come in, and a `check` that turns it into core types or names the field that
//! is wrong. An answer is a struct made from core types. Whoever speaks the wire uses these, the server and every client;
//! nothing here knows a web framework or a database.
//!
//! Fields may be added to answers, never taken away; unknown fields of requests are ignored; an enum never gains a value.

mod bulk_reviews;
mod checks;
mod error;
mod events;
mod evidence;
mod judge;
mod keys;
mod lift;
mod limits;
mod lists;
mod memories;
mod memory_block;
mod memory_map;
mod metadata_filters;
mod nesting;
mod object;
mod policies;
mod projects;
mod query;
mod retrievals;
mod reviews;
mod sessions;
mod skill;
mod statistics;
mod status;
mod traces;
mod whole;

pub use bulk_reviews::{
    BulkReview, BulkReviewAnswer, BulkReviewError, BulkReviewOutcome, BulkReviewRequest, BulkReviewStatus,
    CheckedBulkReview, MAX_BULK_REVIEWS,
};
pub use checks::{Violation, idempotency_key};
pub use error::{ErrorAnswer, ErrorBody, ErrorCode};
pub use events::ChangedEvent;
pub use evidence::EvidenceAnswer;
pub use judge::{ConfusionAnswer, JudgeReportAnswer, ReviewedAs};
pub use keys::{CreateKeyRequest, CreatedKeyAnswer, KeyAnswer};
pub use lift::{DifferenceAnswer, LiftAnswer, LiftArmAnswer, LiftRequest};
pub use limits::Limits;
pub use lists::{ListCreditsRequest, ListMemoriesRequest, ListTracesRequest};
pub use memories::{CreditAnswer, EditMemoryRequest, MemoryDetail, RetirementAnswer, RevisionAnswer, WrittenByAnswer};
pub use memory_block::with_block_entries;
pub use memory_map::{MapPointAnswer, MemoryMapAnswer};
pub use metadata_filters::MetadataFilter;
pub use nesting::{find_too_deep, parsed_bytes};
pub use object::Object;
pub use policies::{
    ConfigurationRequest, EstimateAnswer, EvaluatePolicyRequest, EvaluationAnswer, MixedConfigurationAnswer,
    MixtureRequest, PolicyValueAnswer,
};
pub use projects::{
    BootstrapAnswer, BootstrapRequest, DeletedProjectAnswer, EmbedderSwitchAnswer, ProjectAnswer, SettingChoicesAnswer,
    SettingDefaultsAnswer, SettingsAnswer, SettingsRequest,
};
pub use query::{
    DEFAULT_LIMIT, DistilledAnswer, ExplanationAnswer, MemoryAnswer, QueryAnswer, QueryRequest, QueryRequestSchema,
};
pub use retrievals::{RetrievalAnswer, ShownMemoryAnswer};
pub use reviews::{ReflectionRequest, ReviewAnswer, ReviewRequest, WrittenByRequest};
pub use sessions::{SessionAnswer, SignInAnswer, SignInRequest};
pub use skill::{CreateSkillRequest, SkillAnswer};
pub use statistics::{
    DayAnswer, MemoryCountsAnswer, NamedMemoryAnswer, ProjectQueueAnswer, ResultsAnswer, StatisticsAnswer,
    StatisticsRequest, TraceCountsAnswer,
};
pub use status::{HealthAnswer, ProblemAnswer, ReadyAnswer};
pub use traces::{CreateTraceRequest, DeleteTracesAnswer, DeleteTracesRequest, SubmissionAnswer, TraceAnswer};
