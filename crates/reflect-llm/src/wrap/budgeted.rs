//! A limit on what is spent in a day.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use futures_util::StreamExt;
use reflect_core::Clock;

use super::Prices;
use crate::{ChatError, ChatModel, ChatPiece, ChatReply, ChatRequest, ChatStream, Usage};

const MICROS_A_DAY: i64 = 86_400_000_000;

/// What may be spent in a day of UTC, by all models that share it. It lives in memory: whoever wants it to outlast the process hands in
/// what was spent today already.
pub struct DailyBudget {
    limit_usd: f64,
    clock: Arc<dyn Clock>,
    /// The day, counted from 1970, and what was spent on it.
    spent: Mutex<(i64, f64)>,
}

impl DailyBudget {
    /// So many US dollars a day, of which some are spent today already.
    pub fn new(limit_usd: f64, spent_today_usd: f64, clock: Arc<dyn Clock>) -> Self {
        let today = day(&*clock);
        Self { limit_usd, clock, spent: Mutex::new((today, spent_today_usd)) }
    }

    /// US dollars spent since midnight in UTC.
    pub fn spent_today_usd(&self) -> f64 {
        self.with_today(|spent| *spent)
    }

    fn add(&self, usage: Usage) {
        self.with_today(|spent| *spent += usage.cost_usd.unwrap_or(0.0));
    }

    fn check(&self) -> Result<(), ChatError> {
        let spent = self.spent_today_usd();
        if spent < self.limit_usd {
            return Ok(());
        }
        let message =
            format!("${spent:.4} of ${:.4} for today are spent; it begins anew at midnight UTC", self.limit_usd);
        Err(ChatError::Budget { message })
    }

    fn with_today<T>(&self, act: impl FnOnce(&mut f64) -> T) -> T {
        let today = day(&*self.clock);
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        // A clock that steps back over midnight does not give the day's money out once more.
        if today > spent.0 {
            *spent = (today, 0.0);
        }
        act(&mut spent.1)
    }
}

fn day(clock: &dyn Clock) -> i64 {
    clock.now().as_micros().div_euclid(MICROS_A_DAY)
}

/// A limit was set on a model whose price nobody knows, so it could never be reached.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` has no price, so a spending limit on it would never be reached: give it one")]
pub struct NoPrice(pub String);

/// Does not ask once the day's money is spent. Calls that are under way then still end, so the limit can be passed by what they cost.
///
/// It goes around [`Metered`](super::Metered), which writes the costs that it adds up.
pub struct Budgeted<M> {
    model: M,
    budget: Arc<DailyBudget>,
}

impl<M: ChatModel> Budgeted<M> {
    /// Spends from this budget. A model without a price is refused here rather than never limited.
    pub fn new(model: M, prices: &Prices, budget: Arc<DailyBudget>) -> Result<Self, NoPrice> {
        if prices.of(model.name()).is_none() {
            return Err(NoPrice(model.name().to_owned()));
        }
        Ok(Self { model, budget })
    }
}

#[async_trait]
impl<M: ChatModel> ChatModel for Budgeted<M> {
    fn name(&self) -> &str {
        self.model.name()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ChatError> {
        self.budget.check()?;
        let reply = self.model.chat(request).await?;
        self.budget.add(reply.usage);
        Ok(reply)
    }

    async fn stream(&self, request: &ChatRequest) -> Result<ChatStream, ChatError> {
        self.budget.check()?;
        let pieces = self.model.stream(request).await?;
        let budget = self.budget.clone();
        Ok(Box::pin(pieces.inspect(move |piece| {
            if let Ok(ChatPiece::End(reply)) = piece {
                budget.add(reply.usage);
            }
        })))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI64, Ordering};

    use reflect_core::Timestamp;

    use super::*;
    use crate::{Meter, Metered, Price, ScriptedModel, ScriptedStep};

    struct Hand(AtomicI64);

    impl Clock for Hand {
        fn now(&self) -> Timestamp {
            Timestamp::from_micros(self.0.load(Ordering::SeqCst))
        }
    }

    /// A dollar an answer.
    fn budgeted(limit: f64, spent: f64) -> (impl ChatModel, Arc<DailyBudget>, Arc<Hand>) {
        let prices = Prices::none().with("a/b", Price { input: 0.0, output: 1.0 });
        let model = ScriptedModel::answering(|_| {
            let usage = Usage { input_tokens: 5, output_tokens: 1_000_000, cost_usd: None };
            ScriptedStep::reply(ChatReply { usage, ..ChatReply::text("x") })
        });
        let clock = Arc::new(Hand(AtomicI64::new(20_000 * MICROS_A_DAY + 7)));
        let budget = Arc::new(DailyBudget::new(limit, spent, clock.clone()));
        let metered = Metered::new(model.named("a/b"), Arc::new(prices.clone()), Meter::default());
        (Budgeted::new(metered, &prices, budget.clone()).unwrap(), budget, clock)
    }

    #[tokio::test]
    async fn nothing_is_asked_once_the_days_money_is_spent_and_tomorrow_it_is_again() {
        let (model, budget, clock) = budgeted(2.0, 0.0);
        let request = ChatRequest::default();
        assert!(model.chat(&request).await.is_ok());
        let pieces: Vec<_> = model.stream(&request).await.unwrap().collect().await;
        assert_eq!((pieces.len(), budget.spent_today_usd()), (2, 2.0));
        assert!(matches!(model.chat(&request).await, Err(ChatError::Budget { .. })));
        assert!(matches!(model.stream(&request).await.err(), Some(ChatError::Budget { .. })));
        clock.0.fetch_add(MICROS_A_DAY, Ordering::SeqCst);
        assert_eq!(budget.spent_today_usd(), 0.0);
        assert!(model.chat(&request).await.is_ok());
    }

    #[tokio::test]
    async fn a_clock_that_steps_back_gives_nothing_out_twice() {
        let (model, _, clock) = budgeted(1.0, 0.0);
        model.chat(&ChatRequest::default()).await.unwrap();
        clock.0.fetch_sub(MICROS_A_DAY, Ordering::SeqCst);
        assert!(model.chat(&ChatRequest::default()).await.is_err());
    }

    #[tokio::test]
    async fn what_was_spent_before_counts_and_no_money_means_no_call() {
        assert!(budgeted(2.0, 2.0).0.chat(&ChatRequest::default()).await.is_err());
        let error = budgeted(0.0, 0.0).0.chat(&ChatRequest::default()).await.unwrap_err();
        assert!(!error.is_temporary());
    }

    #[test]
    fn a_limit_on_a_model_without_a_price_is_refused() {
        let (_, budget, _) = budgeted(1.0, 0.0);
        let model = ScriptedModel::new([]).named("openai/unheard-of");
        let refused = Budgeted::new(model, &Prices::default(), budget).err();
        assert_eq!(refused, Some(NoPrice("openai/unheard-of".into())));
    }
}
