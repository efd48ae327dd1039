//! The estimate from weighted runs, or the reason why there is none.

/// The normal quantile of a two-sided interval of 95 %.
const Z: f64 = 1.959_964;

/// Of so many runs at least, the target's answer must have been possible.
const LEAST_SUPPORT: f64 = 0.95;
/// So many runs at least must have been shown the target's answer.
const FEWEST_MATCHES: usize = 50;
/// Weighted runs must say as much as so many equal ones.
const FEWEST_EFFECTIVE: f64 = 100.0;
/// No run may carry a larger share of the weight.
const LARGEST_SHARE: f64 = 0.05;

/// A reviewed run of the log, held against the target configuration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoggedRun {
    /// How it went, from 0 to 1.
    pub score: f64,
    /// How probable the slate was that it was shown.
    pub probability: f64,
    /// How probable it is that the target shows the same slate.
    pub wanted: f64,
    /// Whether the target's slate could have been shown at all.
    pub supported: bool,
    /// The rule that its figures come from.
    pub rule_version: u32,
}

/// The mean score under the target configuration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The mean score.
    pub value: f64,
    /// The lower end of its interval of 95 %.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// How many runs matched.
    pub matching_runs: usize,
    /// How many runs of equal weight would say as much.
    pub effective_runs: f64,
}

/// Why the log cannot tell.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// There is nothing to tell from.
    #[error(
        "no reviewed run was answered by a mixture; set `mixture` with this configuration among its own, and wait for reviews"
    )]
    NoRuns,
    /// Figures of two rules are in the window.
    #[error("the learning rule changed inside the period; ask about the time since then, with `since`")]
    RuleChanged,
    /// The target's answer was often impossible.
    #[error("only {:.0} % of the runs could have been shown what this configuration shows, and 95 % are needed; add it to the configurations that are mixed", share * 100.0)]
    LittleSupport {
        /// The share of runs in which it was possible.
        share: f64,
    },
    /// Hardly any run was shown the target's answer.
    #[error("only {runs} reviewed runs were shown what this configuration shows, and 50 are needed")]
    FewMatches {
        /// How many there are.
        runs: usize,
    },
    /// The weights are too uneven.
    #[error(
        "the matching runs say as much as {effective:.0} equal ones, and 100 are needed; wait for more runs or mix in this configuration more often"
    )]
    SmallSample {
        /// How many equal ones.
        effective: f64,
    },
    /// One run outweighs the others.
    #[error("one run carries {:.0} % of the weight, and 5 % is the most", share * 100.0)]
    OneRunDecides {
        /// Its share.
        share: f64,
    },
}

/// The self-normalised estimate by inverse probabilities (SNIPS): with `v = wanted / probability`,
///
/// ```text
/// value = Σ v·score / Σ v        error = √(Σ v²·(score − value)²) / Σ v
/// effective runs = (Σ v)² / Σ v²
/// ```
pub fn estimate(runs: &[LoggedRun]) -> Result<Estimate, Refusal> {
    let version = runs.first().ok_or(Refusal::NoRuns)?.rule_version;
    if runs.iter().any(|run| run.rule_version != version) {
        return Err(Refusal::RuleChanged);
    }
    let share = runs.iter().filter(|run| run.supported).count() as f64 / runs.len() as f64;
    if share < LEAST_SUPPORT {
        return Err(Refusal::LittleSupport { share });
    }
    let matching = runs.iter().filter(|run| run.wanted > 0.0 && run.probability > 0.0);
    let weighted: Vec<(f64, f64)> = matching.map(|run| (run.wanted / run.probability, run.score)).collect();
    if weighted.len() < FEWEST_MATCHES {
        return Err(Refusal::FewMatches { runs: weighted.len() });
    }
    let total: f64 = weighted.iter().map(|(weight, _)| weight).sum();
    let effective = total * total / weighted.iter().map(|(weight, _)| weight * weight).sum::<f64>();
    if effective < FEWEST_EFFECTIVE {
        return Err(Refusal::SmallSample { effective });
    }
    let heaviest = weighted.iter().map(|(weight, _)| *weight).fold(0.0, f64::max) / total;
    if heaviest > LARGEST_SHARE {
        return Err(Refusal::OneRunDecides { share: heaviest });
    }
    let value = weighted.iter().map(|(weight, score)| weight * score).sum::<f64>() / total;
    let squares: f64 = weighted.iter().map(|(weight, score)| (weight * (score - value)).powi(2)).sum();
    // Few heavy runs that happen to agree make the squares too small. So the error is never less than that of so many equal runs that pass
    // or fail, with one pass and one fail added.
    let cautious = (value * effective + 1.0) / (effective + 2.0);
    let least = (cautious * (1.0 - cautious) / effective).sqrt();
    let error = (squares.sqrt() / total).max(least);
    let (low, high) = ((value - Z * error).max(0.0), (value + Z * error).min(1.0));
    Ok(Estimate { value, low, high, matching_runs: weighted.len(), effective_runs: effective })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draws::draws;

    fn run(score: f64) -> LoggedRun {
        LoggedRun { score, probability: 0.5, wanted: 1.0, supported: true, rule_version: 1 }
    }

    /// Runs of which the target's slate was shown with the task's own probability, and passed more often where it was rare.
    fn logged(seed: u64, count: usize) -> (Vec<LoggedRun>, f64) {
        let mut draw = draws(seed);
        let mut truth = 0.0;
        let runs = (0..count).map(|_| {
            let probability = if draw() < 0.5 { 0.8 } else { 0.1 };
            let rate = if probability < 0.5 { 0.7 } else { 0.4 };
            truth += rate / count as f64;
            let matches = draw() < probability;
            let score = f64::from(u8::from(draw() < if matches { rate } else { 0.2 }));
            let probability = if matches { probability } else { 1.0 - probability };
            let wanted = f64::from(u8::from(matches));
            LoggedRun { score, probability, wanted, supported: true, rule_version: 1 }
        });
        (runs.collect(), truth)
    }

    #[test]
    fn the_interval_covers_what_the_target_would_have_done() {
        let mut covered = 0;
        for seed in 0..400 {
            let (runs, truth) = logged(seed * 6_364_136, 1_500);
            let estimate = estimate(&runs).unwrap();
            covered += u32::from((estimate.low..=estimate.high).contains(&truth));
        }
        assert!(covered >= 368, "{covered} of 400");
        let (runs, _) = logged(9, 1_500);
        let naive: Vec<f64> = runs.iter().filter(|run| run.wanted > 0.0).map(|run| run.score).collect();
        assert!(naive.iter().sum::<f64>() / (naive.len() as f64) < estimate(&runs).unwrap().low);
    }

    #[test]
    fn equal_weights_give_the_plain_mean() {
        let runs: Vec<LoggedRun> = (0..200).map(|number| run(f64::from(number % 4))).collect();
        let estimate = estimate(&runs).unwrap();
        assert_eq!((estimate.value, estimate.matching_runs), (1.5, 200));
        assert!((estimate.effective_runs - 200.0).abs() < 1e-9);
    }

    #[test]
    fn a_log_that_cannot_tell_is_refused_with_the_reason() {
        let good = vec![run(1.0); 200];
        assert!(estimate(&good).unwrap().low < 1.0, "two hundred passes in a row are not certainty");
        assert_eq!(estimate(&[]), Err(Refusal::NoRuns));
        let changed = [good.clone(), vec![LoggedRun { rule_version: 2, ..run(1.0) }]].concat();
        assert_eq!(estimate(&changed), Err(Refusal::RuleChanged));
        let unsupported = [good.clone(), vec![LoggedRun { supported: false, wanted: 0.0, ..run(1.0) }; 20]].concat();
        assert!(matches!(estimate(&unsupported), Err(Refusal::LittleSupport { .. })));
        let few = [vec![run(1.0); 49], vec![LoggedRun { wanted: 0.0, ..run(0.0) }; 500]].concat();
        assert_eq!(estimate(&few), Err(Refusal::FewMatches { runs: 49 }));
        let uneven = [vec![run(1.0); 200], vec![LoggedRun { probability: 0.01, ..run(0.0) }; 20]].concat();
        assert!(matches!(estimate(&uneven), Err(Refusal::SmallSample { .. })));
        let heavy = [vec![run(1.0); 400], vec![LoggedRun { probability: 0.5 / 30.0, ..run(0.0) }]].concat();
        assert!(matches!(estimate(&heavy), Err(Refusal::OneRunDecides { .. })));
        assert!(Refusal::FewMatches { runs: 49 }.to_string().contains("only 49 reviewed runs"));
    }
}
