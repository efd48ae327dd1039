//! Counting calls, tokens and money.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use futures_util::StreamExt;

use super::Prices;
use crate::{ChatError, ChatModel, ChatPiece, ChatReply, ChatRequest, ChatStream, Usage};

/// What was counted so far.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MeterReading {
    /// Answers that came.
    pub answers: u64,
    /// Calls that failed, by [`ChatError::kind`].
    pub failures: BTreeMap<&'static str, u64>,
    /// Tokens and money of all answers. The money is a sum of what is known.
    pub usage: Usage,
    /// Answers whose price is not known, so that nobody takes the sum for the whole.
    pub answers_without_price: u64,
}

/// A counter that several models can share. Cloning shares it.
#[derive(Debug, Clone, Default)]
pub struct Meter(Arc<Mutex<MeterReading>>);

impl Meter {
    /// What was counted so far.
    pub fn read(&self) -> MeterReading {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn count_answer(&self, usage: Usage) {
        let mut reading = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        reading.answers += 1;
        reading.answers_without_price += u64::from(usage.cost_usd.is_none());
        reading.usage = reading.usage.plus(usage);
    }

    fn count_failure(&self, error: &ChatError) {
        let mut reading = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *reading.failures.entry(error.kind()).or_default() += 1;
    }
}

/// Counts what a model is used for, and writes onto each answer what it cost.
pub struct Metered<M> {
    model: M,
    prices: Arc<Prices>,
    meter: Meter,
}

impl<M: ChatModel> Metered<M> {
    /// Counts on this meter, by these prices.
    pub fn new(model: M, prices: Arc<Prices>, meter: Meter) -> Self {
        Self { model, prices, meter }
    }
}

/// The answer with its price, counted.
fn counted(mut reply: ChatReply, prices: &Prices, meter: &Meter, model: &str) -> ChatReply {
    reply.usage.cost_usd = reply.usage.cost_usd.or_else(|| prices.cost(model, reply.usage));
    meter.count_answer(reply.usage);
    reply
}

#[async_trait]
impl<M: ChatModel> ChatModel for Metered<M> {
    fn name(&self) -> &str {
        self.model.name()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ChatError> {
        let reply = self.model.chat(request).await.inspect_err(|error| self.meter.count_failure(error))?;
        Ok(counted(reply, &self.prices, &self.meter, self.model.name()))
    }

    async fn stream(&self, request: &ChatRequest) -> Result<ChatStream, ChatError> {
        let pieces = self.model.stream(request).await.inspect_err(|error| self.meter.count_failure(error))?;
        let (prices, meter, name) = (self.prices.clone(), self.meter.clone(), self.model.name().to_owned());
        Ok(Box::pin(pieces.map(move |piece| match piece.inspect_err(|error| meter.count_failure(error))? {
            ChatPiece::End(reply) => Ok(ChatPiece::End(counted(reply, &prices, &meter, &name))),
            text => Ok(text),
        })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ScriptedModel, ScriptedStep};

    fn answer(input_tokens: u64, output_tokens: u64) -> ScriptedStep {
        let usage = Usage { input_tokens, output_tokens, cost_usd: None };
        ScriptedStep::reply(ChatReply { usage, ..ChatReply::text("x") })
    }

    #[tokio::test]
    async fn answers_failures_tokens_and_money_are_counted() {
        let refused = ScriptedStep::error(ChatError::Refused { status: None, message: "no".into() });
        let model =
            ScriptedModel::new([answer(1_000_000, 0), refused, answer(0, 1_000_000)]).named("openai/gpt-4o-mini");
        let meter = Meter::default();
        let metered = Metered::new(model, Arc::new(Prices::default()), meter.clone());
        let request = ChatRequest::default();
        assert_eq!(metered.chat(&request).await.unwrap().usage.cost_usd, Some(0.15));
        assert!(metered.chat(&request).await.is_err());
        let pieces: Vec<_> = metered.stream(&request).await.unwrap().collect().await;
        assert!(matches!(pieces.last(), Some(Ok(ChatPiece::End(reply))) if reply.usage.cost_usd == Some(0.6)));
        let reading = meter.read();
        assert_eq!((reading.answers, reading.answers_without_price), (2, 0));
        assert_eq!(reading.failures, BTreeMap::from([("refused", 1)]));
        assert_eq!(reading.usage, Usage { input_tokens: 1_000_000, output_tokens: 1_000_000, cost_usd: Some(0.75) });
    }

    #[tokio::test]
    async fn an_answer_without_a_price_is_counted_as_such() {
        let meter = Meter::default();
        let metered = Metered::new(ScriptedModel::new([answer(5, 5)]), Arc::new(Prices::default()), meter.clone());
        assert_eq!(metered.chat(&ChatRequest::default()).await.unwrap().usage.cost_usd, None);
        assert_eq!(meter.read().answers_without_price, 1);
    }
}
