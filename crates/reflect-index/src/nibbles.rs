//! Four bits a coordinate, two coordinates a byte.
//!
//! A group of 128 coordinates takes 64 bytes: byte `n` has coordinate `n` in its lower half and coordinate `64 + n` in its
//! upper one. So a register of 64 bytes falls apart into two registers of consecutive coordinates.

/// How many coordinates are packed together. Rows are padded to a multiple of this.
pub(crate) const GROUP: usize = 2 * GROUP_BYTES;

/// How many bytes they take.
pub(crate) const GROUP_BYTES: usize = 64;

/// A row of bytes in two planes: the upper halves of all bytes, and the lower ones.
pub(crate) fn split(bytes: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let pairs = bytes.as_chunks::<GROUP>().0.iter().flat_map(|group| {
        let (first, second) = group.split_at(GROUP_BYTES);
        first.iter().zip(second)
    });
    pairs.map(|(first, second)| ((first >> 4) | (second & 0xF0), (first & 0x0F) | (second << 4))).unzip()
}

/// What both planes make together, byte by byte, for the bytes of a group that the two halves of a plane's byte stand for.
#[inline(always)]
pub(crate) fn joined(upper: u8, lower: u8) -> (u8, u8) {
    ((upper << 4) | (lower & 0x0F), (upper & 0xF0) | (lower >> 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_was_split_can_be_joined_again() {
        let row: Vec<u8> = (0..3 * GROUP).map(|coordinate| (coordinate * 37 % 256) as u8).collect();
        let (upper, lower) = split(&row);
        assert_eq!((upper.len(), lower.len()), (row.len() / 2, row.len() / 2));
        for (group, (upper, lower)) in row.chunks(GROUP).zip(upper.chunks(GROUP_BYTES).zip(lower.chunks(GROUP_BYTES))) {
            for coordinate in 0..GROUP_BYTES {
                assert_eq!(
                    joined(upper[coordinate], lower[coordinate]),
                    (group[coordinate], group[coordinate + GROUP_BYTES])
                );
            }
        }
    }
}
