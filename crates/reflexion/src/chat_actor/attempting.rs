//! One attempt, from the prompt to its end.

use std::panic::{AssertUnwindSafe, catch_unwind};

use futures_util::StreamExt;
use reflect_llm::{
    ChatError, ChatMessage, ChatPiece, ChatReply, ChatRequest, FinishReason, Role, ToolCall, ToolDefinition, Usage,
};

use super::{ChatActor, TextPiece, repeats::Repeats, run_tools::run_call};
use crate::{Attempt, AttemptContext, AttemptEnd, BoxError, evaluate::join::join_limited, task::media_tokens};

pub(super) struct Attempting<'a> {
    actor: &'a ChatActor,
    context: &'a AttemptContext,
    /// The whole conversation, what came before the attempt included.
    request: ChatRequest,
    attempt: Attempt,
    repeats: Repeats,
}

impl<'a> Attempting<'a> {
    pub(super) fn begin(actor: &'a ChatActor, task: &str, context: &'a AttemptContext) -> Self {
        let prompt = if context.prompt.is_empty() { task } else { &context.prompt };
        let system = actor.system_prompt.as_deref().map(ChatMessage::system);
        // Instructions of earlier trials in a conversation that goes on are these again.
        let earlier = context.history.iter().filter(|message| system.is_none() || message.role != Role::System);
        let user = match context.inputs.0.is_empty() {
            true => ChatMessage::user(prompt),
            false => ChatMessage::user(context.inputs.clone()),
        };
        let messages = system.iter().chain(earlier).chain([&user]).cloned().collect();
        let offered = actor.tools.iter().map(|tool| ToolDefinition {
            name: tool.name.clone(),
            description: tool.description.clone(),
            parameters: tool.parameters.clone(),
        });
        let request = ChatRequest {
            messages,
            tools: offered.collect(),
            answer: actor.answer_format.clone(),
            temperature: actor.temperature,
            max_tokens: actor.max_output_tokens,
            timeout: actor.timeout,
        };
        let attempt = Attempt { messages: system.into_iter().chain([user]).collect(), ..Attempt::default() };
        Self { actor, context, request, attempt, repeats: Repeats::new(actor.stuck_after) }
    }

    pub(super) async fn run(mut self) -> Result<Attempt, BoxError> {
        if let Some(limit) = self.limit_reached() {
            return Ok(self.end(AttemptEnd::Limit(limit)));
        }
        loop {
            let reply = self.ask().await?;
            if reply.tool_calls.is_empty() {
                self.attempt.answer = reply.text;
                return Ok(self.end(answered(reply.finish)));
            }
            if let Some(limit) = self.limit_reached() {
                self.leave_undone(&reply.tool_calls, &limit);
                return Ok(self.end(AttemptEnd::Limit(limit)));
            }
            if let Some(why) = self.run_tools(&reply.tool_calls).await {
                return Ok(self.end(AttemptEnd::Stuck(why)));
            }
        }
    }

    /// Asks the model once and takes down what it says and costs.
    async fn ask(&mut self) -> Result<ChatReply, ChatError> {
        self.request.max_tokens = self.most_output_tokens();
        let reply = self.hear().await?;
        self.attempt.turns += 1;
        self.attempt.usage = self.attempt.usage.plus(self.counted(reply.usage));
        if !reply.text.is_empty() {
            self.attempt.answer.clone_from(&reply.text);
        }
        self.say(ChatMessage::assistant_calling(reply.text.clone(), reply.tool_calls.clone()));
        Ok(reply)
    }

    /// What a reply took. Of a provider that does not say what it read, images and documents at least are counted.
    fn counted(&self, usage: Usage) -> Usage {
        match usage.input_tokens {
            0 => {
                let parts = self.request.messages.iter().flat_map(|message| &message.parts);
                Usage { input_tokens: media_tokens(parts), ..usage }
            }
            _ => usage,
        }
    }

    async fn hear(&self) -> Result<ChatReply, ChatError> {
        let model = &self.actor.model;
        let Some(observer) = &self.actor.observer else { return model.chat(&self.request).await };
        let (trial, turn) = (self.context.trial, self.attempt.turns + 1);
        let mut pieces = model.stream(&self.request).await?;
        while let Some(piece) = pieces.next().await {
            match piece? {
                ChatPiece::End(reply) => return Ok(reply),
                ChatPiece::Text(text) => {
                    let piece = TextPiece { trial, turn, text };
                    if catch_unwind(AssertUnwindSafe(|| observer(piece))).is_err() {
                        tracing::warn!(trial, turn, "the observer of the text panicked; the attempt goes on");
                    }
                }
            }
        }
        Err(ChatError::Malformed { message: "the answer broke off before its end".into() })
    }

    /// Runs what the model asked for, and says how the attempt is stuck, if it is.
    async fn run_tools(&mut self, calls: &[ToolCall]) -> Option<String> {
        let actor = self.actor;
        let running = calls.iter().map(|call| run_call(&actor.tools, call, actor.tool_timeout, actor.result_limit));
        let results = join_limited(actor.max_parallel_calls, running).await;
        let stuck = self.repeats.add(calls.iter().zip(results.iter().map(String::as_str)));
        for (call, result) in calls.iter().zip(results) {
            self.say(ChatMessage::tool(call.id.clone(), result));
        }
        stuck
    }

    /// Providers refuse a conversation in which a call has no result, and the next trial may go on with this one.
    fn leave_undone(&mut self, calls: &[ToolCall], limit: &str) {
        for call in calls {
            self.say(ChatMessage::tool(call.id.clone(), format!("error: not run: {limit}")));
        }
    }

    fn say(&mut self, message: ChatMessage) {
        self.attempt.messages.push(message.clone());
        self.request.messages.push(message);
    }

    /// Which limit forbids another question, if one does.
    fn limit_reached(&self) -> Option<String> {
        let context = self.context;
        let turns = context.turns_left.unwrap_or(u32::MAX).min(self.actor.max_turns);
        if self.attempt.turns >= turns {
            return Some(format!("the limit of {turns} turns is reached"));
        }
        let used = tokens(self.attempt.usage);
        if let Some(limit) = context.tokens_left.filter(|limit| used >= *limit) {
            return Some(format!("the limit of {limit} tokens is reached"));
        }
        let cost = self.attempt.usage.cost_usd.unwrap_or(0.0);
        // Written so that a limit that is no number forbids.
        let is_within = |limit: &f64| cost < *limit;
        let limit = context.cost_left_usd.filter(|limit| !is_within(limit))?;
        Some(format!("the limit of {limit} US dollars is reached"))
    }

    /// What a reply may have so that it stays within the tokens that are left.
    fn most_output_tokens(&self) -> Option<u32> {
        let left = self.context.tokens_left.map(|limit| {
            let left = limit.saturating_sub(tokens(self.attempt.usage)).max(1);
            u32::try_from(left).unwrap_or(u32::MAX)
        });
        let own = self.actor.max_output_tokens;
        own.map_or(left, |own| Some(left.map_or(own, |left| own.min(left))))
    }

    fn end(self, end: AttemptEnd) -> Attempt {
        Attempt { end, ..self.attempt }
    }
}

fn answered(finish: FinishReason) -> AttemptEnd {
    match finish {
        FinishReason::Length => AttemptEnd::Limit("the answer was cut off at its limit of tokens".into()),
        _ => AttemptEnd::Answered,
    }
}

fn tokens(usage: Usage) -> u64 {
    usage.input_tokens.saturating_add(usage.output_tokens)
}
