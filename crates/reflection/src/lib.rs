//! Reflection: what a run, or a row of runs, has to teach.
//!
//! A [`RunReflector`] reads a reviewed run and writes its lesson. [`BuiltinReflector`] needs no model: it follows rules, says
//! only what the run shows, and gives the same lesson for the same run every time. A [`Reflector`] reflects on anything in
//! three steps, analyze, insight and suggest, and answers a [`ReflectionResult`]. Every reflector of runs can be used that
//! way too, and [`any_reflector`] makes a reflector of runs of any other.
//!
//! Nothing here stores anything or speaks HTTP, and nothing asks what time it is. To add a reflector, implement
//! [`RunReflector`] in a file of its own, or [`Reflector`] if it reads something else than runs.

mod adapter;
mod ask;
mod builtin;
mod context;
mod distil;
mod echo;
mod error;
mod general;
mod history;
#[cfg(test)]
mod injection_tests;
mod judge;
mod kinds;
mod llm;
pub mod metadata_keys;
mod plain;
mod prompt;
mod recalled;
mod redact;
mod reflector;
mod result;
mod run;
mod skill;
mod verdict;

pub use adapter::any_reflector;
pub use builtin::BuiltinReflector;
pub use context::Context;
pub use distil::{DistilOptions, Intent, distil_by_rule, distil_intent};
pub use error::ReflectError;
pub use general::{AtOnce, Awaited, FailurePolicy, GeneralReflector, JudgeReply, JudgeText};
pub use history::{HistorySummary, ReflectionHistory};
pub use judge::{Judge, JudgeAnswer, JudgeOptions, PendingRun};
pub use kinds::{ReflectionLevel, ReflectionType};
pub use llm::{LlmReflector, LlmReflectorOptions};
pub use plain::estimated_tokens;
pub use redact::{RedactionPattern, Redactor, RedactorError, RedactorOptions};
pub use reflect_core::{Lesson, Memory, MemoryId, Message, ReviewSource, UnknownName, WrittenBy, WrittenLesson};
pub use reflect_llm::ParseStatus;
pub use reflector::{Analysis, Derived, Reflector, ReflectorConfig};
pub use result::ReflectionResult;
pub use run::{Reflected, ReviewedRun, RunReflector, ShownLesson, Spent};
pub use skill::{ComposedSkill, MIN_REVIEWED_MEMORIES, SkillOptions, SkillRequest, compose_skill, write_skill};
pub use verdict::{ReadVerdict, Verdict, VerdictSource, parse_verdict};

/// Compiles the examples of the guide.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/reflection.md")]
struct Guide;

/// Compiles the example of the page for those who come from orbiter.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/coming-from-orbiter.md")]
struct ComingFromOrbiter;

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
