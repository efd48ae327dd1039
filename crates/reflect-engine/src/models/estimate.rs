//! What a call is charged that ended without saying what it used.
//!
//! A limit on money that only counts what providers report can be passed by far: whoever hangs up on a call, or never gets
//! its answer, may be billed for it all the same. So such calls are charged by estimate, and rather too much than too
//! little:
//!
//! - The prompt is estimated from its texts and its schema: an ASCII character is a quarter of a token, any other a whole one.
//!   English comes to about four characters a token, other scripts to one or two.
//! - The answer is estimated in the same way where it came. Where it did not (the caller went away, time ran out, the
//!   connection broke in the middle, what came cannot be read) it counts as long as it was allowed to be: the provider may
//!   have gone on writing.
//! - Nothing is charged where the provider said that it did nothing (a refusal, a limit, its own failure) or could not be asked.

use reflect_llm::{AnswerFormat, ChatError, ChatReply, ChatRequest, Usage};
use reflection::estimated_tokens;

/// How long an answer may be that was asked for without a limit. Nothing in this crate asks so.
const UNLIMITED_OUTPUT_TOKENS: u64 = 4_000;

/// What one call is charged. The money in `usage` is what the answer said; none where it was estimated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Charge {
    pub(crate) usage: Usage,
    pub(crate) estimated: bool,
}

impl Charge {
    /// Of a call whose end nobody saw.
    pub(crate) fn of_lost(request: &ChatRequest) -> Self {
        let output_tokens = request.max_tokens.map_or(UNLIMITED_OUTPUT_TOKENS, u64::from);
        Self::estimated(prompt_tokens(request), output_tokens)
    }

    /// Of a call that ended so; `None` where nothing is charged.
    pub(crate) fn of(request: &ChatRequest, ended: &Result<ChatReply, ChatError>) -> Option<Self> {
        match ended {
            Ok(reply) => Some(Self::of_reply(request, reply)),
            Err(ChatError::Timeout { .. } | ChatError::Malformed { .. }) => Some(Self::of_lost(request)),
            // It had said that all was well, and then broke off.
            Err(ChatError::Unavailable { status: Some(200..300), .. }) => Some(Self::of_lost(request)),
            Err(_) => None,
        }
    }

    fn of_reply(request: &ChatRequest, reply: &ChatReply) -> Self {
        let Usage { input_tokens, output_tokens, .. } = reply.usage;
        let called: usize = reply.tool_calls.iter().map(|call| estimated_tokens(&call.arguments.to_string())).sum();
        let written = u64::try_from(estimated_tokens(&reply.text) + called).unwrap_or(u64::MAX);
        if input_tokens > 0 && (output_tokens > 0 || written == 0) {
            return Self { usage: reply.usage, estimated: false };
        }
        let input_tokens = if input_tokens > 0 { input_tokens } else { prompt_tokens(request) };
        Self::estimated(input_tokens, output_tokens.max(written))
    }

    fn estimated(input_tokens: u64, output_tokens: u64) -> Self {
        Self { usage: Usage { input_tokens, output_tokens, cost_usd: None }, estimated: true }
    }
}

fn prompt_tokens(request: &ChatRequest) -> u64 {
    let texts = request.messages.iter().map(|message| estimated_tokens(&message.text)).sum::<usize>();
    let schema = match &request.answer {
        AnswerFormat::Text => 0,
        AnswerFormat::Json { schema, .. } => estimated_tokens(&schema.to_string()),
    };
    u64::try_from(texts + schema).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn request() -> ChatRequest {
        ChatRequest::ask("be brief", "count to 日本").max_tokens(2_000)
    }

    fn tokens(charge: Option<Charge>) -> Option<(u64, u64, bool)> {
        charge.map(|charge| (charge.usage.input_tokens, charge.usage.output_tokens, charge.estimated))
    }

    #[test]
    fn what_the_provider_says_is_what_is_charged() {
        let usage = Usage { input_tokens: 10, output_tokens: 3, cost_usd: Some(0.5) };
        let reply = ChatReply { usage, ..ChatReply::text("one two three") };
        assert_eq!(Charge::of(&request(), &Ok(reply)), Some(Charge { usage, estimated: false }));
    }

    #[test]
    fn an_answer_that_does_not_say_what_it_used_is_estimated_from_its_words() {
        // 17 ASCII characters and 2 others; 13 ASCII characters.
        assert_eq!(tokens(Charge::of(&request(), &Ok(ChatReply::text("one two three")))), Some((7, 4, true)));
        let usage = Usage { input_tokens: 90, output_tokens: 0, cost_usd: None };
        let half = ChatReply { usage, ..ChatReply::text("one") };
        assert_eq!(tokens(Charge::of(&request(), &Ok(half))), Some((90, 1, true)));
    }

    #[test]
    fn a_call_whose_end_nobody_saw_counts_as_long_as_it_may_have_been() {
        let whole = Some((7, 2_000, true));
        assert_eq!(tokens(Some(Charge::of_lost(&request()))), whole);
        let message = || "what is this".to_owned();
        for error in [
            ChatError::Timeout { after: Duration::from_secs(1) },
            ChatError::Malformed { message: message() },
            ChatError::Unavailable { status: Some(200), retry_after: None, message: message() },
        ] {
            assert_eq!(tokens(Charge::of(&request(), &Err(error))), whole);
        }
    }

    #[test]
    fn what_was_refused_or_never_sent_is_not_charged() {
        let message = || "no".to_owned();
        for error in [
            ChatError::RateLimited { retry_after: None, message: message() },
            ChatError::Unavailable { status: Some(500), retry_after: None, message: message() },
            ChatError::Unavailable { status: None, retry_after: None, message: message() },
            ChatError::Refused { status: Some(401), message: message() },
        ] {
            assert_eq!(Charge::of(&request(), &Err(error)), None);
        }
    }
}
