//! A model whose calls are counted and paid for.

use std::sync::Arc;

use async_trait::async_trait;
use reflect_llm::{ChatError, ChatModel, ChatReply, ChatRequest, Usage};
use reflect_store::SpendInsert;
use tokio::time::Instant;

use super::{
    estimate::Charge,
    spending::{Role, Spending},
};
use crate::metrics::{LLM_CALLS, LLM_SECONDS};

/// A model whose calls are counted for one role.
pub(crate) struct CountedModel {
    pub(crate) model: Arc<dyn ChatModel>,
    pub(crate) role: Role,
    pub(crate) spending: Arc<Spending>,
}

/// A call on its way.
///
/// Before it is sent, the most that it may cost is stored; when it ends, what it did cost replaces that. So a call is charged
/// even if its caller loses patience and drops it, or the process is killed. Against the daily limit a call counts when it ends:
/// one that is on its way keeps no other from being sent.
struct Call<'a> {
    counted: &'a CountedModel,
    day: i64,
    /// The most that it may cost.
    held: Charge,
    /// Whether that is stored, and so to be replaced.
    is_held: bool,
    state: CallState,
    began: Instant,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CallState {
    NotSent,
    Sent,
    Ended,
}

impl Call<'_> {
    /// Counts a call that was sent and has ended.
    fn count_as(&self, outcome: &str) {
        let (metrics, labels) = (&self.counted.spending.metrics, [self.counted.name(), self.counted.role.name()]);
        metrics.count(&LLM_CALLS, &[labels[0], labels[1], outcome]);
        metrics.observe(&LLM_SECONDS, &labels, self.began.elapsed());
    }

    fn count(&self, charge: Charge) {
        self.counted.spending.count(self.counted.name(), self.counted.role, self.day, charge);
    }

    /// Stores the most that the call may cost, and counts it as sent.
    async fn send(&mut self) {
        self.is_held = self.write(self.row(1, Some(self.held), None)).await;
        self.state = CallState::Sent;
    }

    /// Counts how the call ended, and stores what it cost.
    async fn end(mut self, request: &ChatRequest, reply: &Result<ChatReply, ChatError>) {
        self.state = CallState::Ended;
        self.count_as(reply.as_ref().map_or_else(ChatError::kind, |_| "answered"));
        let charge = Charge::of(request, reply);
        if let Some(charge) = charge {
            self.count(charge);
        }
        let held = self.is_held.then_some(self.held);
        if charge != held {
            let calls = i64::from(charge.is_some()) - i64::from(self.is_held);
            self.write(self.row(calls, charge, held)).await;
        }
    }

    /// A row that adds this many calls and one charge, and subtracts another.
    fn row(&self, calls: i64, plus: Option<Charge>, minus: Option<Charge>) -> SpendInsert {
        let Self { counted, day, .. } = self;
        let tokens = |charge: Option<Charge>, which: fn(Usage) -> u64| {
            charge.map_or(0, |charge| i64::try_from(which(charge.usage)).unwrap_or(i64::MAX))
        };
        let cost =
            |charge: Option<Charge>| charge.map_or(0.0, |charge| counted.spending.cost_usd(counted.name(), charge));
        let difference = |which| tokens(plus, which).saturating_sub(tokens(minus, which));
        SpendInsert {
            day: *day,
            model: counted.name().to_owned(),
            role: counted.role.name().to_owned(),
            calls,
            input_tokens: difference(|usage| usage.input_tokens),
            output_tokens: difference(|usage| usage.output_tokens),
            cost_usd: cost(plus) - cost(minus),
        }
    }

    /// Whether it was stored.
    async fn write(&self, row: SpendInsert) -> bool {
        let written = self.counted.spending.store.insert_spend(row).await;
        if let Err(error) = &written {
            tracing::error!(%error, "what a call cost was not written down; it counts until the next start");
        }
        written.is_ok()
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        match self.state {
            CallState::Ended => {}
            CallState::Sent => {
                self.count_as("cancelled");
                self.count(self.held);
            }
            // The most that it may cost may have been stored already, and stays then: rather too much than too little.
            CallState::NotSent => {}
        }
    }
}

#[async_trait]
impl ChatModel for CountedModel {
    fn name(&self) -> &str {
        self.model.name()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ChatError> {
        let day = match self.spending.admit().await {
            Ok(day) => day,
            Err(error) => {
                self.spending.metrics.count(&LLM_CALLS, &[self.name(), self.role.name(), error.kind()]);
                return Err(error);
            }
        };
        let mut call = Call {
            counted: self,
            day,
            held: Charge::of_lost(request),
            is_held: false,
            state: CallState::NotSent,
            began: Instant::now(),
        };
        call.send().await;
        let reply = self.model.chat(request).await;
        call.end(request, &reply).await;
        reply
    }
}
