//! The trial slot: now and then the first place goes to one of the best at random.
//!
//! It lets a retired memory come back, and it makes known how probable every answer was, which is what later questions of the kind "what
//! if" rest on.

use crate::{Entropy, KeyId, MemoryId, draws};

/// How often a slot is on trial, and among how many.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrialSlot {
    /// The share of queries, from 0 to 1.
    pub share: f64,
    /// How many of the best it may go to.
    pub among: usize,
}

impl Default for TrialSlot {
    fn default() -> Self {
        Self { share: 0.05, among: 20 }
    }
}

/// The random numbers of one query. Whoever makes its answer again makes the same one.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SlateDraw {
    /// Decides whether there is a trial: in [0, 1), as the next one.
    pub whether: f64,
    /// Decides who gets it.
    pub who: f64,
    /// Every memory's own coin follows from this and from its id.
    pub coins: u64,
}

impl SlateDraw {
    /// Draws them.
    pub fn from_entropy(entropy: &dyn Entropy) -> Self {
        let fraction = || f64::from(entropy.number()) / (f64::from(u32::MAX) + 1.0);
        let coins = u64::from(entropy.number()) << 32 | u64::from(entropy.number());
        Self { whether: fraction(), who: fraction(), coins }
    }

    /// The draw of a request that may be sent again: the same one each time.
    pub fn of_request(salt: u64, key_id: KeyId, idempotency_key: &str) -> Self {
        let bytes = salt.to_le_bytes().into_iter().chain(*key_id.as_uuid().as_bytes()).chain(idempotency_key.bytes());
        let first = draws::of_bytes(bytes);
        let [second, third] = [draws::next(first), draws::next(draws::next(first))].map(draws::spread);
        Self { whether: draws::fraction(first), who: draws::fraction(second), coins: third }
    }

    /// A memory's number in [0, 1): whether it sits out does not depend on the others.
    pub fn coin(&self, memory_id: MemoryId) -> f64 {
        let (high, low) = memory_id.as_uuid().as_u64_pair();
        let mixed = |number| draws::spread(draws::next(number));
        draws::fraction(mixed(self.coins ^ mixed(high ^ mixed(low))))
    }
}

impl TrialSlot {
    /// Whose turn it is: a position among `ranked` memories, or nobody's.
    pub fn pick(&self, ranked: usize, draw: SlateDraw) -> Option<usize> {
        let among = self.among.min(ranked);
        let is_trial = among > 1 && draw.whether < self.share;
        is_trial.then(|| ((draw.who * among as f64) as usize).min(among.saturating_sub(1)))
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn nobody_is_tried_where_there_is_no_choice() {
        let draw = SlateDraw { whether: 0.0, who: 0.999_999, coins: 0 };
        assert_eq!(TrialSlot::default().pick(1, draw), None);
        assert_eq!(TrialSlot { share: 0.0, among: 20 }.pick(50, draw), None);
        assert_eq!(TrialSlot::default().pick(50, draw), Some(19));
    }

    #[test]
    fn a_request_that_is_sent_again_draws_the_same_and_any_other_does_not() {
        let draw = |salt, key: u128, text| SlateDraw::of_request(salt, KeyId::from_uuid(Uuid::from_u128(key)), text);
        assert_eq!(draw(7, 1, "run 4"), draw(7, 1, "run 4"));
        for other in [draw(8, 1, "run 4"), draw(7, 2, "run 4"), draw(7, 1, "run 5")] {
            let same = draw(7, 1, "run 4");
            assert!(other.whether != same.whether && other.who != same.who && other.coins != same.coins);
        }
    }

    #[test]
    fn coins_are_as_likely_to_be_low_as_high_and_each_is_its_own() {
        let coin = |coins: u64, id: u128| {
            SlateDraw { coins, ..SlateDraw::default() }.coin(MemoryId::from_uuid(Uuid::from_u128(id)))
        };
        let of = |ids: [u128; 2]| (0..10_000_u64).map(move |coins| ids.map(|id| coin(coins, id) < 0.3));
        // Ids of one moment, which hardly differ.
        let both = of([7 << 64 | 1, 7 << 64 | 2]).collect::<Vec<_>>();
        let share = |is: fn(&[bool; 2]) -> bool| both.iter().filter(|pair| is(pair)).count() as f64 / 1e4;
        assert!((share(|pair| pair[0]) - 0.3).abs() < 0.02 && (share(|pair| pair[1]) - 0.3).abs() < 0.02);
        assert!((share(|pair| pair[0] && pair[1]) - 0.09).abs() < 0.015);
    }
}
