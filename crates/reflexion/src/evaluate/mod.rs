//! Evaluators that people need, and what combines them.
//!
//! | the answer can be checked by | evaluator |
//! |---|---|
//! | a known answer | [`exact_match()`] |
//! | words or a pattern in it | [`contains`], [`Keywords`], [`matches_regex()`] |
//! | a JSON schema | `json_schema`, with the feature `json-schema` |
//! | running it, or tests over it | [`command()`], [`shell`] |
//! | reading it | [`LlmEvaluator`], several times with [`votes`] |
//! | several of these | [`all`], [`any`], [`weighted`], [`cheap_first`], [`threshold`] |
//!
//! A wrong pass ends a run with a wrong answer, a wrong fail only costs another trial. So whatever is in doubt here does not pass.

pub(crate) mod clip;
mod combine;
mod command;
mod exact_match;
pub(crate) mod join;
#[cfg(feature = "json-schema")]
mod json_schema;
mod keywords;
mod llm;
mod matches_regex;
mod shown;

#[cfg(test)]
pub(crate) mod testing;

pub use combine::{
    All, Any, CheapFirst, EndsAt, EvaluatorFailed, Named, Threshold, Votes, Weighted, all, any, cheap_first, named,
    threshold, votes, weighted,
};
pub use command::{CommandError, CommandEvaluator, command, shell};
pub use exact_match::{ExactMatch, GoldAnswers, exact_match, normalized};
#[cfg(feature = "json-schema")]
pub use json_schema::{JsonSchema, SchemaError, json_schema};
pub use keywords::{Case, Keywords, Occurrence, contains};
pub use llm::LlmEvaluator;
pub use matches_regex::{MatchesRegex, lacks_regex, matches_regex, matches_regex_whole};

/// So many of so many, in [0, 1]; none of none is nothing.
fn share(part: usize, whole: usize) -> f64 {
    // Nobody asks for more than 2^52 of anything.
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
