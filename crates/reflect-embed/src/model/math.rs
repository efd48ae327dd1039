//! The float arithmetic of an encoder: norms, softmax, activation, quantisation.
//!
//! Written once over rows whose lengths are multiples of [`LANES`]. Sums are kept in sixteen lanes that are added in a fixed order,
//! so the registers of a machine decide how fast this is and never what comes out.

use super::lanes::{LANES, Lanes};

/// Adding and subtracting this rounds a small float to the nearest integer, ties to even, and leaves that integer in the
/// low bits in between.
const ROUNDING: f32 = 12_582_912.0;

/// Vectors that go through a long chain of operations side by side, so that the processor need not look far ahead for one that can start.
const TOGETHER: usize = 4;

/// How a row of floats was put into bytes: `value ≈ (byte − zero) · scale`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scaling {
    pub(super) scale: f32,
    pub(super) zero: i32,
}

/// The arithmetic in given registers.
#[derive(Clone, Copy)]
pub(super) struct Math<L>(pub(super) L);

impl<L: Lanes> Math<L> {
    /// `row += change`, then shifts and scales the row to mean 0 and variance 1, then by the layer's own weights.
    #[inline(always)]
    pub(super) fn add_and_norm(self, row: &mut [f32], change: &[f32], norm: &Norm) {
        let (lanes, length) = (self.0, row.len() as f32);
        let mut sums = lanes.splat(0.0);
        for (row, change) in chunks_mut(row).zip(chunks(change)) {
            let values = lanes.add(lanes.load(row), lanes.load(change));
            lanes.store(values, row);
            sums = lanes.add(sums, values);
        }
        let mean = self.sum(sums) / length;
        let means = lanes.splat(mean);
        let mut squares = lanes.splat(0.0);
        for row in chunks(row) {
            let off = lanes.sub(lanes.load(row), means);
            squares = lanes.add(squares, lanes.mul(off, off));
        }
        let variance = self.sum(squares) / length;
        let scale = lanes.splat(1.0 / (variance + norm.epsilon).sqrt());
        for ((row, weight), bias) in chunks_mut(row).zip(chunks(&norm.weight)).zip(chunks(&norm.bias)) {
            let scaled = lanes.mul(lanes.sub(lanes.load(row), means), scale);
            lanes.store(lanes.add(lanes.mul(scaled, lanes.load(weight)), lanes.load(bias)), row);
        }
    }

    /// `left += right`.
    #[inline(always)]
    pub(super) fn add(self, left: &mut [f32], right: &[f32]) {
        for (left, right) in chunks_mut(left).zip(chunks(right)) {
            self.0.store(self.0.add(self.0.load(left), self.0.load(right)), left);
        }
    }

    /// The sums of some registers' lanes, in their order. One such sum is a chain of additions; of several, none waits for another.
    #[inline(always)]
    fn sums<const COUNT: usize>(self, floats: [L::Floats; COUNT]) -> [f32; COUNT] {
        let mut lanes = [[0.0; COUNT]; LANES];
        for (number, floats) in floats.into_iter().enumerate() {
            let mut values = [0.0; LANES];
            self.0.store(floats, &mut values);
            for (lane, value) in lanes.iter_mut().zip(values) {
                lane.iter_mut().skip(number).take(1).for_each(|sum| *sum = value);
            }
        }
        let mut sums = [0.0; COUNT];
        for lane in lanes {
            sums.iter_mut().zip(lane).for_each(|(sum, value)| *sum += value);
        }
        sums
    }

    #[inline(always)]
    fn sum(self, floats: L::Floats) -> f32 {
        let [sum] = self.sums([floats]);
        sum
    }

    /// The lane that `is_better` than all others.
    #[inline(always)]
    fn best(self, floats: L::Floats, is_better: impl Fn(f32, f32) -> bool) -> f32 {
        let better = |left, right| if is_better(right, left) { right } else { left };
        let mut values = [0.0; LANES];
        self.0.store(floats, &mut values);
        let [best] = halved(&halved::<2>(&halved::<4>(&halved::<8>(&values, better), better), better), better);
        best
    }

    /// e to the power of each `x` ≤ 0, to a relative error of about 1e-7; anything under −80 counts as −80. That is as good as nothing, and
    /// yet so much that a share of it is no subnormal float: processors take a hundred times as long to make one of those.
    #[inline(always)]
    fn exp<const COUNT: usize>(self, x: [L::Floats; COUNT]) -> [L::Floats; COUNT] {
        // ln 2 in two parts, so that the subtraction loses nothing.
        const LN_2_HIGH: f32 = 0.693_359_4;
        const LN_2_LOW: f32 = -2.121_944_4e-4;
        let lanes = self.0;
        let x = every(x, |x| lanes.larger(lanes.splat(-80.0), x));
        let scaled = every(x, |x| lanes.mul(x, lanes.splat(std::f32::consts::LOG2_E)));
        let shifted = every(scaled, |scaled| lanes.add(scaled, lanes.splat(ROUNDING)));
        let whole = every(shifted, |shifted| lanes.sub(shifted, lanes.splat(ROUNDING)));
        let rest = each(x, whole, |x, whole| lanes.sub(x, lanes.mul(whole, lanes.splat(LN_2_HIGH))));
        let rest = each(rest, whole, |rest, whole| lanes.sub(rest, lanes.mul(whole, lanes.splat(LN_2_LOW))));
        // Taylor's series of the rest, which is at most ln 2 / 2, in Horner's form.
        let mut series = [lanes.splat(1.0 / 720.0); COUNT];
        for factor in [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
            series = each(series, rest, |series, rest| lanes.mul_add(series, rest, lanes.splat(factor)));
        }
        // The low bits of `shifted` are the whole part: those of `ROUNDING` itself are zero.
        each(series, shifted, |series, shifted| lanes.mul(series, lanes.powers(shifted)))
    }

    #[inline(always)]
    fn loaded<const COUNT: usize>(self, chunks: &[[f32; LANES]; COUNT]) -> [L::Floats; COUNT] {
        let mut floats = [self.0.splat(0.0); COUNT];
        for (floats, chunk) in floats.iter_mut().zip(chunks) {
            *floats = self.0.load(chunk);
        }
        floats
    }

    /// The Gaussian error linear unit, x · Φ(x), in place.
    #[inline(always)]
    pub(super) fn gelu(self, values: &mut [f32]) {
        let (together, rest) = values.as_chunks_mut::<LANES>().0.as_chunks_mut::<TOGETHER>();
        for chunks in together {
            self.gelu_of(chunks);
        }
        for chunk in rest {
            self.gelu_of(std::array::from_mut(chunk));
        }
    }

    /// erf by formula 7.1.26 of Abramowitz and Stegun: off by 1.5e-7 at most.
    #[inline(always)]
    fn gelu_of<const COUNT: usize>(self, chunks: &mut [[f32; LANES]; COUNT]) {
        let lanes = self.0;
        let one = lanes.splat(1.0);
        let x = self.loaded(chunks);
        let size = every(x, |x| lanes.abs(x));
        let scaled = every(size, |size| lanes.mul(size, lanes.splat(std::f32::consts::FRAC_1_SQRT_2)));
        let t = every(scaled, |scaled| lanes.div(one, lanes.add(one, lanes.mul(lanes.splat(0.327_591_1), scaled))));
        let mut series = every(t, |t| lanes.mul_add(lanes.splat(1.061_405_4), t, lanes.splat(-1.453_152)));
        for factor in [1.421_413_7, -0.284_496_74, 0.254_829_6] {
            series = each(series, t, |series, t| lanes.mul_add(series, t, lanes.splat(factor)));
        }
        let power = self.exp(every(scaled, |scaled| lanes.mul(scaled, lanes.mul(scaled, lanes.splat(-1.0)))));
        let rest = each(each(series, t, |series, t| lanes.mul(series, t)), power, |rest, power| lanes.mul(rest, power));
        let part = each(size, rest, |size, rest| lanes.mul(size, lanes.sub(one, rest)));
        let units = each(x, part, |x, part| lanes.mul(lanes.splat(0.5), lanes.add(x, part)));
        for (chunk, unit) in chunks.iter_mut().zip(units) {
            lanes.store(unit, chunk);
        }
    }

    /// Turns the scores of each of `ROWS` rows, sixteen of each row side by side, into shares that add up to one. Scores of −∞ get (as good as)
    /// nothing.
    #[inline(always)]
    pub(super) fn softmax<const ROWS: usize>(self, scores: &mut [[[f32; LANES]; ROWS]]) {
        let lanes = self.0;
        let mut highest = [lanes.splat(f32::NEG_INFINITY); ROWS];
        for chunks in &*scores {
            highest = each(highest, self.loaded(chunks), |highest, score| lanes.larger(highest, score));
        }
        let highest = every(highest, |highest| lanes.splat(self.best(highest, |value, best| value > best)));
        let mut sums = [lanes.splat(0.0); ROWS];
        for chunks in &mut *scores {
            let below = each(self.loaded(chunks), highest, |score, highest| lanes.sub(score, highest));
            let powers = self.exp(below);
            sums = each(sums, powers, |sum, power| lanes.add(sum, power));
            for (chunk, power) in chunks.iter_mut().zip(powers) {
                lanes.store(power, chunk);
            }
        }
        let shares = self.sums(sums).map(|sum| 1.0 / sum);
        for chunks in scores {
            for (chunk, share) in chunks.iter_mut().zip(shares) {
                lanes.store(lanes.mul(lanes.load(chunk), lanes.splat(share)), chunk);
            }
        }
    }

    /// The lowest and the highest of a row and 0.
    #[inline(always)]
    fn range(self, row: &[f32]) -> [f32; 2] {
        let lanes = self.0;
        let [mut lowest, mut highest] = [[lanes.splat(0.0); TOGETHER]; 2];
        let (together, rest) = row.as_chunks::<LANES>().0.as_chunks::<TOGETHER>();
        for chunks in together {
            let values = self.loaded(chunks);
            lowest = each(lowest, values, |lowest, value| lanes.smaller(lowest, value));
            highest = each(highest, values, |highest, value| lanes.larger(highest, value));
        }
        let [a, b, c, d] = lowest;
        let mut lowest = lanes.smaller(lanes.smaller(a, b), lanes.smaller(c, d));
        let [a, b, c, d] = highest;
        let mut highest = lanes.larger(lanes.larger(a, b), lanes.larger(c, d));
        for chunk in rest {
            lowest = lanes.smaller(lowest, lanes.load(chunk));
            highest = lanes.larger(highest, lanes.load(chunk));
        }
        [self.best(lowest, |value, best| value < best), self.best(highest, |value, best| value > best)]
    }

    /// Puts a row into bytes, using all 256 of them between its lowest and its highest value (0 is always among them).
    #[inline(always)]
    pub(super) fn quantise(self, row: &[f32], bytes: &mut [u8]) -> Scaling {
        let lanes = self.0;
        let [lowest, highest] = self.range(row);
        let scale = ((highest - lowest) / 255.0).max(f32::MIN_POSITIVE);
        let inverse = 1.0 / scale;
        let zero = (-lowest * inverse).clamp(0.0, 255.0) + ROUNDING;
        let offset = zero - ROUNDING;
        let (inverses, offsets) = (lanes.splat(inverse), lanes.splat(offset));
        let (least, most) = (lanes.splat(0.0), lanes.splat(255.0));
        for (chunk, bytes) in chunks(row).zip(bytes.as_chunks_mut::<LANES>().0) {
            let scaled = lanes.add(lanes.mul(lanes.load(chunk), inverses), offsets);
            let kept = lanes.smaller(lanes.larger(scaled, least), most);
            *bytes = lanes.low_bytes(lanes.add(kept, lanes.splat(ROUNDING)));
        }
        Scaling { scale, zero: offset as i32 }
    }
}

/// The weights of a layer norm.
pub(super) struct Norm {
    pub(super) weight: Vec<f32>,
    pub(super) bias: Vec<f32>,
    pub(super) epsilon: f32,
}

/// Each of the first half joined with its counterpart in the second.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "all callers hand in twice as many values as they ask for")]
fn halved<const HALF: usize>(values: &[f32], join: impl Fn(f32, f32) -> f32) -> [f32; HALF] {
    std::array::from_fn(|lane| join(values[lane], values[HALF + lane]))
}

/// What `change` makes of each. Written out: what is handed on to the standard library's `map` may be compiled apart from its caller, and
/// then for any machine.
#[inline(always)]
fn every<T: Copy, const COUNT: usize>(mut values: [T; COUNT], change: impl Fn(T) -> T) -> [T; COUNT] {
    for value in &mut values {
        *value = change(*value);
    }
    values
}

/// The same with each of the left and its counterpart on the right.
#[inline(always)]
fn each<T: Copy, const COUNT: usize>(mut left: [T; COUNT], right: [T; COUNT], join: impl Fn(T, T) -> T) -> [T; COUNT] {
    for (left, right) in left.iter_mut().zip(right) {
        *left = join(*left, right);
    }
    left
}

#[inline(always)]
fn chunks(values: &[f32]) -> impl Iterator<Item = &[f32; LANES]> {
    values.as_chunks().0.iter()
}

#[inline(always)]
fn chunks_mut(values: &mut [f32]) -> impl Iterator<Item = &mut [f32; LANES]> {
    values.as_chunks_mut().0.iter_mut()
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
    use crate::model::lanes::Plain;

    const MATH: Math<Plain> = Math(Plain);

    fn exp(x: f32) -> f32 {
        MATH.exp([[x; LANES]])[0][5]
    }

    #[test]
    fn exp_is_close() {
        for step in 0..8_000 {
            let x = -f64::from(step) / 100.0;
            let relative = f64::from(exp(x as f32)) / f64::from(x as f32).exp() - 1.0;
            assert!(relative.abs() < 1e-6, "exp({x}) is off by {relative}");
        }
        assert!((1e-35..1e-34).contains(&exp(f32::NEG_INFINITY)));
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
            MATH.gelu(&mut values);
            let right = f64::from(x) * phi(f64::from(x));
            assert!((f64::from(values[3]) - right).abs() < 1e-5, "gelu({x}) is {} and not {right}", values[3]);
        }
    }

    #[test]
    fn softmax_adds_up_and_keeps_the_order() {
        let mut scores: Vec<f32> = (0..32).map(|score| score as f32 / 3.0).collect();
        scores[31] = f32::NEG_INFINITY;
        MATH.softmax::<1>(scores.as_chunks_mut().0.as_chunks_mut().0);
        assert!((scores.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        assert!(scores[..31].is_sorted() && scores[31] < 1e-30 && scores[31].is_normal());
    }

    #[test]
    fn layer_norm_has_mean_zero_and_variance_one() {
        let mut row: Vec<f32> = (0..64).map(|value| (value * value) as f32).collect();
        let norm = Norm { weight: vec![1.0; 64], bias: vec![0.0; 64], epsilon: 1e-12 };
        MATH.add_and_norm(&mut row, &[3.0; 64], &norm);
        assert!(row.iter().sum::<f32>().abs() < 1e-4);
        assert!((row.iter().map(|value| value * value).sum::<f32>() / 64.0 - 1.0).abs() < 1e-4);
    }

    proptest! {
        #[test]
        fn a_quantised_row_is_off_by_half_a_step_at_most(row in prop::collection::vec(-50.0_f32..50.0, 48)) {
            let mut bytes = [0_u8; 48];
            let scaling = MATH.quantise(&row, &mut bytes);
            for (value, byte) in row.iter().zip(bytes) {
                let back = (i32::from(byte) - scaling.zero) as f32 * scaling.scale;
                prop_assert!((value - back).abs() <= scaling.scale * 1.01, "{} became {}", value, back);
            }
        }
    }
}
