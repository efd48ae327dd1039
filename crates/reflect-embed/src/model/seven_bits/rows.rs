//! Rows in seven bits.

#![expect(unsafe_code, reason = "vector instructions; they are called where the machine was found to have them")]

use std::{arch::x86_64::*, ops::Range};

use super::{BYTES_A_GROUP, BYTES_A_STEP, Halves, MOST_SQUARES, STEPS_A_GROUP};
use crate::model::math::Scaling;

/// Rests of a row that 16 bits can hold together: each has two products of at most 2 · 128.
pub(in crate::model) const MOST_RESTS: usize = i16::MAX as usize / (2 * 2 * 128);

/// Groups whose steps fit one [mark](SevenBits::marks).
const GROUPS_A_MARK: usize = u64::BITS as usize / STEPS_A_GROUP;

/// What [`Group::room`] has at least where both halves fit.
pub(in crate::model) const FITS: u32 = 0x8000_8000;

#[derive(Debug, Default)]
pub(in crate::model) struct SevenBits {
    /// The inputs, row by row, with zeros up to a whole group.
    pub(in crate::model) inputs: Vec<Inputs>,
    /// What is known of them.
    pub(in crate::model) groups: Vec<Group>,
    /// For each tile of rows, the input that is zero.
    pub(in crate::model) zeros: Vec<u8>,
    /// What inputs lack, row by row, and where each row's ends.
    rests: Vec<Rest>,
    ends: Vec<usize>,
    /// Which steps of the row at hand lack something: a bit for each.
    marks: Vec<u64>,
}

/// The inputs of a group.
pub(in crate::model) type Inputs = [[u8; BYTES_A_STEP]; STEPS_A_GROUP];

/// What is known of a row's inputs in some steps: what the squares of each half add up to, counted from zero.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::model) struct Group(Halves<u16>);

impl Group {
    /// What weights with these [limits](super::limits) leave room for; the bits of [`FITS`] are set where 16 bits hold the products.
    #[inline(always)]
    pub(in crate::model) fn room(self, limits: Halves<u16>) -> u32 {
        // Neither has the highest bit of a half, so that the lower half borrows nothing from the upper one.
        let both = |[first, last]: Halves<u16>| u32::from(first) | u32::from(last) << 16;
        (both(limits) | FITS) - both(self.0)
    }
}

/// How many times 128 the inputs of one step lack.
#[derive(Debug, Clone, Copy)]
pub(in crate::model) struct Rest {
    /// Twice the row, and one more where the inputs have too much.
    pub(in crate::model) row_and_sign: u32,
    pub(in crate::model) step: u32,
    pub(in crate::model) times: [u8; BYTES_A_STEP],
}

impl SevenBits {
    /// Puts rows of `width` bytes into seven bits, over whatever was here. Rows of a tile have the same zero.
    ///
    /// # Safety
    ///
    /// The machine has AVX2.
    #[inline(always)]
    pub(in crate::model) unsafe fn fill<const ROWS: usize>(
        &mut self,
        bytes: &[u8],
        width: usize,
        scalings: &[Scaling],
    ) {
        let groups = width.div_ceil(BYTES_A_GROUP);
        self.inputs.resize(groups * scalings.len(), Inputs::default());
        self.groups.resize(groups * scalings.len(), Group::default());
        self.rests.clear();
        self.ends.clear();
        // Zero is in the middle of the range, or lower where no byte is further below it, as after an activation that lets few of them pass.
        let zero = |tile: &[Scaling]| tile.iter().map(|scaling| scaling.zero).max().unwrap_or(0).clamp(0, 64) as u8;
        self.zeros.clear();
        self.zeros.extend(scalings.chunks(ROWS).map(zero));
        let to = self.inputs.chunks_exact_mut(groups).zip(self.groups.chunks_exact_mut(groups));
        for (number, ((row, scaling), (inputs, groups))) in bytes.chunks_exact(width).zip(scalings).zip(to).enumerate()
        {
            let zero = self.zeros.get(number / ROWS).copied().unwrap_or(0);
            let zeros = Zeros { before: scaling.zero as u8, after: zero };
            self.marks.clear();
            let to = inputs.chunks_mut(GROUPS_A_MARK).zip(groups.chunks_mut(GROUPS_A_MARK));
            for (bytes, (inputs, groups)) in row.chunks(GROUPS_A_MARK * BYTES_A_GROUP).zip(to) {
                let mut mark = 0;
                for (place, (bytes, to)) in bytes.chunks(BYTES_A_GROUP).zip(inputs.iter_mut().zip(groups)).enumerate() {
                    // SAFETY: as the caller promised.
                    let beyond = unsafe { put(bytes, zeros, to) };
                    mark |= u64::from(beyond) << (place * STEPS_A_GROUP);
                }
                self.marks.push(mark);
            }
            // SAFETY: as the caller promised.
            unsafe { push_rests(row, zeros, &self.marks, (number as u32, &mut self.rests)) };
            self.ends.push(self.rests.len());
        }
    }

    /// What some rows lack.
    #[inline(always)]
    pub(in crate::model) fn rests(&self, rows: Range<usize>) -> &[Rest] {
        let end = |rows: usize| rows.checked_sub(1).and_then(|last| self.ends.get(last)).map_or(0, |end| *end);
        self.rests.get(end(rows.start)..end(rows.end)).unwrap_or_default()
    }
}

/// Which byte of a row is zero, and which of its inputs.
#[derive(Clone, Copy)]
struct Zeros {
    before: u8,
    after: u8,
}

/// Adds what is lacking in the steps of a row that are marked. Few are, and all marks are looked through in one loop.
#[inline(always)]
unsafe fn push_rests(row: &[u8], zeros: Zeros, marks: &[u64], (number, rests): (u32, &mut Vec<Rest>)) {
    let steps = row.as_chunks::<BYTES_A_STEP>().0;
    let start = i16::from(zeros.before) - i16::from(zeros.after);
    for (first, mark) in (0..).step_by(u64::BITS as usize).zip(marks) {
        let mut mark = *mark;
        while mark != 0 {
            let step = first + mark.trailing_zeros() as usize;
            mark &= mark - 1;
            // SAFETY: as the caller promised.
            let [above, below] = unsafe { times(steps.get(step).copied().unwrap_or_default(), start) };
            let (has_above, has_below) = (above != [0; BYTES_A_STEP], below != [0; BYTES_A_STEP]);
            let rest =
                |sign: bool, times| Rest { row_and_sign: 2 * number + u32::from(sign), step: step as u32, times };
            rests.push(rest(has_below, if has_below { below } else { above }));
            if has_above & has_below {
                rests.push(rest(false, above));
            }
        }
    }
}

/// How many times 128 the bytes of a step are above a range that starts at `start`, and how many times below it.
#[inline(always)]
unsafe fn times(bytes: [u8; BYTES_A_STEP], start: i16) -> [[u8; BYTES_A_STEP]; 2] {
    // SAFETY: as the caller promised.
    unsafe {
        let bytes = _mm_cvtepu8_epi16(_mm_cvtsi32_si128(i32::from_ne_bytes(bytes)));
        let above = _mm_sub_epi16(bytes, _mm_set1_epi16(start));
        let below = _mm_sub_epi16(_mm_set1_epi16(start + 127), bytes);
        // What is below zero becomes zero.
        [above, below].map(|words| {
            let times = _mm_srai_epi16::<7>(words);
            _mm_cvtsi128_si32(_mm_packus_epi16(times, times)).to_ne_bytes()
        })
    }
}

/// Puts a group of bytes into seven bits. Says which steps have bytes beyond the range: a bit for each.
#[inline(always)]
unsafe fn put(bytes: &[u8], zeros: Zeros, (inputs, group): (&mut Inputs, &mut Group)) -> u8 {
    let Zeros { before, after } = zeros;
    let mut padded = [before; BYTES_A_GROUP];
    let bytes = bytes.as_array().unwrap_or_else(|| {
        padded.iter_mut().zip(bytes).for_each(|(to, byte)| *to = *byte);
        &padded
    });
    // SAFETY: the machine has AVX2, as the caller promised; a group is as large as a register, and so are its inputs.
    unsafe {
        let repeat = |byte: u8| _mm256_set1_epi8(byte.cast_signed());
        let bytes = _mm256_loadu_si256(bytes.as_ptr().cast());
        let above = _mm256_subs_epu8(bytes, repeat(before.saturating_add(127 - after)));
        let below = _mm256_subs_epu8(repeat(before.saturating_sub(after)), bytes);
        let within = _mm256_cmpeq_epi32(_mm256_or_si256(above, below), _mm256_setzero_si256());
        let from_start = _mm256_sub_epi8(bytes, repeat(before.wrapping_sub(after)));
        let from_start = _mm256_and_si256(from_start, repeat(127));
        _mm256_storeu_si256(inputs.as_mut_ptr().cast(), from_start);
        let sizes = _mm256_abs_epi8(_mm256_sub_epi8(from_start, repeat(after)));
        let squares = _mm256_maddubs_epi16(sizes, sizes);
        // The squares of eight steps become those of all.
        let squares = _mm_adds_epu16(_mm256_castsi256_si128(squares), _mm256_extracti128_si256::<1>(squares));
        let squares = _mm_adds_epu16(squares, _mm_unpackhi_epi64(squares, squares));
        let squares = _mm_adds_epu16(squares, _mm_srli_epi64::<32>(squares));
        let squares = _mm_min_epu16(squares, _mm_set1_epi16(MOST_SQUARES.cast_signed()));
        *group = Group(std::mem::transmute::<i32, Halves<u16>>(_mm_cvtsi128_si32(squares)));
        !(_mm256_movemask_ps(_mm256_castsi256_ps(within)) as u8)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use reflect_core::Kernel;

    use super::*;

    const WIDTH: usize = 304;

    fn filled(rows: &[u8], zeros: [i32; 3]) -> SevenBits {
        assert!(Kernel::Avx2.is_available());
        let mut seven_bits = SevenBits::default();
        // SAFETY: the machine was just found to have it.
        unsafe { seven_bits.fill::<2>(rows, WIDTH, &zeros.map(|zero| Scaling { scale: 1.0, zero })) };
        seven_bits
    }

    proptest! {
        #[test]
        fn nothing_of_a_row_is_lost(rows in prop::collection::vec(any::<u8>(), 3 * WIDTH), zeros in prop::array::uniform3(0..=255)) {
            prop_assume!(Kernel::Avx2.is_available());
            let seven_bits = filled(&rows, zeros);
            prop_assert_eq!(&seven_bits.zeros[..], [zeros[0].max(zeros[1]).min(64) as u8, zeros[2].min(64) as u8]);
            for (number, row) in rows.chunks_exact(WIDTH).enumerate() {
                let inputs = seven_bits.inputs[10 * number..][..10].as_flattened().as_flattened();
                prop_assert!(inputs.iter().all(|input| *input < 128));
                let zero = i32::from(seven_bits.zeros[number / 2]);
                let mut found: Vec<i32> = inputs.iter().map(|input| i32::from(*input) - zero).collect();
                for rest in seven_bits.rests(number..number + 1) {
                    prop_assert_eq!(rest.row_and_sign as usize / 2, number);
                    let unit = if rest.row_and_sign % 2 == 0 { 128 } else { -128 };
                    for (found, times) in found.iter_mut().skip(rest.step as usize * BYTES_A_STEP).zip(rest.times) {
                        *found += unit * i32::from(times);
                    }
                }
                let right: Vec<i32> = row.iter().map(|byte| i32::from(*byte) - zeros[number]).collect();
                prop_assert_eq!(&found[..WIDTH], right);
                prop_assert_eq!(&found[WIDTH..], [0; 16]);
            }
        }

        #[test]
        fn a_group_fits_where_its_squares_are_within_the_limits(
            rows in prop::collection::vec(any::<u8>(), 3 * WIDTH),
            zeros in prop::array::uniform3(0..=255),
            limits in prop::array::uniform2(0..MOST_SQUARES),
        ) {
            prop_assume!(Kernel::Avx2.is_available());
            let seven_bits = filled(&rows, zeros);
            for (number, (group, steps)) in seven_bits.groups.iter().zip(&seven_bits.inputs).enumerate() {
                let zero = i32::from(seven_bits.zeros[number / 20]);
                let squares = [0, 2].map(|half| {
                    let inputs = steps.iter().flat_map(|step| &step[half..half + 2]);
                    inputs.map(|input| (i32::from(*input) - zero).pow(2)).sum::<i32>()
                });
                let fits = squares.iter().zip(limits).all(|(squares, limit)| *squares <= i32::from(limit));
                prop_assert_eq!(group.room(limits) & FITS == FITS, fits);
            }
        }
    }
}
