//! The moving average with a constant step.

/// One step: `q + α · (r − q)`.
///
/// Kept in [0, 1] against rounding in the last bit, which for `q`, `α` and `r` in [0, 1] is all that could leave it.
pub fn step(q: f64, alpha: f64, reward: f64) -> f64 {
    (q + alpha * (reward - q)).clamp(0.0, 1.0)
}
