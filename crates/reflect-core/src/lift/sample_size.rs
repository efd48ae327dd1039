//! How many runs it takes to see a difference.

use super::newcombe::PassRate;

/// `(1.96 + 0.84)²`: 95 % confidence and a chance of 80 % to see what is there.
const CONFIDENCE_AND_POWER: f64 = 7.849;

/// The least difference that is asked after: below it the numbers have no meaning for anyone.
const SMALLEST: f64 = 0.005;

/// About how many reviewed runs, of both arms together, show a difference of `lift` when `share` of them are held out and the others' pass rate
/// without memories is `rate`:
///
/// ```text
/// 7.85 · ( p₁·(1 − p₁) / (1 − h) + p₀·(1 − p₀) / h ) / lift²
/// ```
///
/// It is the number for one look. The e-process that the verdict comes from needs about as many, in the median.
pub fn runs_to_see(lift: f64, share: f64, rate: f64) -> u64 {
    let spread = |rate: f64| rate * (1.0 - rate);
    let (rate, other) = (rate.clamp(0.01, 0.99), (rate + lift).clamp(0.01, 0.99));
    let share = share.clamp(0.001, 0.999);
    let lift = lift.abs().max(SMALLEST);
    (CONFIDENCE_AND_POWER * (spread(other) / (1.0 - share) + spread(rate) / share) / (lift * lift)).ceil() as u64
}

/// How many runs are missing until a difference like this is seen. Of rates that are not known yet, cautious guesses are taken.
pub(super) fn runs_missing(lift: f64, share: f64, arms: (PassRate, PassRate)) -> u64 {
    let (with, without) = arms;
    runs_to_see(lift, share, without.cautious_share()).saturating_sub(with.runs + without.runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_the_usual_cases() {
        for (lift, share, runs) in [(0.05, 0.05, 16_519), (0.1, 0.1, 2_172), (0.1, 0.2, 1_217), (0.2, 0.5, 181)] {
            let found = runs_to_see(lift, share, 0.5);
            assert!(found.abs_diff(runs) <= runs / 100, "{lift} {share}: {found} {runs}");
        }
        assert!(runs_to_see(0.0, 0.1, 0.0) > 10_000);
    }
}
