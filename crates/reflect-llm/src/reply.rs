//! What a model answers.

use serde::{Deserialize, Serialize};

use crate::ToolCall;

/// What an answer cost.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens that were read. Zero when the provider did not say.
    pub input_tokens: u64,
    /// Tokens that were written, hidden reasoning included. Zero when the provider did not say.
    pub output_tokens: u64,
    /// US dollars, where the model's price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

impl Usage {
    /// Both together. The cost is known when either is: a sum of what is known.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let cost_usd = match (self.cost_usd, other.cost_usd) {
            (None, None) => None,
            (one, two) => Some(one.unwrap_or(0.0) + two.unwrap_or(0.0)),
        };
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cost_usd,
        }
    }
}

/// Why the model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// It was done.
    #[default]
    Stop,
    /// It ran into the limit on tokens: the text is cut off.
    Length,
    /// It wants tools to run.
    ToolCalls,
    /// The provider held the answer back.
    Filtered,
    /// Anything else, or not said.
    Other,
}

/// One answer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ChatReply {
    /// The words; empty when there are only tool calls.
    pub text: String,
    /// Tools that the model wants to run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// What it cost.
    #[serde(default)]
    pub usage: Usage,
    /// Why it ended.
    #[serde(default)]
    pub finish: FinishReason,
    /// The model as the provider names it; may be more exact than what was asked for.
    #[serde(default)]
    pub model: String,
}

impl ChatReply {
    /// A complete answer of these words alone.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}
