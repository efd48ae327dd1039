//! Whether the server is well; and the names of the core's enums, for the API's description.

use reflect_core::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The server is alive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HealthAnswer {
    /// `ok`.
    pub status: String,
    /// The server's version.
    pub version: String,
}

/// What the server works with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReadyAnswer {
    /// `ready`; `degraded`, where something else stands in for what fails; or `not_ready`.
    pub status: String,
    /// `open`, `full` (the disk), `read_only`, or `unavailable`.
    pub store: String,
    /// `running`, or `stopped`.
    pub worker: String,
    /// The embedder of new projects.
    pub embedder: String,
    /// Who writes the lessons.
    pub reflector: String,
    /// The vector instructions that the built-in model and the index compute with, such as `avx2`.
    #[serde(default)]
    pub kernel: String,
    /// What is wrong; absent where nothing is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<ProblemAnswer>,
}

/// Something that is wrong with the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProblemAnswer {
    /// `store`, `embedder`, `reflector` or `model`.
    pub part: String,
    /// What is wrong.
    pub problem: String,
    /// The words of whoever is at fault, such as a provider of models: shortened, without secrets, and for the master key alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// Since when, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub since: Option<Timestamp>,
}

/// A name in a list: at most 256 characters, without U+0000.
#[derive(ToSchema)]
#[schema(as = Name, max_length = 256, pattern = r"^[^\u0000]*$")]
#[expect(dead_code, reason = "it only describes; values are plain texts")]
pub(crate) struct NameSchema(String);

/// Describes an enum of the core in OpenAPI, and keeps the description true: a test holds the names against the core's.
macro_rules! described {
    ($name:ident describes $core:path: $($variant:ident),+) => {
        #[doc = concat!("The names of `", stringify!($core), "`.")]
        #[derive(Serialize, ToSchema)]
        #[serde(rename_all = "snake_case")]
        #[schema(rename_all = "snake_case")]
        #[cfg_attr(not(test), expect(dead_code, reason = "it only describes; values are the core's own"))]
        pub(crate) enum $name { $(#[doc = stringify!($variant)] $variant),+ }

        #[cfg(test)]
        impl $name {
            fn names() -> (Vec<serde_json::Value>, Vec<&'static str>) {
                let described = [$($name::$variant),+].iter().map(|name| serde_json::to_value(name).unwrap()).collect();
                (described, <$core>::ALL.iter().map(|value| value.as_str()).collect())
            }
        }
    };
}

described!(OutcomeName describes reflect_core::Outcome: Pass, Fail);
described!(VerdictName describes reflect_core::lift::Verdict: Helps, Hurts, NotKnownYet);
described!(ReviewModeName describes reflect_core::ReviewMode: Inline, Deferred);
described!(ReviewSourceName describes reflect_core::ReviewSource: Api, Console, Judge);
described!(ReviewStatusName describes reflect_core::ReviewStatus: Pending, Reviewed);
described!(IngestStatusName describes reflect_core::IngestStatus: Queued, Processing, Completed, Failed);
described!(MemoryStatusName describes reflect_core::MemoryStatus: Active, Disabled);
described!(EnvironmentName describes reflect_core::Environment: Live, Test);
described!(MatchName describes reflect_core::Match: Task, Lesson, Both);
described!(LearningRuleName describes reflect_core::worth::LearningRule: Worth, Constant);
described!(TellsName describes reflect_core::Tells: Rule, Fix, Fact, Pitfall, Answer, Example, Nothing);
described!(KeyStatusName describes reflect_core::KeyStatus: Active, Revoked, Expired);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_names_what_the_core_names() {
        let all = [
            OutcomeName::names(),
            VerdictName::names(),
            ReviewModeName::names(),
            ReviewSourceName::names(),
            ReviewStatusName::names(),
            IngestStatusName::names(),
            MemoryStatusName::names(),
            EnvironmentName::names(),
            MatchName::names(),
            LearningRuleName::names(),
            TellsName::names(),
            KeyStatusName::names(),
        ];
        for (described, named) in all {
            assert_eq!(described, named);
        }
    }
}
