//! Dice with a seed, so that a table can be printed again.

/// SplitMix64: small, quick, and good enough to draw worlds with.
#[derive(Debug, Clone)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        // Seeds that follow each other must not give sequences that do.
        let mut dice = Self(seed.wrapping_mul(0xD134_2543_DE82_EF95));
        dice.next();
        dice
    }

    /// Any number.
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number in [0, 1).
    pub(super) fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number between two others.
    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.fraction()
    }

    /// True as often as `probability` says.
    pub(super) fn toss(&mut self, probability: f64) -> bool {
        self.fraction() < probability
    }

    /// A number below `bound`.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.fraction() * bound as f64) as usize
    }

    /// One of these.
    pub(super) fn one_of<T: Copy>(&mut self, choices: &[T], otherwise: T) -> T {
        choices.get(self.below(choices.len())).copied().unwrap_or(otherwise)
    }

    /// A number of mean 0 and deviation 1 (Box and Muller).
    pub(super) fn normal(&mut self) -> f64 {
        let (radius, angle) = ((1.0 - self.fraction()).ln(), std::f64::consts::TAU * self.fraction());
        (-2.0 * radius).sqrt() * angle.cos()
    }
}
