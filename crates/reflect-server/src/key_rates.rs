//! How often each key may ask.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Instant,
};

use reflect_core::KeyId;

/// From so many keys on, those that have all their tokens again are forgotten.
const MANY_KEYS: usize = 4_096;

/// How many requests one key may make: a token bucket.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KeyRate {
    /// How many a second, on average.
    pub per_second: f64,
    /// How many at once, after a pause.
    pub burst: f64,
}

/// The buckets of all keys.
pub(crate) struct KeyRates {
    rate: KeyRate,
    buckets: Mutex<HashMap<KeyId, Bucket>>,
}

#[derive(Clone, Copy)]
struct Bucket {
    tokens: f64,
    filled_at: Instant,
}

impl KeyRates {
    pub(crate) fn new(rate: KeyRate) -> Self {
        Self { rate, buckets: Mutex::default() }
    }

    /// Takes a token for a request of this key. Without one, answers in how many seconds there is one again.
    pub(crate) fn take(&self, key_id: KeyId, now: Instant) -> Result<(), u64> {
        let KeyRate { per_second, burst } = self.rate;
        let tokens = |bucket: &Bucket| {
            let seconds = now.saturating_duration_since(bucket.filled_at).as_secs_f64();
            (bucket.tokens + seconds * per_second).min(burst)
        };
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MANY_KEYS {
            buckets.retain(|_, bucket| tokens(bucket) < burst);
        }
        let bucket = buckets.entry(key_id).or_insert(Bucket { tokens: burst, filled_at: now });
        *bucket = Bucket { tokens: tokens(bucket), filled_at: now };
        if bucket.tokens >= 1.0 {
            bucket.tokens -= 1.0;
            return Ok(());
        }
        let seconds = (1.0 - bucket.tokens) / per_second;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few seconds, rounded up")]
        Err(seconds.ceil().max(1.0) as u64)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use uuid::Uuid;

    use super::*;

    fn key(number: u128) -> KeyId {
        KeyId::from_uuid(Uuid::from_u128(number))
    }

    #[test]
    fn a_key_that_has_used_its_tokens_waits_for_the_next_and_its_neighbour_does_not() {
        let rates = KeyRates::new(KeyRate { per_second: 0.5, burst: 3.0 });
        let start = Instant::now();
        let take = |number, millis| rates.take(key(number), start + Duration::from_millis(millis));
        assert_eq!([0, 0, 0].map(|millis| take(1, millis)), [Ok(()); 3]);
        assert_eq!(take(1, 0), Err(2));
        assert_eq!(take(1, 1_500), Err(1));
        assert_eq!(take(2, 1_500), Ok(()));
        assert_eq!(take(1, 2_000), Ok(()));
        assert_eq!(take(1, 2_000), Err(2), "waiting in vain has cost nothing, and gained nothing");
    }

    #[test]
    fn keys_that_rest_are_forgotten() {
        let rates = KeyRates::new(KeyRate { per_second: 1.0, burst: 1.0 });
        let start = Instant::now();
        for number in 0..10 * MANY_KEYS as u128 {
            let now = start + Duration::from_millis(u64::try_from(number).unwrap());
            rates.take(key(number), now).unwrap();
        }
        assert!(rates.buckets.lock().unwrap().len() <= MANY_KEYS);
    }
}
