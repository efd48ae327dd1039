//! A task's vector, ready to be compared with rows.

use crate::encoding::{nearest, padded};

/// The largest value of a coordinate.
const MOST: f64 = 127.0;

/// The largest sum of all coordinates' sizes: times 255, a row's largest byte, it must not leave an `i32`.
const MOST_IN_SUM: f64 = (i32::MAX / 255) as f64;

/// A task in 8 bits a coordinate. Scaled so that its dot product with any coarse row fits into 32 bits, whatever the dimension.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RoundedTask {
    /// Each coordinate in units of the scale, padded with zeros.
    pub(crate) units: Vec<i8>,
    /// What the 128 in every byte of a coarse row adds to a dot product.
    pub(crate) coarse_bias: i32,
    /// What the 15 in every coordinate of a sketch adds to a dot product.
    pub(crate) sketch_bias: i32,
    /// What one unit is worth.
    pub(crate) scale: f64,
    /// The length of the task.
    pub(crate) norm: f64,
    /// The length of what rounding left out.
    pub(crate) error: f64,
}

impl RoundedTask {
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
        let mut units: Vec<i8> = exact().map(|value| nearest(value * inverse) as i8).collect();
        let length = |values: &mut dyn Iterator<Item = f64>| values.map(|value| value * value).sum::<f64>().sqrt();
        let error = length(&mut exact().zip(&units).map(|(value, unit)| value - f64::from(*unit) * scale));
        let norm = length(&mut exact());
        units.resize(padded(task.len()), 0);
        let total: i32 = units.iter().map(|unit| i32::from(*unit)).sum();
        Some(Self { units, coarse_bias: 128 * total, sketch_bias: 15 * total, scale, norm, error })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_dot_product_leaves_32_bits_in_any_dimension() {
        for dimension in [1, 384, 4_096, 100_000] {
            let task = RoundedTask::new(&vec![-1.0; dimension]).unwrap();
            let most: i64 = task.units.iter().map(|unit| 255 * i64::from(unit.abs())).sum();
            assert!(most <= i64::from(i32::MAX), "{most} in {dimension} dimensions");
            let value = f64::from(task.units[0]) * task.scale;
            assert!((value + 1.0).abs() <= task.error + 1e-9, "{value} in {dimension} dimensions");
        }
        assert_eq!(RoundedTask::new(&[f32::NAN]), None);
        assert_eq!(RoundedTask::new(&[0.0]).unwrap().scale, 0.0);
    }
}
