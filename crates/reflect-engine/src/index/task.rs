//! A task's vector, ready to be held against rows.

use super::encoding::{nearest, padded};

/// The largest value of a coordinate: its upper byte must not leave an `i8` after rounding.
const MOST: f64 = 32_639.0;

/// The largest sum of all coordinates' sizes: times 127, a row's largest byte, it must not leave an `i32`.
const MOST_IN_SUM: f64 = (i32::MAX / 127) as f64;

/// A task in 16 bits a coordinate, in two planes of 8, of which sketches are held against the upper one only. Scaled so that its dot product with any coarse row fits into 32 bits, whatever the dimension.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TaskPlanes {
    /// The upper byte of each coordinate, padded with zeros; `256 · high + low` is the whole.
    pub(crate) high: Vec<i8>,
    /// The lower byte, signed.
    pub(crate) low: Vec<i8>,
    /// What the 128 in every byte of a coarse row adds to a dot product.
    pub(crate) coarse_bias: i32,
    /// What the 15 in every coordinate of a sketch adds to a dot product with the upper plane.
    pub(crate) sketch_bias: i32,
    /// What one unit is worth.
    pub(crate) scale: f64,
    /// The length of the task.
    pub(crate) norm: f64,
    /// The length of what rounding left out.
    pub(crate) error: f64,
    /// The length of what the upper plane leaves out.
    pub(crate) high_error: f64,
}

impl TaskPlanes {
    /// `None` if a coordinate is not finite.
    pub(crate) fn new(task: &[f32]) -> Option<Self> {
        if task.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let exact = || task.iter().map(|value| f64::from(*value));
        let largest = exact().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        let sum: f64 = exact().map(f64::abs).sum();
        let scale = (largest / MOST).max(sum / (MOST_IN_SUM - task.len() as f64).max(1.0));
        let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
        let width = padded(task.len());
        let mut wide: Vec<i16> = exact().map(|value| nearest(value * inverse) as i16).collect();
        let squares = |values: &mut dyn Iterator<Item = f64>| values.map(|value| value * value).sum::<f64>().sqrt();
        let upper = |value: &i16| (i32::from(*value) + 128) >> 8;
        let error = squares(&mut exact().zip(&wide).map(|(value, rounded)| value - f64::from(*rounded) * scale));
        let high_error =
            squares(&mut exact().zip(&wide).map(|(value, rounded)| value - f64::from(256 * upper(rounded)) * scale));
        let norm = squares(&mut exact());
        wide.resize(width, 0);
        let high = wide.iter().map(|value| upper(value) as i8).collect();
        let low = wide.iter().map(|value| (i32::from(*value) - 256 * upper(value)) as i8).collect();
        let coarse_bias = wide.iter().fold(0_i32, |bias, value| bias.wrapping_add(128 * i32::from(*value)));
        let sketch_bias = wide.iter().fold(0_i32, |bias, value| bias.wrapping_add(15 * upper(value)));
        Some(Self { high, low, coarse_bias, sketch_bias, scale, norm, error, high_error })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_dot_product_leaves_32_bits_in_any_dimension() {
        for dimension in [1, 384, 4_096, 100_000] {
            let planes = TaskPlanes::new(&vec![-1.0; dimension]).unwrap();
            let whole = planes.high.iter().zip(&planes.low).map(|(high, low)| 256 * i64::from(*high) + i64::from(*low));
            let (mut most, mut bias) = (0, 0);
            for value in whole {
                most += 127 * value.abs();
                bias += 128 * value;
                assert!((value as f64 * planes.scale + 1.0).abs() < 1e-3 || value == 0, "{value}");
            }
            assert!(most <= i64::from(i32::MAX), "{most} in {dimension} dimensions");
            assert_eq!(bias as i32, planes.coarse_bias);
        }
        assert_eq!(TaskPlanes::new(&[f32::NAN]), None);
        assert_eq!(TaskPlanes::new(&[0.0]).unwrap().scale, 0.0);
    }
}
