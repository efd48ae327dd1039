//! What a run may use.

use std::time::Duration;

use reflect_core::text_enum;

use crate::Trial;

/// What a run may use; what is unset has no limit. Trials have their own setting, [`crate::ReflexionBuilder::max_trials`].
///
/// Turns, tokens and cost are looked at between trials and before a reflection, so an attempt that was made is always judged and
/// a run may end a little above them; what is left is told to the actor, who can end earlier. Time cuts off whatever is going on.
///
/// Images and documents count as the provider counts them. Before a trial, and where a provider does not say, they are estimated by
/// [`crate::Part::estimated_tokens`]: a trial whose images and documents alone are more than the tokens that are left is not begun.
///
/// ```
/// let budgets = reflexion::Budgets { tokens: Some(50_000), time: Some(std::time::Duration::from_secs(120)), ..Default::default() };
/// assert_eq!(budgets.cost_usd, None);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Budgets {
    /// Turns of one trial. The actor is told; it ends a trial, not the run.
    pub turns_per_trial: Option<u32>,
    /// Turns of all trials.
    pub turns: Option<u32>,
    /// Tokens of all stages, read and written.
    pub tokens: Option<u64>,
    /// US dollars of all stages, as far as models tell.
    pub cost_usd: Option<f64>,
    /// Time from the start to the end. A resumed run goes on with what it had left.
    pub time: Option<Duration>,
}

text_enum! {
    /// A budget that can be spent.
    #[non_exhaustive]
    BudgetKind {
        /// Turns of all trials.
        Turns = "turns",
        /// Tokens.
        Tokens = "tokens",
        /// Cost.
        Cost = "cost",
    }
}

/// What is left of the budgets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Left {
    pub(crate) turns: Option<u32>,
    pub(crate) tokens: Option<u64>,
    pub(crate) cost_usd: Option<f64>,
}

impl Budgets {
    /// What the trials so far have left.
    pub(crate) fn left<'a>(&self, trials: impl IntoIterator<Item = &'a Trial>) -> Left {
        let mut turns = 0_u32;
        let mut usage = reflect_llm::Usage::default();
        for trial in trials {
            turns = turns.saturating_add(trial.attempt.turns);
            usage = usage.plus(trial.spent.usage());
        }
        let tokens = usage.input_tokens.saturating_add(usage.output_tokens);
        Left {
            turns: self.turns.map(|limit| limit.saturating_sub(turns)),
            tokens: self.tokens.map(|limit| limit.saturating_sub(tokens)),
            cost_usd: self.cost_usd.map(|limit| (limit - usage.cost_usd.unwrap_or(0.0)).max(0.0)),
        }
    }
}

impl Left {
    /// The first budget of which nothing is left.
    pub(crate) fn spent(&self) -> Option<BudgetKind> {
        if self.turns == Some(0) {
            Some(BudgetKind::Turns)
        } else if self.tokens == Some(0) {
            Some(BudgetKind::Tokens)
        } else if self.cost_usd.is_some_and(|cost| cost <= 0.0) {
            Some(BudgetKind::Cost)
        } else {
            None
        }
    }
}
