//! Evaluators made of evaluators.
//!
//! Verdicts are combined as Kleene's three values: what is unknown decides nothing, and what is decided without it stays decided.
//! A combination of no evaluators at all knows nothing; it does not pass. Feedback keeps the name of who gave it, usage adds up, and an
//! evaluator that fails is an [`EvaluatorFailed`] with its name, unless the verdict stands without it where that is said.

mod all_any;
mod cheap_first;
mod named;
mod threshold;
mod votes;
mod weighted;

#[cfg(test)]
mod tests;

pub use all_any::{All, Any, all, any};
pub use cheap_first::{CheapFirst, EndsAt, cheap_first};
pub use named::{EvaluatorFailed, Named, named};
pub use threshold::{Threshold, threshold};
pub use votes::{Votes, votes};
pub use weighted::{Weighted, weighted};

use reflection::Verdict;

/// Pass if all pass, fail if one fails, else unknown.
fn conjunction<'a>(verdicts: impl IntoIterator<Item = &'a Verdict>) -> Verdict {
    decided(verdicts, &Verdict::Fail, Verdict::Pass)
}

/// Pass if one passes, fail if all fail, else unknown.
fn disjunction<'a>(verdicts: impl IntoIterator<Item = &'a Verdict>) -> Verdict {
    decided(verdicts, &Verdict::Pass, Verdict::Fail)
}

/// `decisive` if it is among them, `otherwise` if all are that, else unknown.
fn decided<'a>(verdicts: impl IntoIterator<Item = &'a Verdict>, decisive: &Verdict, otherwise: Verdict) -> Verdict {
    let mut unknown: Option<&str> = None;
    let mut is_empty = true;
    for verdict in verdicts {
        is_empty = false;
        if verdict == decisive {
            return verdict.clone();
        }
        if let Verdict::Unknown(why) = verdict {
            unknown = unknown.or(Some(why));
        }
    }
    match unknown {
        Some(why) => Verdict::Unknown(why.to_owned()),
        None if is_empty => Verdict::Unknown("there is nothing to evaluate with".to_owned()),
        None => otherwise,
    }
}

/// A score as a limit, cut to [0, 1]; 1 if it is not a number.
fn minimum(score: f64) -> f64 {
    if score.is_nan() { 1.0 } else { score.clamp(0.0, 1.0) }
}

/// Whether a score that came out of sums reaches a limit: rounding is not held against it.
fn reaches(score: f64, limit: f64) -> bool {
    score >= limit - 1e-9
}
