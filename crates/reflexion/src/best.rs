//! Which trial is the best.

use std::cmp::Ordering;

use reflection::Verdict;

use crate::Trial;

/// Where the best trial is: a success before all others, then by score, then unknown before fail, then one with an answer, then the
/// later one. Where the evaluator gave no score, a pass counts as 1 and anything else as 0.
pub(crate) fn best(trials: &[Trial]) -> Option<usize> {
    let ranked = trials.iter().enumerate();
    // Of several that are equal, `max_by` takes the last.
    ranked.max_by(|(_, one), (_, other)| compare(one, other)).map(|(index, _)| index)
}

/// Which of two trials is better.
pub(crate) fn compare(one: &Trial, other: &Trial) -> Ordering {
    let certain = |trial: &Trial| certainty(&trial.evaluation.verdict);
    let answers = |trial: &Trial| !trial.answer().trim().is_empty();
    let by_score = one.success.cmp(&other.success).then(score(one).total_cmp(&score(other)));
    by_score.then(certain(one).cmp(&certain(other))).then(answers(one).cmp(&answers(other)))
}

fn score(trial: &Trial) -> f64 {
    let verdict = || if trial.evaluation.passed() { 1.0 } else { 0.0 };
    trial.evaluation.score.unwrap_or_else(verdict)
}

fn certainty(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Pass => 2,
        Verdict::Unknown(_) => 1,
        Verdict::Fail => 0,
    }
}
