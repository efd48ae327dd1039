//! The embedder of a world: unit vectors with the cosines that its rules see.

/// Coordinates of a vector before it is embedded.
pub(super) const DIMENSION: usize = 32;

/// Coordinates of a vector that was.
const EMBEDDED: usize = 2 * DIMENSION;

/// Where something lies in a world.
pub(super) type Vector = [f32; DIMENSION];

/// A vector whose cosine to another is `1 − squeeze · (1 − cosine)`: all share a direction, as those of many embedders do. It is spread over all
/// coordinates, which are then about as large as each other.
pub(super) fn embedded(vector: &Vector, squeeze: f64) -> Vec<f32> {
    let own = vector.iter().map(|value| value * squeeze.sqrt() as f32);
    let shared = std::iter::once((1.0 - squeeze).sqrt() as f32);
    let mut values: Vec<f32> = own.chain(shared).chain(std::iter::repeat(0.0)).take(EMBEDDED).collect();
    spread(&mut values);
    let length = (EMBEDDED as f32).sqrt();
    values.iter_mut().for_each(|value| *value /= length);
    values
}

/// The transform of Walsh and Hadamard, of which every coordinate is a sum or difference of all. The length must be a power of two.
fn spread(values: &mut [f32]) {
    let (left, right) = values.split_at_mut(values.len() / 2);
    if left.is_empty() {
        return;
    }
    for (left, right) in left.iter_mut().zip(right.iter_mut()) {
        (*left, *right) = (*left + *right, *left - *right);
    }
    spread(left);
    spread(right);
}

#[cfg(test)]
mod tests {
    use reflect_core::cosine;

    use super::*;
    use crate::learning::{dice::Dice, scene::direction};

    #[test]
    fn cosines_are_squeezed_and_lengths_kept() {
        let mut dice = Dice::new(7);
        for squeeze in [1.0, 0.5, 0.15] {
            let (left, right) = (direction(&mut dice), direction(&mut dice));
            let (seen_left, seen_right) = (embedded(&left, squeeze), embedded(&right, squeeze));
            let expected = 1.0 - squeeze * (1.0 - cosine(&left, &right));
            assert!((cosine(&seen_left, &seen_right) - expected).abs() < 1e-5);
            let length: f32 = seen_left.iter().map(|value| value * value).sum();
            assert!((length - 1.0).abs() < 1e-4);
        }
    }
}
