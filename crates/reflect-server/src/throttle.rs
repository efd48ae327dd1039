//! Slowing down those who guess keys.

use std::{
    hash::{BuildHasher, RandomState},
    net::IpAddr,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// How many failures one address may have with one key's public part, within one window.
const ALLOWED: u32 = 100;
const WINDOW: Duration = Duration::from_secs(60);

/// How many pairs of address and public part are watched: so many sets of so many.
const SETS: usize = 4_096;
const SET_SIZE: usize = 4;

/// Counts failed attempts by address and by the public part of the key that was tried, so that holders of different keys behind
/// one address do not disturb each other.
///
/// A pair belongs to one set of the table, where the oldest makes room: a failure costs the same whatever the table holds.
pub(crate) struct Throttle {
    hasher: RandomState,
    sets: Mutex<Vec<[Failures; SET_SIZE]>>,
}

#[derive(Clone, Copy, Default)]
struct Failures {
    /// The hash of the pair.
    pair: u64,
    /// `None` where nothing was counted yet.
    since: Option<Instant>,
    count: u32,
}

impl Failures {
    fn age(&self) -> Duration {
        self.since.map_or(Duration::MAX, |since| since.elapsed())
    }
}

impl Default for Throttle {
    fn default() -> Self {
        Self { hasher: RandomState::new(), sets: Mutex::new(vec![[Failures::default(); SET_SIZE]; SETS]) }
    }
}

impl Throttle {
    /// Counts a failure. Answers for how many seconds this pair has to wait, if it has failed too often.
    pub(crate) fn note_failure(&self, address: Option<IpAddr>, key: &str) -> Option<u64> {
        let pair = self.hasher.hash_one((address, public_part(key)));
        let mut sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        let index = usize::try_from(pair % SETS as u64).unwrap_or_default();
        let set = sets.get_mut(index)?;
        let known = set.iter().position(|failed| failed.pair == pair && failed.age() < WINDOW);
        let oldest = (0..SET_SIZE).max_by_key(|at| set.get(*at).map(Failures::age));
        let failed = set.get_mut(known.or(oldest)?)?;
        if known.is_none() {
            *failed = Failures { pair, since: Some(Instant::now()), count: 0 };
        }
        failed.count = failed.count.saturating_add(1);
        (failed.count > ALLOWED).then(|| WINDOW.saturating_sub(failed.age()).as_secs() + 1)
    }
}

/// The part of a key that names it; all texts that are no keys share one name.
fn public_part(key: &str) -> &str {
    let mut parts = key.splitn(4, '_');
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some("rf"), Some("live" | "test"), Some(public), Some(_)) if public.len() <= 64 => public,
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_pair_that_failed_too_often_has_to_wait() {
        let throttle = Throttle::default();
        let (here, there) = (Some(IpAddr::from([127, 0, 0, 1])), Some(IpAddr::from([127, 0, 0, 2])));
        for _ in 0..ALLOWED {
            assert_eq!(throttle.note_failure(here, "rf_live_a_wrong"), None);
        }
        assert!(throttle.note_failure(here, "rf_live_a_x").is_some_and(|seconds| seconds <= 61));
        assert_eq!(throttle.note_failure(here, "rf_live_b_x"), None);
        assert_eq!(throttle.note_failure(there, "rf_live_a_x"), None);
    }

    #[test]
    fn a_failure_costs_the_same_whatever_the_table_holds() {
        let throttle = Throttle::default();
        // The fastest of many batches: what else the machine does falls on some of them only.
        let fastest = |round: u32| {
            let batch = |batch: u32| {
                let start = Instant::now();
                for number in 0..100 {
                    let address =
                        IpAddr::from((u128::from(round) << 64 | u128::from(batch * 100 + number)).to_be_bytes());
                    throttle.note_failure(Some(address), "junk");
                }
                start.elapsed()
            };
            (0..400).map(batch).min().unwrap()
        };
        let empty = fastest(1);
        for round in 2..6 {
            fastest(round);
        }
        let full = fastest(6);
        assert!(full < empty * 20, "{empty:?} with room in the table, {full:?} without");
    }
}
