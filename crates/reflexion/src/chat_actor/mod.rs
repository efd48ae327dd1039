//! An actor over a chat model with tools.

mod arguments;
mod attempting;
mod repeats;
mod run_tools;
mod tool;

#[cfg(test)]
mod tests;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use derive_setters::Setters;
use reflect_llm::{AnswerFormat, ChatModel};

pub use tool::Tool;

use crate::{Actor, Attempt, AttemptContext, BoxError};
use attempting::Attempting;

/// A piece of the model's words while they arrive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextPiece {
    /// The trial, from 1.
    pub trial: u32,
    /// The turn within the attempt, from 1.
    pub turn: u32,
    /// The words: pieces of one turn, put together as they are, are what the model said in it.
    pub text: String,
}

type Observer = Arc<dyn Fn(TextPiece) + Send + Sync>;

/// Asks a chat model, runs the tools that it calls, and goes on until it replies without calling any: that reply is the answer,
/// even an empty one.
///
/// Every attempt begins a conversation of its own (or goes on with [`AttemptContext::history`]), so one actor serves many runs at
/// once. A call of an unknown tool, arguments that do not fit, an error, a panic or a timeout of a tool is told to the model as the call's
/// result, and it goes on. Limits on turns, tokens and cost end an attempt between two questions to the model, with what there is
/// by then; tokens and cost are known only as far as the provider tells them. A model that does not answer is an error, a
/// [`ChatError`](reflect_llm::ChatError) underneath.
///
/// ```
/// use std::sync::Arc;
/// use reflect_llm::{ChatReply, ScriptedModel, ScriptedStep, ToolCall};
/// use reflexion::{Actor, AttemptContext, ChatActor, Tool};
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), reflexion::BoxError> {
/// let call = ToolCall { id: "1".into(), name: "shout".into(), arguments: json!({"value": "hello"}) };
/// let model = Arc::new(ScriptedModel::new([
///     ScriptedStep::reply(ChatReply { tool_calls: vec![call], ..ChatReply::default() }),
///     ScriptedStep::text("It says HELLO."),
/// ]));
/// let actor = ChatActor::new(model)
///     .system_prompt("Use your tools.")
///     .tool(Tool::new("shout", "Makes a text louder.", |text: String| async move { Ok(text.to_uppercase()) }));
/// let context = AttemptContext { trial: 1, prompt: "Shout hello".into(), ..Default::default() };
/// let attempt = actor.attempt("Shout hello", &context).await?;
/// assert_eq!((attempt.answer.as_str(), attempt.turns), ("It says HELLO.", 2));
/// assert_eq!(attempt.messages[3].text, "HELLO");
/// # Ok(()) }
/// ```
///
/// Everything that can be set:
///
/// ```
/// use std::{sync::Arc, time::Duration};
/// use reflect_llm::AnswerFormat;
/// use reflexion::{ChatActor, Tool};
/// # use reflect_llm::ScriptedModel;
/// # let model = Arc::new(ScriptedModel::new([]));
///
/// let actor = ChatActor::new(model)
///     .system_prompt("You are a careful clerk.")
///     .tool(Tool::new("today", "The date.", |_: ()| async { Ok("2026-11-15") }))
///     .max_turns(10)
///     .max_parallel_calls(4)
///     .tool_timeout(Duration::from_secs(30))
///     .result_limit(8_000)
///     .stuck_after(3)
///     .temperature(0.7)
///     .max_output_tokens(2_000)
///     .timeout(Duration::from_secs(120))
///     .answer_format(AnswerFormat::Text)
///     .on_text(|piece| print!("{}", piece.text));
/// ```
#[derive(Clone, Setters)]
#[setters(strip_option)]
pub struct ChatActor {
    #[setters(skip)]
    model: Arc<dyn ChatModel>,
    /// Instructions for every attempt. Evaluators and reflectors see them too.
    #[setters(into)]
    system_prompt: Option<String>,
    #[setters(skip)]
    tools: Vec<Tool>,
    /// How often the model is asked in one attempt at most, 32 times unless set. [`AttemptContext::turns_left`] counts too.
    max_turns: u32,
    /// How many calls of one turn run at once, 8 unless set; with 1 they run one after the other. Results stay in their order.
    max_parallel_calls: usize,
    /// How long one call of a tool may take, 60 seconds unless set here or at the tool.
    tool_timeout: Duration,
    /// The most characters of a tool's result that the model is shown, 32 000 unless set. Of a longer one, the middle is left out.
    result_limit: usize,
    /// After how many calls with the same arguments and the same result, and nothing new in between, the attempt counts as stuck:
    /// 3 unless set; below 2 it never does.
    stuck_after: u32,
    /// Zero for the likeliest words; the provider's default unless set.
    temperature: Option<f64>,
    /// The most tokens of one reply; the provider's default unless set.
    max_output_tokens: Option<u32>,
    /// How long one reply may take; the model's own limit unless set.
    timeout: Option<Duration>,
    /// What the answer has to look like; any text unless set.
    answer_format: AnswerFormat,
    #[setters(skip)]
    observer: Option<Observer>,
}

impl ChatActor {
    /// Asks this model, with neither instructions nor tools.
    pub fn new(model: Arc<dyn ChatModel>) -> Self {
        Self {
            model,
            system_prompt: None,
            tools: Vec::new(),
            max_turns: 32,
            max_parallel_calls: 8,
            tool_timeout: Duration::from_secs(60),
            result_limit: 32_000,
            stuck_after: 3,
            temperature: None,
            max_output_tokens: None,
            timeout: None,
            answer_format: AnswerFormat::Text,
            observer: None,
        }
    }

    /// Offers a tool, in place of an earlier one of that name.
    #[must_use]
    pub fn tool(mut self, tool: Tool) -> Self {
        self.tools.retain(|other| other.name != tool.name);
        self.tools.push(tool);
        self
    }

    /// Hands out the model's words while they arrive, whether or not the attempt will pass. It is called in the midst of the
    /// attempt, so it should not take long; if it panics, the attempt goes on.
    #[must_use]
    pub fn on_text(self, observer: impl Fn(TextPiece) + Send + Sync + 'static) -> Self {
        Self { observer: Some(Arc::new(observer)), ..self }
    }
}

#[async_trait]
impl Actor for ChatActor {
    async fn attempt(&self, task: &str, context: &AttemptContext) -> Result<Attempt, BoxError> {
        Attempting::begin(self, task, context).run().await
    }
}
