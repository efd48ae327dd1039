//! Chance from numbers: the same number always gives the same one.

/// SplitMix64's finisher, which spreads every bit over all.
pub(crate) const fn spread(number: u64) -> u64 {
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

/// The next state of SplitMix64.
pub(crate) const fn next(state: u64) -> u64 {
    state.wrapping_add(0x9E37_79B9_7F4A_7C15)
}

/// A number for bytes: FNV-1a, spread.
pub(crate) fn of_bytes(bytes: impl IntoIterator<Item = u8>) -> u64 {
    let each = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
    spread(bytes.into_iter().fold(0xCBF2_9CE4_8422_2325_u64, each))
}

/// In [0, 1).
pub(crate) fn fraction(number: u64) -> f64 {
    (number >> 11) as f64 / (1_u64 << 53) as f64
}

/// Numbers in [0, 1) for tests, the same ones every time.
#[cfg(test)]
pub(crate) fn draws(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = next(state);
        fraction(spread(state))
    }
}
