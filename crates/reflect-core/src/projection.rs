//! Vectors as points on a plane, so that people can look at them.
//!
//! The plane is spanned by the two directions in which the vectors differ most: the first two principal components, found by orthogonal
//! iteration over an even sample. Nothing here is random: the same vectors in the same order always give the same points. Coordinates
//! are then spread: half of each is its rank among all, or a few outliers would push everything else into one spot.

/// How many vectors the plane is laid through.
const SAMPLE: usize = 1_000;

/// How often the directions are refined. They only serve the eye, which sees no difference after a dozen or so.
const ROUNDS: usize = 24;

/// Where each vector stands on the plane, both coordinates in [−1, 1]. All vectors are of one length.
pub fn project_to_plane(vectors: &[Vec<f32>]) -> Vec<[f64; 2]> {
    let dimensions = vectors.first().map_or(0, Vec::len);
    let step = vectors.len().div_ceil(SAMPLE).max(1);
    let sample: Vec<&Vec<f32>> = vectors.iter().step_by(step).collect();
    let mean = mean_of(&sample, dimensions);
    let [first, second] = principal_directions(&sample, &mean);
    let along = |direction: &[f32]| -> Vec<f64> {
        let origin = dot(&mean, direction);
        vectors.iter().map(|vector| f64::from(dot(vector, direction) - origin)).collect()
    };
    let (x, y) = (spread(&along(&first)), spread(&along(&second)));
    x.into_iter().zip(y).map(|(x, y)| [x, y]).collect()
}

fn mean_of(sample: &[&Vec<f32>], dimensions: usize) -> Vec<f32> {
    let mut mean = vec![0.0; dimensions];
    for vector in sample {
        add_scaled(&mut mean, vector, 1.0);
    }
    #[expect(clippy::cast_precision_loss, reason = "a sample has a thousand vectors")]
    let count = sample.len().max(1) as f32;
    mean.iter_mut().for_each(|value| *value /= count);
    mean
}

/// The two directions in which the sample differs most, each of length one, or zero where it does not differ at all.
fn principal_directions(sample: &[&Vec<f32>], mean: &[f32]) -> [Vec<f32>; 2] {
    let mut directions = [start(mean.len(), 1), start(mean.len(), 2)];
    for _ in 0..ROUNDS {
        directions = directions.map(|direction| {
            let mut next = vec![0.0; mean.len()];
            let origin = dot(mean, &direction);
            let mut total = 0.0;
            for vector in sample {
                let reach = dot(vector, &direction) - origin;
                add_scaled(&mut next, vector, reach);
                total += reach;
            }
            add_scaled(&mut next, mean, -total);
            next
        });
        let [first, second] = &mut directions;
        normalise(first);
        let shared = dot(first, second);
        add_scaled(second, first, -shared);
        normalise(second);
    }
    directions.map(pointing_up)
}

/// Some direction that is none of the axes, another one for each `number`.
fn start(dimensions: usize, number: u32) -> Vec<f32> {
    let mut direction = Vec::with_capacity(dimensions);
    let mut state = number.wrapping_mul(0x9E37_79B9);
    for _ in 0..dimensions {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        #[expect(clippy::cast_precision_loss, reason = "24 bits fit")]
        direction.push((state >> 8) as f32 / 16_777_216.0 - 0.5);
    }
    direction
}

/// A direction is as good as its opposite; the one is chosen whose largest part is positive.
fn pointing_up(mut direction: Vec<f32>) -> Vec<f32> {
    let largest = direction.iter().copied().max_by(|left, right| left.abs().total_cmp(&right.abs()));
    if largest.is_some_and(|largest| largest < 0.0) {
        direction.iter_mut().for_each(|value| *value = -*value);
    }
    direction
}

fn normalise(direction: &mut [f32]) {
    let length = dot(direction, direction).sqrt();
    // What is left after rounding points anywhere.
    let scale = if length > 1e-9 { 1.0 / length } else { 0.0 };
    direction.iter_mut().for_each(|value| *value *= scale);
}

fn dot(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

fn add_scaled(sum: &mut [f32], more: &[f32], scale: f32) {
    sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more * scale);
}

/// Coordinates in [−1, 1]: half where they stand, half their rank. Equal ones stay equal, and where all are, they are zero.
fn spread(values: &[f64]) -> Vec<f64> {
    let largest = values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    if largest < 1e-6 {
        return vec![0.0; values.len()];
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    #[expect(clippy::cast_precision_loss, reason = "there are far fewer than 2^52")]
    let rank = |value: f64| {
        let below = sorted.partition_point(|other| *other < value);
        let up_to = sorted.partition_point(|other| *other <= value);
        (below + up_to) as f64 / sorted.len() as f64 - 1.0
    };
    values.iter().map(|value| 0.5 * value / largest + 0.5 * rank(*value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three heaps of vectors that differ a little.
    fn heaps(count: usize) -> Vec<Vec<f32>> {
        let noise = |number: usize, at: u32| start(8, u32::try_from(number).unwrap() * 8 + at)[at as usize];
        let vector = |number: usize| {
            (0..8).map(|at| f32::from(u8::from(at as usize == number % 3)) + 0.1 * noise(number, at)).collect()
        };
        (0..count).map(vector).collect()
    }

    fn distance(left: [f64; 2], right: [f64; 2]) -> f64 {
        (left[0] - right[0]).hypot(left[1] - right[1])
    }

    #[test]
    fn what_is_alike_stands_together() {
        let points = project_to_plane(&heaps(300));
        assert!(points.iter().flatten().all(|value| (-1.0..=1.0).contains(value)));
        let centre = |heap: usize| {
            let own: Vec<[f64; 2]> = points.iter().copied().skip(heap).step_by(3).collect();
            [0, 1].map(|axis| own.iter().map(|point| point[axis]).sum::<f64>() / own.len() as f64)
        };
        let centres = [centre(0), centre(1), centre(2)];
        for (number, point) in points.iter().enumerate() {
            let nearest = (0..3).min_by(|a, b| distance(*point, centres[*a]).total_cmp(&distance(*point, centres[*b])));
            assert_eq!(nearest, Some(number % 3), "{point:?} {centres:?}");
        }
    }

    #[test]
    fn the_same_vectors_give_the_same_points() {
        assert_eq!(project_to_plane(&heaps(2_500)), project_to_plane(&heaps(2_500)));
    }

    #[test]
    fn a_few_vectors_or_equal_ones_are_no_trouble() {
        assert_eq!(project_to_plane(&[]), Vec::<[f64; 2]>::new());
        assert_eq!(project_to_plane(&[vec![0.6, 0.8]]), [[0.0, 0.0]]);
        assert_eq!(project_to_plane(&[vec![0.6, 0.8], vec![0.6, 0.8]]), [[0.0, 0.0]; 2]);
        let two = project_to_plane(&[vec![1.0, 0.0], vec![0.0, 1.0]]);
        assert!(distance(two[0], two[1]) > 1.0, "{two:?}");
    }
}
