//! Trying again.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use reflect_core::{Backoff, Entropy, spread};

use crate::{ChatError, ChatModel, ChatReply, ChatRequest, ChatStream};

/// How often and how patiently to try again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetrySettings {
    /// Tries in all; one means none again.
    pub attempts: u32,
    /// The wait before the second try. It doubles from try to try.
    pub first_wait: Duration,
    /// The longest wait. A provider that asks for more is not waited for: the error goes to the caller at once.
    pub longest_wait: Duration,
}

impl Default for RetrySettings {
    fn default() -> Self {
        Self { attempts: 4, first_wait: Duration::from_millis(500), longest_wait: Duration::from_secs(30) }
    }
}

/// Tries again what is worth it, and waits in between: as long as the provider asks, or twice as long from try to try, each
/// with a random part, so that callers who failed together do not come back together.
pub struct Retrying<M> {
    model: M,
    settings: RetrySettings,
    entropy: Arc<dyn Entropy>,
}

impl<M> Retrying<M> {
    /// Around this model.
    pub fn new(model: M, settings: RetrySettings, entropy: Arc<dyn Entropy>) -> Self {
        Self { model, settings, entropy }
    }

    /// How long to wait after the try of this number failed so; `None` when it is not worth it.
    fn wait(&self, attempt: u32, error: &ChatError) -> Option<Duration> {
        if !error.is_temporary() || attempt >= self.settings.attempts {
            return None;
        }
        let RetrySettings { first_wait, longest_wait, .. } = self.settings;
        let random = self.entropy.number();
        match error.retry_after() {
            Some(asked) if asked > longest_wait => None,
            // Never sooner than asked, and a little later by chance.
            Some(asked) => Some(asked + spread(first_wait / 2, random)),
            None => Some(Backoff::new(first_wait, longest_wait).jittered(attempt, random)),
        }
    }
}

impl<M: ChatModel> Retrying<M> {
    async fn retried<'a, T>(
        &self,
        call: impl Fn() -> BoxFuture<'a, Result<T, ChatError>> + Send + Sync,
    ) -> Result<T, ChatError> {
        let mut attempt = 1;
        loop {
            let error = match call().await {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            let Some(wait) = self.wait(attempt, &error) else { return Err(error) };
            tokio::time::sleep(wait).await;
            attempt += 1;
        }
    }
}

#[async_trait]
impl<M: ChatModel> ChatModel for Retrying<M> {
    fn name(&self) -> &str {
        self.model.name()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ChatError> {
        self.retried(|| self.model.chat(request)).await
    }

    /// Tries again until an answer begins. What breaks off after that is the caller's: words already went out.
    async fn stream(&self, request: &ChatRequest) -> Result<ChatStream, ChatError> {
        self.retried(|| self.model.stream(request)).await
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::*;
    use crate::{ScriptedModel, ScriptedStep};

    struct Always(u8);

    impl Entropy for Always {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(self.0);
        }
    }

    fn unavailable() -> ScriptedStep {
        ScriptedStep::error(ChatError::Unavailable { status: Some(500), retry_after: None, message: "down".into() })
    }

    fn limited(seconds: u64) -> ScriptedStep {
        let retry_after = Some(Duration::from_secs(seconds));
        ScriptedStep::error(ChatError::RateLimited { retry_after, message: "slow down".into() })
    }

    async fn run(steps: Vec<ScriptedStep>, chance: u8) -> (Result<ChatReply, ChatError>, usize, Duration) {
        let model = Arc::new(ScriptedModel::new(steps));
        let retrying = Retrying::new(model.clone(), RetrySettings::default(), Arc::new(Always(chance)));
        let start = Instant::now();
        let outcome = retrying.chat(&ChatRequest::default()).await;
        (outcome, model.requests().len(), start.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn waits_double_and_the_answer_comes_through() {
        let steps = vec![unavailable(), unavailable(), unavailable(), ScriptedStep::text("at last")];
        let (outcome, calls, elapsed) = run(steps, 0).await;
        assert_eq!((outcome, calls), (Ok(ChatReply::text("at last")), 4));
        // Half of 500 ms, of 1 s and of 2 s: the least that chance allows.
        assert_eq!(elapsed.as_millis(), 1_750);
    }

    #[tokio::test(start_paused = true)]
    async fn chance_makes_waits_longer_but_never_beyond_the_backoff() {
        let (_, _, elapsed) = run(vec![unavailable(), ScriptedStep::text("x")], 255).await;
        assert!((450..=501).contains(&elapsed.as_millis()), "{elapsed:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_provider_is_never_asked_sooner_than_it_asked_for() {
        let (outcome, calls, elapsed) = run(vec![limited(7), ScriptedStep::text("x")], 0).await;
        assert_eq!((outcome, calls, elapsed.as_secs()), (Ok(ChatReply::text("x")), 2, 7));
    }

    #[tokio::test(start_paused = true)]
    async fn a_provider_that_asks_for_too_long_is_not_waited_for() {
        let (outcome, calls, elapsed) = run(vec![limited(3_600), ScriptedStep::text("x")], 0).await;
        assert!(matches!(outcome, Err(ChatError::RateLimited { .. })));
        assert_eq!((calls, elapsed), (1, Duration::ZERO));
    }

    #[tokio::test(start_paused = true)]
    async fn tries_are_bounded_and_the_last_error_is_told() {
        let (outcome, calls, _) = run((0..9).map(|_| unavailable()).collect(), 0).await;
        assert!(matches!(outcome, Err(ChatError::Unavailable { .. })));
        assert_eq!(calls, 4);
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_refused_is_not_tried_again() {
        let refused = ChatError::Refused { status: Some(401), message: "wrong key".into() };
        let (outcome, calls, _) = run(vec![ScriptedStep::error(refused.clone())], 0).await;
        assert_eq!((outcome, calls), (Err(refused), 1));
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_is_tried_again_until_it_begins() {
        let model = ScriptedModel::new([unavailable(), ScriptedStep::text("x")]);
        let retrying = Retrying::new(model, RetrySettings::default(), Arc::new(Always(0)));
        assert!(retrying.stream(&ChatRequest::default()).await.is_ok());
    }
}
