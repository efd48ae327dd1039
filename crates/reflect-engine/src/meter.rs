//! What calls to models use and cost, and the limit on what a day may cost.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use futures_util::FutureExt;
use reflect_core::{Clock, Timestamp};
use reflect_llm::{ChatError, ChatModel, ChatReply, ChatRequest, Prices};
use reflect_store::{SpendInsert, Store};

use crate::{
    estimate::Charge,
    metrics::{LLM_CALLS, LLM_COST, LLM_ESTIMATED_COST, LLM_TOKENS, Metrics},
};

const MICROS_A_DAY: i64 = 86_400_000_000;

/// Counts calls, and turns them away once the day's money is spent.
pub(crate) struct Meter {
    store: Arc<Store>,
    clock: Arc<dyn Clock>,
    metrics: Arc<Metrics>,
    prices: Arc<Prices>,
    /// US dollars a day; `None` is no limit.
    daily_limit_usd: Option<f64>,
    /// The day that was counted last, and what it has cost so far. Read from the store before a day's first call, so that a
    /// restart forgets nothing.
    today: Mutex<Option<(i64, f64)>>,
}

impl Meter {
    pub(crate) fn new(
        store: Arc<Store>,
        clock: Arc<dyn Clock>,
        metrics: Arc<Metrics>,
        prices: Arc<Prices>,
        daily_limit_usd: Option<f64>,
    ) -> Self {
        Self { store, clock, metrics, prices, daily_limit_usd, today: Mutex::new(None) }
    }

    pub(crate) fn limit_usd(&self) -> Option<f64> {
        self.daily_limit_usd
    }

    /// What today has cost so far, in US dollars.
    pub(crate) async fn spent_today(&self) -> Result<f64, reflect_store::StoreError> {
        self.spent_on(day(self.clock.now())).await
    }

    /// When there is money again, if there is none now.
    pub(crate) async fn spent_until(&self) -> Option<Timestamp> {
        self.admit().await.err()?;
        Some(Timestamp::from_micros((day(self.clock.now()) + 1).saturating_mul(MICROS_A_DAY)))
    }

    async fn spent_on(&self, day: i64) -> Result<f64, reflect_store::StoreError> {
        if let Some((_, spent)) = self.today().filter(|(counted, _)| *counted == day) {
            return Ok(spent);
        }
        let read = self.store.get_daily_spend(day).await?.cost_usd;
        let mut today = self.today.lock().unwrap_or_else(PoisonError::into_inner);
        // Whoever read it first is right: calls have been added since.
        match *today {
            Some((counted, spent)) if counted == day => Ok(spent),
            _ => {
                *today = Some((day, read));
                Ok(read)
            }
        }
    }

    fn today(&self) -> Option<(i64, f64)> {
        *self.today.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers the day that a call is charged to. Calls that run at the same time may together go over the limit by what they
    /// cost; none is begun beyond it.
    async fn admit(&self) -> Result<i64, ChatError> {
        let day = day(self.clock.now());
        match (self.spent_on(day).await, self.daily_limit_usd) {
            (_, None) => Ok(day),
            (Ok(spent), Some(limit)) if spent < limit => Ok(day),
            (Ok(spent), Some(limit)) => Err(ChatError::Budget {
                message: format!("${spent:.4} of ${limit} were spent today; the day ends at midnight UTC"),
            }),
            (Err(error), _) => {
                Err(ChatError::Budget { message: format!("what was spent today cannot be read: {error}") })
            }
        }
    }

    /// Counts what a call used. What is answered is still to be written down.
    fn count(&self, model: &str, role: Role, day: i64, charge: Charge) -> SpendInsert {
        let usage = charge.usage;
        let cost_usd = match usage.cost_usd {
            Some(cost_usd) => cost_usd,
            None => self.prices.cost(model, usage).unwrap_or(0.0),
        };
        let labels = [model, role.name()];
        self.metrics.add(&LLM_COST, &labels, cost_usd);
        if charge.estimated {
            self.metrics.add(&LLM_ESTIMATED_COST, &labels, cost_usd);
        }
        for (direction, tokens) in [("input", usage.input_tokens), ("output", usage.output_tokens)] {
            #[expect(clippy::cast_precision_loss, reason = "a count of tokens is far below 2^52")]
            self.metrics.add(&LLM_TOKENS, &[labels[0], labels[1], direction], tokens as f64);
        }
        if let Some((counted, spent)) = self.today.lock().unwrap_or_else(PoisonError::into_inner).as_mut()
            && *counted == day
        {
            *spent += cost_usd;
        }
        SpendInsert {
            day,
            model: model.to_owned(),
            role: role.name().to_owned(),
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            cost_usd,
        }
    }
}

fn day(now: Timestamp) -> i64 {
    now.as_micros().div_euclid(MICROS_A_DAY)
}

/// What a model is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Reflector,
    Judge,
    Distiller,
    SkillWriter,
}

impl Role {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Reflector => "reflector",
            Self::Judge => "judge",
            Self::Distiller => "distiller",
            Self::SkillWriter => "skill_writer",
        }
    }
}

/// A model whose calls are counted for one role.
pub(crate) struct Metered {
    pub(crate) model: Arc<dyn ChatModel>,
    pub(crate) role: Role,
    pub(crate) meter: Arc<Meter>,
}

/// A call on its way. Whoever loses patience drops it, and it is counted and charged all the same.
struct Call<'a> {
    metered: &'a Metered,
    request: &'a ChatRequest,
    day: i64,
    ended: bool,
}

impl Call<'_> {
    fn count_as(&self, outcome: &str) {
        self.metered.meter.metrics.count(&LLM_CALLS, &[self.metered.name(), self.metered.role.name(), outcome]);
    }

    fn charge(&self, charge: Charge) -> SpendInsert {
        self.metered.meter.count(self.metered.name(), self.metered.role, self.day, charge)
    }

    /// Counts how the call ended, and writes down what it used.
    async fn end(mut self, reply: &Result<ChatReply, ChatError>) {
        self.ended = true;
        self.count_as(reply.as_ref().map_or_else(ChatError::kind, |_| "answered"));
        let Some(charge) = Charge::of(self.request, reply) else { return };
        if let Err(error) = self.metered.meter.store.insert_spend(self.charge(charge)).await {
            tracing::error!(%error, "what a call cost was not written down; it counts until the next start");
        }
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        self.count_as("cancelled");
        let spend = self.charge(Charge::of_lost(self.request));
        // A write that was handed over is carried out, whether or not anybody waits for it.
        if let Some(Err(error)) = self.metered.meter.store.insert_spend(spend).now_or_never() {
            tracing::error!(%error, "what a call cost was not written down; it counts until the next start");
        }
    }
}

#[async_trait]
impl ChatModel for Metered {
    fn name(&self) -> &str {
        self.model.name()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ChatError> {
        let day = match self.meter.admit().await {
            Ok(day) => day,
            Err(error) => {
                self.meter.metrics.count(&LLM_CALLS, &[self.name(), self.role.name(), error.kind()]);
                return Err(error);
            }
        };
        let call = Call { metered: self, request, day, ended: false };
        let reply = self.model.chat(request).await;
        call.end(&reply).await;
        reply
    }
}
