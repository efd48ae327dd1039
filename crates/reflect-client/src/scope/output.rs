//! What a run says about itself.

use reflect_core::Outcome;
use serde_json::{Map, Value};

use crate::{CreateTrace, IntoOutcome, Trajectory, setters::setters};

/// What happened in a run, for its trace.
///
/// ```
/// use reflect_client::{Message, TraceOutput};
///
/// let output = TraceOutput::new([Message::user("2 + 2?"), Message::assistant("5")])
///     .failed("2 + 2 is 4")
///     .model("gpt-5.4-mini")
///     .metadata("run", 17);
/// # let _ = output;
/// ```
#[derive(Debug, Clone, PartialEq)]
#[must_use = "an output counts once it is given to `set_output`"]
pub struct TraceOutput {
    pub(crate) trajectory: Trajectory,
    pub(crate) final_response: Option<String>,
    /// A result that cannot be read is an error when the trace is submitted.
    pub(crate) result: Option<std::result::Result<Outcome, String>>,
    pub(crate) feedback: Option<String>,
    pub(crate) score: Option<f64>,
    pub(crate) alpha: Option<f64>,
    pub(crate) model: Option<String>,
    pub(crate) metadata: Map<String, Value>,
    pub(crate) reference_context: Option<String>,
}

/// What a function with the attribute `reflect_trace` may return: its value, and what happened in the run. The caller gets
/// the value.
///
/// ```
/// use reflect_client::{Message, TraceResult};
///
/// fn answer(question: &str) -> TraceResult<u32> {
///     TraceResult::new(4, [Message::user(question), Message::assistant("4")]).passed().model("gpt-5.4-mini")
/// }
/// # assert_eq!(answer("2 + 2?").output, 4);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[must_use = "a result counts once it is returned from a traced function"]
pub struct TraceResult<T = String> {
    /// What the caller gets.
    pub output: T,
    /// What happened.
    pub trace: TraceOutput,
}

impl TraceOutput {
    /// What happened: messages, or a text. Without a result the review is left for later.
    pub fn new(trajectory: impl Into<Trajectory>) -> Self {
        Self {
            trajectory: trajectory.into(),
            final_response: None,
            result: None,
            feedback: None,
            score: None,
            alpha: None,
            model: None,
            metadata: Map::new(),
            reference_context: None,
        }
    }

    /// Whether there is a lesson to come of it.
    pub(crate) fn is_reviewed(&self) -> bool {
        matches!(self.result, Some(Ok(_)))
    }
}

impl<T> TraceResult<T> {
    /// A value, and what happened: messages, or a text. Without a result the review is left for later.
    pub fn new(output: T, trajectory: impl Into<Trajectory>) -> Self {
        Self { output, trace: TraceOutput::new(trajectory) }
    }
}

/// Writes what can be said about a run for all that carry it.
macro_rules! output_options {
    ($builder:ident $(<$generic:ident>)?, $($output:ident.)*) => {
        setters! { $builder $(<$generic>)?:
            /// The agent's answer; when unset, the words of the last message of the assistant.
            final_response(text) => $($output.)*final_response;
            /// The reviewer's words. They count only together with a result.
            feedback(text) => $($output.)*feedback;
            /// How well the run went, from 0 to 1, such as the share of tests that passed. It counts only together with a result.
            score(f64) => $($output.)*score;
            /// The step size for the memories that the run was shown.
            alpha(f64) => $($output.)*alpha;
            /// The model that ran.
            model(text) => $($output.)*model;
            /// A policy, schema or gold answer for the reflector to read.
            reference_context(text) => $($output.)*reference_context;
        }

        impl $(<$generic>)? $builder $(<$generic>)? {
            /// How the run went: an [`Outcome`], whether it passed, or one of `pass`, `success`, `fail`, `failure`.
            pub fn result(mut self, result: impl IntoOutcome) -> Self {
                self.$($output.)*result = Some(result.into_outcome().map_err(|error| error.to_string()));
                self
            }

            /// The run passed.
            pub fn passed(self) -> Self {
                self.result(Outcome::Pass)
            }

            /// The run failed, and what was wrong: specific words make specific lessons.
            pub fn failed(self, feedback: impl Into<String>) -> Self {
                self.result(Outcome::Fail).feedback(feedback)
            }

            /// Anything else about the run; queries can filter by it. May be called again for more keys.
            pub fn metadata(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
                self.$($output.)*metadata.insert(key.into(), value.into());
                self
            }
        }
    };
}

output_options!(TraceOutput,);
output_options!(TraceResult<T>, trace.);
output_options!(CreateTrace, output.);
