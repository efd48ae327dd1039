//! An evaluator that errs as often as it is told to.

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use reflexion::{BoxError, Evaluation, Evaluator, FinishedAttempt};

use super::{
    dice::Dice,
    form::{self, Fact, Values},
};

/// How often the evaluator errs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Noise {
    /// Of wrong answers, how many it passes.
    pub(super) false_pass: f64,
    /// Of right answers, how many it fails.
    pub(super) false_fail: f64,
}

/// Which world the forms are from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum World {
    /// What is right stays right, and feedback says what is.
    Learnable,
    /// What was wrong was bad luck: feedback says only that it was wrong.
    Luck,
}

/// Compares with the truth, and errs by the dice.
pub(super) struct NoisyJudge {
    pub(super) truth: Values,
    pub(super) noise: Noise,
    pub(super) world: World,
    pub(super) dice: Mutex<Dice>,
}

#[async_trait]
impl Evaluator for NoisyJudge {
    async fn evaluate(&self, finished: &FinishedAttempt) -> Result<Evaluation, BoxError> {
        let mut dice = self.dice.lock().unwrap_or_else(PoisonError::into_inner);
        let values = form::read(finished.answer()).unwrap_or(['?'; form::FIELDS]);
        let wrong = (0..form::FIELDS).find(|field| values.get(*field) != self.truth.get(*field));
        let says_pass = match wrong {
            Some(_) => dice.toss(self.noise.false_pass),
            None => !dice.toss(self.noise.false_fail),
        };
        if says_pass {
            return Ok(Evaluation::pass());
        }
        if self.world == World::Luck {
            return Ok(Evaluation::fail("The form was not accepted."));
        }
        // A judge that fails a right answer blames a field that was right.
        let field = wrong.unwrap_or_else(|| dice.below(form::FIELDS));
        let right = self.truth.get(field).copied().unwrap_or('a');
        let value = if wrong.is_some() { right } else { form::draw_other(&mut dice, right) };
        Ok(Evaluation::fail(format!("The form was not accepted: {}.", Fact { field, value })))
    }
}
