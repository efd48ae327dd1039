//! Asking a model, and counting what it took.

use std::{borrow::Cow, time::Duration};

use reflect_llm::{ChatError, ChatMessage, ChatModel, ChatReply, ChatRequest, Role};
use tokio::time::Instant;

use crate::{
    ReflectError, Spent, echo,
    plain::{self, estimated_tokens},
    prompt,
};

/// Tokens that a prompt leaves free where an answer that cannot be used is asked for again: for the start of that answer, and
/// for what is wrong with it.
pub(crate) const RE_ASK_TOKENS: usize = 300;

/// The longest answer, in characters, that is shown again.
const SHOWN_AGAIN: usize = 4_000;

/// What holds for every call of one kind.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallLimits {
    pub(crate) max_output_tokens: u32,
    pub(crate) timeout: Option<Duration>,
}

/// A conversation with a model about one thing.
pub(crate) struct Asking<'a> {
    model: &'a dyn ChatModel,
    request: ChatRequest,
    pub(crate) spent: Spent,
}

impl<'a> Asking<'a> {
    pub(crate) fn new(model: &'a dyn ChatModel, request: ChatRequest, limits: CallLimits) -> Self {
        let request = request.temperature(0.0).max_tokens(limits.max_output_tokens);
        let request = match limits.timeout {
            Some(timeout) => request.timeout(timeout),
            None => request,
        };
        Self { model, request, spent: Spent::default() }
    }

    /// The same with other than the likeliest words.
    pub(crate) fn temperature(mut self, temperature: f64) -> Self {
        self.request.temperature = Some(temperature);
        self
    }

    /// The answer to what was asked so far. How long a call may take is the model's business: it knows when a call begins that
    /// had to wait for its turn. So a model has to heed its request's timeout.
    pub(crate) async fn ask(&mut self) -> Result<ChatReply, ReflectError> {
        let begun = Instant::now();
        self.spent.calls += 1;
        let reply = self.model.chat(&self.request).await;
        self.spent.millis += u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let reply = reply.map_err(from_chat)?;
        self.spent.usage = self.spent.usage.plus(reply.usage);
        Ok(reply)
    }

    /// A reply without what it only repeats of the question, or of the examples in the instructions: see [`echo::own_words`].
    pub(crate) fn own_words<'r>(&self, reply: &'r str, answers: impl Fn(&str) -> bool) -> Cow<'r, str> {
        let shown = self.request.messages.iter().filter(|message| message.role != Role::Assistant);
        let shown: Vec<&str> = shown.map(|message| message.text.as_str()).collect();
        echo::own_words(reply, &shown.join("\n"), answers)
    }

    /// Says what was wrong with the last answer; the next [`Asking::ask`] asks again, with at most `input_tokens` by our estimate:
    /// the answer is shown as far as they go.
    pub(crate) fn object(&mut self, answer: &str, why: &str, input_tokens: usize) {
        let answer = if answer.trim().is_empty() { "(nothing)" } else { answer };
        let objection = format!(
            "That answer cannot be used: {why}. Answer again with one JSON object as described, and nothing else."
        );
        let sent: usize = self.request.messages.iter().map(|message| estimated_tokens(&message.text)).sum();
        let left = input_tokens.saturating_sub(sent + estimated_tokens(&objection));
        // A huge reply that could not be used is not worth its tokens a second time.
        let shown_again = prompt::shorten(&plain::shortened(answer, SHOWN_AGAIN), left * 4);
        self.request.messages.push(ChatMessage::assistant(shown_again));
        self.request.messages.push(ChatMessage::user(objection));
    }
}

fn from_chat(error: ChatError) -> ReflectError {
    match error {
        ChatError::Timeout { after } => ReflectError::TimedOut(after),
        error => ReflectError::Model(error),
    }
}
