//! What calls to models use and cost, and the limit on what a day may cost.

use std::sync::Arc;

use async_trait::async_trait;
use reflect_core::{Clock, Timestamp};
use reflect_llm::{ChatError, ChatModel, ChatReply, ChatRequest, Usage};
use reflect_store::{SpendInsert, Store};
use tokio::sync::Mutex;

use crate::metrics::{LLM_CALLS, LLM_COST, LLM_TOKENS, Metrics};

const MICROS_A_DAY: i64 = 86_400_000_000;

/// Counts calls, and turns them away once the day's money is spent.
pub(crate) struct Meter {
    store: Arc<Store>,
    clock: Arc<dyn Clock>,
    metrics: Arc<Metrics>,
    /// US dollars a day; `None` is no limit.
    daily_limit_usd: Option<f64>,
    /// The day that was counted last, and what it has cost so far. Read from the store on a day's first call, so that a
    /// restart forgets nothing.
    today: Mutex<Option<(i64, f64)>>,
}

impl Meter {
    pub(crate) fn new(
        store: Arc<Store>,
        clock: Arc<dyn Clock>,
        metrics: Arc<Metrics>,
        daily_limit_usd: Option<f64>,
    ) -> Self {
        Self { store, clock, metrics, daily_limit_usd, today: Mutex::new(None) }
    }

    pub(crate) fn limit_usd(&self) -> Option<f64> {
        self.daily_limit_usd
    }

    /// What today has cost so far, in US dollars.
    pub(crate) async fn spent_today(&self) -> Result<f64, reflect_store::StoreError> {
        let day = day(self.clock.now());
        let mut today = self.today.lock().await;
        match *today {
            Some((counted, spent)) if counted == day => Ok(spent),
            _ => {
                let spent = self.store.get_daily_spend(day).await?.cost_usd;
                *today = Some((day, spent));
                Ok(spent)
            }
        }
    }

    /// When there is money again, if there is none now.
    pub(crate) async fn spent_until(&self) -> Option<Timestamp> {
        self.admit().await.err()?;
        Some(Timestamp::from_micros((day(self.clock.now()) + 1).saturating_mul(MICROS_A_DAY)))
    }

    /// Calls that run at the same time may together go over the limit by what they cost; none is begun beyond it.
    async fn admit(&self) -> Result<(), ChatError> {
        let Some(limit) = self.daily_limit_usd else {
            return Ok(());
        };
        match self.spent_today().await {
            Ok(spent) if spent < limit => Ok(()),
            Ok(spent) => Err(ChatError::Budget {
                message: format!("${spent:.4} of ${limit} were spent today; the day ends at midnight UTC"),
            }),
            Err(error) => Err(ChatError::Budget { message: format!("what was spent today cannot be read: {error}") }),
        }
    }

    async fn note(&self, model: &str, role: Role, usage: Usage) {
        let cost_usd = usage.cost_usd.unwrap_or(0.0);
        let labels = [model, role.name()];
        self.metrics.add(&LLM_COST, &labels, cost_usd);
        for (direction, tokens) in [("input", usage.input_tokens), ("output", usage.output_tokens)] {
            #[expect(clippy::cast_precision_loss, reason = "a count of tokens is far below 2^52")]
            self.metrics.add(&LLM_TOKENS, &[labels[0], labels[1], direction], tokens as f64);
        }
        let day = day(self.clock.now());
        if let Some((counted, spent)) = self.today.lock().await.as_mut()
            && *counted == day
        {
            *spent += cost_usd;
        }
        let spend = SpendInsert {
            day,
            model: model.to_owned(),
            role: role.name().to_owned(),
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            cost_usd,
        };
        if let Err(error) = self.store.insert_spend(spend).await {
            tracing::error!(%error, "what a call cost was not written down; it counts until the next start");
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

/// A call on its way. Whoever loses patience drops it, and it is counted all the same.
struct Call<'a> {
    metered: &'a Metered,
    outcome: &'static str,
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        let labels = [self.metered.model.name(), self.metered.role.name(), self.outcome];
        self.metered.meter.metrics.count(&LLM_CALLS, &labels);
    }
}

#[async_trait]
impl ChatModel for Metered {
    fn name(&self) -> &str {
        self.model.name()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ChatError> {
        let mut call = Call { metered: self, outcome: "cancelled" };
        let reply = match self.meter.admit().await {
            Ok(()) => self.model.chat(request).await,
            Err(error) => Err(error),
        };
        call.outcome = reply.as_ref().map_or_else(ChatError::kind, |_| "answered");
        drop(call);
        if let Ok(reply) = &reply {
            self.meter.note(self.name(), self.role, reply.usage).await;
        }
        reply
    }
}
