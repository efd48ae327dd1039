//! How evidence fades with time.

/// What is left of evidence after so many days: half after every half-life.
///
/// `exp` may differ in the last bit from machine to machine, and a fold must not. So the share of one day is a series, and those of many
/// are multiplied.
pub(super) fn share_left(days: u64, half_life_days: f64) -> f64 {
    let (mut left, mut factor, mut days) = (1.0, one_day(half_life_days), days);
    while days > 0 {
        if days % 2 == 1 {
            left *= factor;
        }
        factor *= factor;
        days /= 2;
    }
    left
}

/// `e^(−y)` with `y = ln 2 / half-life`, as `1 − y(1 − y/2(1 − y/3(…)))`. A half-life is at least a day, so `y` is at most 0.7 and twenty terms are
/// exact.
fn one_day(half_life_days: f64) -> f64 {
    let y = std::f64::consts::LN_2 / half_life_days.max(1.0);
    (1..=20).rev().fold(1.0, |inner, term| 1.0 - y / f64::from(term) * inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_is_left_after_a_half_life() {
        for half_life in [1.0, 7.0, 90.0, 365.0] {
            assert!((share_left(half_life as u64, half_life) - 0.5).abs() < 1e-12);
        }
        assert_eq!(share_left(0, 30.0), 1.0);
        assert!((share_left(45, 90.0) - 0.5_f64.sqrt()).abs() < 1e-12);
        assert_eq!(share_left(u64::MAX, 1.0), 0.0);
    }
}
