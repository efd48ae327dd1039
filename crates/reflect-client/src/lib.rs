//! The Rust SDK: memories for agents, over HTTP or in the same process.
//!
//! A [`ReflectClient`] speaks to a server, or with the feature `embedded` opens a folder and runs the same engine in the process.
//! One API: what works in one world works in the other, and fails with the same [`Error`].
//!
//! ```no_run
//! # async fn example() -> Result<(), reflect_client::Error> {
//! use reflect_client::{Message, ReflectClient};
//!
//! let client = ReflectClient::from_env()?;
//! let task = "Parse the CSV and return the top 5 rows";
//! let augmented = client.augment_with_memories(task).limit(5).await?;
//! let answer = "…"; // ask a model with `augmented.augmented_task`
//! let trajectory = [Message::user(&augmented.augmented_task), Message::assistant(answer)];
//! client.create_trace(task, trajectory).memories(&augmented).passed().await?;
//! # Ok(())
//! # }
//! ```
//!
//! Nothing here decides what is learned: that is the server's, or the engine's. To add a call, give it a method in `calls/` and
//! one in the `World` trait, which both worlds implement.

mod augmented;
#[cfg(feature = "blocking")]
pub mod blocking;
mod builder;
mod calls;
mod client;
mod error;
mod key;
mod outcome;
mod scope;
mod setters;
mod trajectory;
mod world;

pub use augmented::{AugmentedTask, MemoryFormatter};
pub use builder::ClientBuilder;
pub use calls::*;
pub use client::ReflectClient;
pub use error::{Error, Refused, Result};
pub use outcome::IntoOutcome;
#[cfg(feature = "embedded")]
pub use reflect_api::Limits;
pub use reflect_api::{
    BootstrapAnswer, BulkReview, BulkReviewAnswer, BulkReviewOutcome, BulkReviewStatus, ChangedEvent,
    ConfigurationRequest, CreateSkillRequest, CreatedKeyAnswer, CreditAnswer, DeleteTracesAnswer, DeletedProjectAnswer,
    EditMemoryRequest, ErrorCode, EvaluatePolicyRequest, EvaluationAnswer, HealthAnswer, JudgeReportAnswer,
    KeyAnswer as ApiKey, LiftAnswer, LiftRequest, MemoryAnswer as Memory, MemoryDetail, MemoryMapAnswer,
    MixtureRequest, ProjectAnswer as Project, ReflectionRequest as AuthoredReflection, RetrievalAnswer,
    ReviewAnswer as Review, RevisionAnswer, SessionAnswer, SettingChoicesAnswer, SettingsAnswer, SettingsRequest,
    SignInAnswer, SkillAnswer as Skill, StatisticsAnswer, SubmissionAnswer as TraceSubmission, TraceAnswer as Trace,
    WrittenByAnswer, WrittenByRequest,
};
pub use reflect_core::{
    Direction, Environment, IngestStatus, Match, MemoryOrder, MemoryStatus, Outcome, ReviewStatus, Scope, Timestamp,
};
#[cfg(feature = "embedded")]
pub use reflect_engine::{Embedders, EngineSettings, ModelParts};
#[cfg(feature = "macros")]
#[doc = include_str!("reflect_trace.md")]
pub use reflect_macros::reflect_trace;
#[cfg(feature = "embedded")]
pub use reflection::RunReflector;
pub use scope::*;
pub use trajectory::{Message, Trajectory};
#[cfg(feature = "embedded")]
pub use world::embedded::EmbeddedOptions;

/// What the attribute's code calls. No part of the API.
#[cfg(feature = "macros")]
#[doc(hidden)]
pub mod __private {
    #[cfg(feature = "blocking")]
    pub use crate::blocking::attribute::{BlockingSource, traced_blocking};
    pub use crate::scope::attribute::{none_of, traced};
}

/// Compiles the examples of the guide.
#[cfg(all(doctest, feature = "embedded", feature = "macros"))]
#[doc = include_str!("../../../docs/rust.md")]
struct Guide;

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
