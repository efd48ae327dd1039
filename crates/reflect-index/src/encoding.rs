//! How a vector is kept: 16 bits a coordinate, of which queries usually read 4.
//!
//! A coordinate is a whole number of steps, and the step is the row's own: its largest coordinate is 127 · 256 of
//! them. The upper 4 bits are the *sketch*, which every query reads of every row. With the next 4, the *detail*, they make the
//! *coarse* row, which is read where the sketch leaves room for doubt. The lower 8, the *fine* row, are read for the few that may
//! win. Half a step is about 2⁻¹⁶ of the largest coordinate: a similarity moves by a few millionths, which is less than an embedder's
//! own rounding moves it, and a row takes half the memory of its floats.
//!
//! What is ranked is the row as it is kept. Rankings are exact over those.

use crate::nibbles::{GROUP, split};

/// What one unit of a coarse row is in steps.
pub(crate) const COARSE: i32 = 256;
const MOST: i32 = 127 * COARSE;

/// What one unit of a sketch is in steps: sketches are odd numbers of these, from -15 to 15, each in the middle of what the
/// other 12 bits can say.
pub(crate) const SKETCH: i32 = 8 * COARSE;

/// A vector as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct EncodedRow {
    /// How many coordinates count; the rest is padding.
    pub(crate) dimension: usize,
    /// The uppermost four bits of the coarse row, which has 128 added and is padded with 128, which is zero, to a multiple of [`GROUP`].
    pub(crate) sketch: Vec<u8>,
    /// Its other four bits.
    pub(crate) detail: Vec<u8>,
    /// The lower bits.
    pub(crate) fine: Vec<i8>,
    /// What one step is worth.
    pub(crate) step: f32,
    /// The length of what the sketch leaves out, rounded up.
    pub(crate) sketch_error: f32,
    /// The length of what the coarse row leaves out, rounded up.
    pub(crate) coarse_error: f32,
    /// The length of the row, rounded up.
    pub(crate) norm: f32,
}

impl EncodedRow {
    /// `None` if there is no coordinate, or one that is not finite: nothing can be compared with that.
    pub(crate) fn encode(vector: &[f32]) -> Option<Self> {
        if vector.is_empty() || vector.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let largest = vector.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
        let step = largest / MOST as f32;
        let inverse = if step > 0.0 { 1.0 / f64::from(step) } else { 0.0 };
        let width = padded(vector.len());
        let (mut coarse, mut fine) = (Vec::with_capacity(width), Vec::with_capacity(vector.len()));
        let (mut squares, mut fine_squares, mut unsketched_squares) = (0.0_f64, 0.0_f64, 0.0_f64);
        for value in vector {
            let steps = nearest(f64::from(*value) * inverse).clamp(-MOST, MOST);
            let upper = (steps + COARSE / 2) >> 8;
            let lower = steps - upper * COARSE;
            coarse.push((upper + 128) as u8);
            fine.push(lower as i8);
            let unsketched = steps - (2 * ((upper + 128) >> 4) - 15) * SKETCH;
            unsketched_squares += f64::from(unsketched) * f64::from(unsketched);
            fine_squares += f64::from(lower) * f64::from(lower);
            squares += f64::from(steps) * f64::from(steps);
        }
        coarse.resize(width, 128);
        let length = |squares: f64| rounded_up(squares.sqrt() * f64::from(step));
        let (sketch, detail) = split(&coarse);
        Some(Self {
            dimension: vector.len(),
            sketch,
            detail,
            fine,
            step,
            sketch_error: length(unsketched_squares),
            coarse_error: length(fine_squares),
            norm: length(squares),
        })
    }

    /// Its vector.
    pub(crate) fn view(&self) -> VectorView<'_> {
        VectorView { sketch: &self.sketch, detail: &self.detail, fine: &self.fine, step: self.step }
    }
}

/// A row's vector where it lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct VectorView<'a> {
    pub(crate) sketch: &'a [u8],
    pub(crate) detail: &'a [u8],
    pub(crate) fine: &'a [i8],
    pub(crate) step: f32,
}

/// How many coordinates a row of this dimension has with its padding, which is also the number of bytes of its coarse row.
pub(crate) const fn padded(dimension: usize) -> usize {
    dimension.next_multiple_of(GROUP)
}

/// The nearest whole number, for values far from the ends of an `i32`. Adding and taking away 1.5 · 2⁵² leaves no room for a
/// fraction, and needs no call where the processor cannot round by itself.
pub(crate) fn nearest(value: f64) -> i32 {
    const NO_FRACTION: f64 = 6_755_399_441_055_744.0;
    ((value + NO_FRACTION) - NO_FRACTION) as i32
}

/// A float that is no smaller.
pub(crate) fn rounded_up(value: f64) -> f32 {
    ((value * (1.0 + 1e-6)) as f32).next_up()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::nibbles::joined;

    fn coarse_of(row: &EncodedRow) -> Vec<u8> {
        let planes = row.sketch.chunks(GROUP / 2).zip(row.detail.chunks(GROUP / 2));
        let groups = planes.flat_map(|(sketch, detail)| {
            let (first, second): (Vec<u8>, Vec<u8>) =
                sketch.iter().zip(detail).map(|(upper, lower)| joined(*upper, *lower)).unzip();
            [first, second].concat()
        });
        groups.collect()
    }

    proptest! {
        #[test]
        fn a_row_is_kept_as_precisely_as_its_largest_float(vector in prop::collection::vec(-1.0..=1.0_f32, 1..200)) {
            let row = EncodedRow::encode(&vector).unwrap();
            let largest = vector.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
            for (kept, given) in row.restored().iter().zip(&vector) {
                prop_assert!((kept - given).abs() <= largest / 64_000.0, "{kept} for {given}");
            }
        }

        #[test]
        fn the_errors_cover_what_sketch_and_coarse_row_leave_out(vector in prop::collection::vec(-1.0..=1.0_f32, 1..200)) {
            let row = EncodedRow::encode(&vector).unwrap();
            let restored = row.restored();
            let left_out = |kept_bits: fn(f64) -> f64| {
                let parts = coarse_of(&row).into_iter().zip(&restored);
                let squares = parts.map(|(coarse, kept)| {
                    (f64::from(*kept) - kept_bits(f64::from(coarse)) * 256.0 * f64::from(row.step)).powi(2)
                });
                squares.sum::<f64>().sqrt()
            };
            prop_assert!(left_out(|coarse| coarse - 128.0) <= f64::from(row.coarse_error) + 1e-7);
            prop_assert!(left_out(|coarse| (coarse / 16.0).floor() * 16.0 - 120.0) <= f64::from(row.sketch_error) + 1e-6);
            let norm: f64 = row.restored().iter().map(|value| f64::from(*value).powi(2)).sum();
            prop_assert!(norm.sqrt() <= f64::from(row.norm) + 1e-6);
        }
    }

    #[test]
    fn nothing_and_what_is_not_finite_is_refused() {
        assert_eq!(EncodedRow::encode(&[0.5, f32::NAN]), None);
        assert_eq!(EncodedRow::encode(&[f32::INFINITY]), None);
        assert_eq!(EncodedRow::encode(&[]), None);
    }
}
