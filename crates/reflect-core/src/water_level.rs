//! Sharing out a room among texts.

/// The highest level such that all sizes, each cut to it, add up to at most `room`; no limit where all fit whole, and
/// `None` where nothing fits.
pub fn water_level(sizes: &[usize], room: usize) -> Option<usize> {
    let mut sorted = sizes.to_vec();
    sorted.sort_unstable();
    let mut left = room;
    for (index, size) in sorted.iter().enumerate() {
        let others = sorted.len() - index;
        if size.saturating_mul(others) > left {
            return Some(left / others).filter(|level| *level > 0);
        }
        left -= size;
    }
    Some(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_give_way_first() {
        assert_eq!(water_level(&[10, 20, 300], 330), Some(usize::MAX));
        assert_eq!(water_level(&[10, 20, 300], 100), Some(70));
        assert_eq!(water_level(&[100, 100], 50), Some(25));
        assert_eq!(water_level(&[5, 5], 1), None);
        assert_eq!(water_level(&[], 0), Some(usize::MAX));
    }
}
