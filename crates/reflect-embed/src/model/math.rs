//! The float arithmetic of an encoder: norms, softmax, activation, quantisation.
//!
//! Written once, in plain Rust, over rows whose lengths are multiples of [`LANES`]. The compiler turns the loops into
//! vector instructions of whatever width the caller was compiled for. No result depends on that width: sums are kept in
//! sixteen lanes that are added in a fixed order, and nothing is fused. So every machine gets the same bits.

/// How many values are worked side by side.
pub(super) const LANES: usize = 16;

/// Adding and subtracting this rounds a small float to the nearest integer, ties to even, and leaves that integer in the
/// low bits in between.
const ROUNDING: f32 = 12_582_912.0;

#[inline(always)]
fn lanes(values: &[f32]) -> impl Iterator<Item = &[f32; LANES]> {
    values.as_chunks().0.iter()
}

#[inline(always)]
fn lanes_mut(values: &mut [f32]) -> impl Iterator<Item = &mut [f32; LANES]> {
    values.as_chunks_mut().0.iter_mut()
}

#[inline(always)]
fn sum_of(row: &[f32], term: impl Fn(f32) -> f32) -> f32 {
    fold(row, 0.0, |sum, value| sum + term(value)).iter().sum()
}

/// Folds a row into its lanes.
#[inline(always)]
fn fold(row: &[f32], start: f32, combine: impl Fn(f32, f32) -> f32) -> [f32; LANES] {
    let mut folded = [start; LANES];
    for chunk in lanes(row) {
        folded = join(folded, chunk, &combine);
    }
    folded
}

/// `combine`, lane by lane. By value, so that the compiler keeps the lanes in one register.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "the lane is below the length of both by construction")]
pub(super) fn join(left: [f32; LANES], right: &[f32; LANES], combine: impl Fn(f32, f32) -> f32) -> [f32; LANES] {
    std::array::from_fn(|lane| combine(left[lane], right[lane]))
}

/// The smaller one, in the one comparison that vector instructions have.
#[inline(always)]
fn smaller(left: f32, right: f32) -> f32 {
    if right < left { right } else { left }
}

/// The larger one, likewise.
#[inline(always)]
fn larger(left: f32, right: f32) -> f32 {
    if right > left { right } else { left }
}

/// Shifts and scales a row to mean 0 and variance 1, then by the layer's own weights.
#[inline(always)]
pub(super) fn layer_norm(row: &mut [f32], weight: &[f32], bias: &[f32], epsilon: f32) {
    let length = row.len() as f32;
    let mean = sum_of(row, |value| value) / length;
    let variance = sum_of(row, |value| (value - mean) * (value - mean)) / length;
    let scale = 1.0 / (variance + epsilon).sqrt();
    for ((row, weight), bias) in lanes_mut(row).zip(lanes(weight)).zip(lanes(bias)) {
        for ((value, weight), bias) in row.iter_mut().zip(weight).zip(bias) {
            *value = (*value - mean) * scale * weight + bias;
        }
    }
}

/// `left += right`.
#[inline(always)]
pub(super) fn add(left: &mut [f32], right: &[f32]) {
    for (left, right) in lanes_mut(left).zip(lanes(right)) {
        for (left, right) in left.iter_mut().zip(right) {
            *left += right;
        }
    }
}

/// e to the power of `x`, for x ≤ 0, to a relative error of about 1e-7; anything under −87 counts as −87.
#[inline(always)]
fn exp(x: f32) -> f32 {
    const LOG2_E: f32 = std::f32::consts::LOG2_E;
    // ln 2 in two parts, so that the subtraction loses nothing.
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    let x = x.max(-87.0);
    let shifted = x * LOG2_E + ROUNDING;
    let whole = shifted - ROUNDING;
    let rest = x - whole * LN_2_HIGH - whole * LN_2_LOW;
    let power = shifted.to_bits().wrapping_sub(ROUNDING.to_bits()).wrapping_add(127) << 23;
    // Taylor's series of the rest, which is at most ln 2 / 2, in Horner's form.
    let mut series = 1.0 / 720.0;
    for factor in [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        series = series * rest + factor;
    }
    series * f32::from_bits(power)
}

/// The Gaussian error linear unit, x · Φ(x), in place. erf by formula 7.1.26 of Abramowitz and Stegun: off by 1.5e-7 at most.
#[inline(always)]
pub(super) fn gelu(values: &mut [f32]) {
    for chunk in lanes_mut(values) {
        for value in chunk {
            let x = *value;
            let scaled = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
            let t = 1.0 / (1.0 + 0.327_591_1 * scaled);
            let mut series = 1.061_405_4 * t - 1.453_152;
            for factor in [1.421_413_7, -0.284_496_74, 0.254_829_6] {
                series = series * t + factor;
            }
            let erf = 1.0 - series * t * exp(-(scaled * scaled));
            *value = 0.5 * (x + x.abs() * erf);
        }
    }
}

/// Turns scores into shares that add up to one. Scores of −∞ get (as good as) nothing.
#[inline(always)]
pub(super) fn softmax(scores: &mut [f32]) {
    let highest = fold(scores, f32::NEG_INFINITY, larger);
    let highest = highest.iter().fold(f32::NEG_INFINITY, |left, right| larger(left, *right));
    for chunk in lanes_mut(scores) {
        for score in chunk {
            *score = exp(*score - highest);
        }
    }
    let share = 1.0 / sum_of(scores, |value| value);
    for chunk in lanes_mut(scores) {
        for score in chunk {
            *score *= share;
        }
    }
}

/// How a row of floats was put into bytes: `value ≈ (byte − zero) · scale`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scaling {
    pub(super) scale: f32,
    pub(super) zero: i32,
}

/// Puts a row into bytes, using all 256 of them between its lowest and its highest value (0 is always among them).
#[inline(always)]
pub(super) fn quantise(row: &[f32], bytes: &mut [u8]) -> Scaling {
    // Two passes: in one, the compiler mixes the two kinds of lanes and needs more instructions than for both.
    let lowest = fold(row, 0.0, smaller).iter().fold(0.0, |left, right| smaller(left, *right));
    let highest = fold(row, 0.0, larger).iter().fold(0.0, |left, right| larger(left, *right));
    let scale = ((highest - lowest) / 255.0).max(f32::MIN_POSITIVE);
    let inverse = 1.0 / scale;
    let zero = (-lowest * inverse).clamp(0.0, 255.0) + ROUNDING;
    let offset = zero - ROUNDING;
    for (chunk, bytes) in lanes(row).zip(bytes.as_chunks_mut::<LANES>().0) {
        for (value, byte) in chunk.iter().zip(bytes) {
            let shifted = smaller(larger(*value * inverse + offset, 0.0), 255.0) + ROUNDING;
            *byte = shifted.to_bits() as u8;
        }
    }
    Scaling { scale, zero: offset as i32 }
}

/// Scales to length one. A vector without any length points along the first axis: it has to point somewhere.
pub(crate) fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    if length > 0.0 && length.is_finite() {
        vector.iter_mut().for_each(|value| *value /= length);
    } else {
        vector.fill(0.0);
        if let Some(first) = vector.first_mut() {
            *first = 1.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn exp_is_close() {
        for step in 0..8_700 {
            let x = -f64::from(step) / 100.0;
            let relative = f64::from(exp(x as f32)) / f64::from(x as f32).exp() - 1.0;
            assert!(relative.abs() < 1e-6, "exp({x}) is off by {relative}");
        }
        assert!(exp(f32::NEG_INFINITY) < 1e-37);
    }

    #[test]
    fn gelu_is_close() {
        // Φ by its series, in double precision.
        let phi = |x: f64| {
            let (mut term, mut sum) = (x, x);
            for n in 1..200 {
                term *= x * x / f64::from(2 * n + 1);
                sum += term;
            }
            0.5 + sum * (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt()
        };
        for step in -500..500 {
            let x = step as f32 / 100.0;
            let mut values = [x; LANES];
            gelu(&mut values);
            let right = f64::from(x) * phi(f64::from(x));
            assert!((f64::from(values[3]) - right).abs() < 1e-5, "gelu({x}) is {} and not {right}", values[3]);
        }
    }

    #[test]
    fn softmax_adds_up_and_keeps_the_order() {
        let mut scores: Vec<f32> = (0..32).map(|score| score as f32 / 3.0).collect();
        scores[31] = f32::NEG_INFINITY;
        softmax(&mut scores);
        assert!((scores.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        assert!(scores[..31].is_sorted() && scores[31] < 1e-30);
    }

    #[test]
    fn layer_norm_has_mean_zero_and_variance_one() {
        let mut row: Vec<f32> = (0..64).map(|value| (value * value) as f32).collect();
        layer_norm(&mut row, &[1.0; 64], &[0.0; 64], 1e-12);
        assert!(row.iter().sum::<f32>().abs() < 1e-4);
        assert!((row.iter().map(|value| value * value).sum::<f32>() / 64.0 - 1.0).abs() < 1e-4);
    }

    proptest! {
        #[test]
        fn a_quantised_row_is_off_by_half_a_step_at_most(row in prop::collection::vec(-50.0_f32..50.0, 48)) {
            let mut bytes = [0_u8; 48];
            let scaling = quantise(&row, &mut bytes);
            for (value, byte) in row.iter().zip(bytes) {
                let back = (i32::from(byte) - scaling.zero) as f32 * scaling.scale;
                prop_assert!((value - back).abs() <= scaling.scale * 1.01, "{} became {}", value, back);
            }
        }
    }
}
