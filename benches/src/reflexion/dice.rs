//! Dice with a seed, so that a table can be printed again.

/// SplitMix64: small, quick, and good enough to toss coins with.
#[derive(Debug, Clone)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// True as often as `probability` says.
    pub(super) fn toss(&mut self, probability: f64) -> bool {
        #[expect(clippy::cast_precision_loss, reason = "53 bits are kept, and are enough")]
        let fraction = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        fraction < probability
    }

    /// A number below `bound`.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound.max(1) as u64).unwrap_or_default()
    }
}
