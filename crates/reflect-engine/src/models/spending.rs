//! What calls to models use and cost, and the limit on what a day may cost.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use reflect_core::{Clock, Timestamp};
use reflect_llm::{ChatError, ChatModel, ChatReply, ChatRequest, Prices, Usage};
use reflect_store::{SpendInsert, Store};

use super::estimate::Charge;
use crate::metrics::{LLM_CALLS, LLM_COST, LLM_ESTIMATED_COST, LLM_TOKENS, Metrics};

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

    /// Counts what a call used.
    fn count(&self, model: &str, role: Role, day: i64, charge: Charge) {
        let usage = charge.usage;
        let cost_usd = self.cost_usd(model, charge);
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
    }

    fn cost_usd(&self, model: &str, charge: Charge) -> f64 {
        charge.usage.cost_usd.or_else(|| self.prices.cost(model, charge.usage)).unwrap_or(0.0)
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

/// A call on its way.
///
/// Before it is sent, what it may come to is written down; what it did come to takes the place of that. So whoever loses
/// patience and drops it, or is killed, has been charged. In memory, which the limit is held against, a call counts when it
/// ends: one that is on its way does not keep others from being asked.
struct Call<'a> {
    metered: &'a Metered,
    day: i64,
    /// What it may come to.
    held: Charge,
    /// Whether that is written down, and so to be taken away again.
    is_held: bool,
    state: CallState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CallState {
    NotSent,
    Sent,
    Ended,
}

impl Call<'_> {
    fn count_as(&self, outcome: &str) {
        self.metered.meter.metrics.count(&LLM_CALLS, &[self.metered.name(), self.metered.role.name(), outcome]);
    }

    fn count(&self, charge: Charge) {
        self.metered.meter.count(self.metered.name(), self.metered.role, self.day, charge);
    }

    /// Writes down what the call may come to, and lets it go.
    async fn send(&mut self) {
        self.is_held = self.write(self.row(1, Some(self.held), None)).await;
        self.state = CallState::Sent;
    }

    /// Counts how the call ended, and writes down what it came to.
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

    /// A row that adds so many calls and one charge, and takes another away.
    fn row(&self, calls: i64, plus: Option<Charge>, minus: Option<Charge>) -> SpendInsert {
        let Self { metered, day, .. } = self;
        let tokens = |charge: Option<Charge>, which: fn(Usage) -> u64| {
            charge.map_or(0, |charge| i64::try_from(which(charge.usage)).unwrap_or(i64::MAX))
        };
        let cost = |charge: Option<Charge>| charge.map_or(0.0, |charge| metered.meter.cost_usd(metered.name(), charge));
        let difference = |which| tokens(plus, which).saturating_sub(tokens(minus, which));
        SpendInsert {
            day: *day,
            model: metered.name().to_owned(),
            role: metered.role.name().to_owned(),
            calls,
            input_tokens: difference(|usage| usage.input_tokens),
            output_tokens: difference(|usage| usage.output_tokens),
            cost_usd: cost(plus) - cost(minus),
        }
    }

    /// Whether it was written down.
    async fn write(&self, row: SpendInsert) -> bool {
        let written = self.metered.meter.store.insert_spend(row).await;
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
            // Nobody knows whether what it may come to was still written down. If so it stays: rather too much than too little.
            CallState::NotSent => {}
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
        let mut call =
            Call { metered: self, day, held: Charge::of_lost(request), is_held: false, state: CallState::NotSent };
        call.send().await;
        let reply = self.model.chat(request).await;
        call.end(request, &reply).await;
        reply
    }
}
