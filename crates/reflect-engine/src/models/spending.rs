//! What calls to models use and cost, and the limit on what a day may cost.

use std::sync::Arc;

use reflect_core::{Clock, Timestamp};
use reflect_llm::{ChatError, Prices};
use reflect_store::Store;

use super::estimate::Charge;
use crate::{
    coordination::Coordination,
    metrics::{LLM_COST, LLM_ESTIMATED_COST, LLM_TOKENS, Metrics},
};

const MICROS_A_DAY: i64 = 86_400_000_000;

/// Adds up what calls cost, and refuses them once the day's limit is reached.
pub(crate) struct Spending {
    pub(crate) store: Arc<Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) prices: Arc<Prices>,
    /// US dollars a day; `None` is no limit.
    pub(crate) daily_limit_usd: Option<f64>,
    pub(crate) coordination: Arc<Coordination>,
}

impl Spending {
    /// What today has cost so far, in US dollars.
    pub(crate) async fn spent_today(&self) -> Result<f64, reflect_store::StoreError> {
        self.coordination.spent_on(day(self.clock.now())).await
    }

    /// When the limit allows calls again, if it allows none now.
    pub(crate) async fn spent_until(&self) -> Option<Timestamp> {
        self.admit().await.err()?;
        Some(end_of_day(self.clock.now()))
    }

    /// Answers the day that a call is charged to. Calls that run at the same time may together go over the limit by what they
    /// cost; none is begun beyond it.
    pub(super) async fn admit(&self) -> Result<i64, ChatError> {
        let day = day(self.clock.now());
        match (self.coordination.spent_on(day).await, self.daily_limit_usd) {
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
    pub(super) fn count(&self, model: &str, role: Role, day: i64, charge: Charge) {
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
        self.coordination.add_spend(day, cost_usd);
    }

    pub(super) fn cost_usd(&self, model: &str, charge: Charge) -> f64 {
        charge.usage.cost_usd.or_else(|| self.prices.cost(model, charge.usage)).unwrap_or(0.0)
    }
}

/// The midnight (UTC) that ends the day of `now`.
pub(super) fn end_of_day(now: Timestamp) -> Timestamp {
    Timestamp::from_micros((day(now) + 1).saturating_mul(MICROS_A_DAY))
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
