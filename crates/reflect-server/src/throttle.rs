//! Slowing down those who guess keys.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// How many failures one address may have with one key's public part, within one window.
const ALLOWED: u32 = 100;
const WINDOW: Duration = Duration::from_secs(60);

/// How many pairs of address and public part are watched at most.
const MAX_WATCHED: usize = 10_000;

/// Counts failed attempts by address and by the public part of the key that was tried. A stranger elsewhere can so not
/// lock a key's holder out, and holders of different keys behind one address do not disturb each other.
#[derive(Default)]
pub(crate) struct Throttle {
    failures: Mutex<HashMap<(Option<IpAddr>, String), Failures>>,
}

struct Failures {
    since: Instant,
    count: u32,
}

impl Throttle {
    /// For how many seconds this pair has to wait, if it has failed too often. The key is not even looked at then.
    pub(crate) fn wait_seconds(&self, address: Option<IpAddr>, key: &str) -> Option<u64> {
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = failures.get(&(address, public_part(key).to_owned()))?;
        let age = failed.since.elapsed();
        (failed.count >= ALLOWED && age < WINDOW).then(|| (WINDOW - age).as_secs() + 1)
    }

    pub(crate) fn note_failure(&self, address: Option<IpAddr>, key: &str) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        if failures.len() >= MAX_WATCHED {
            failures.retain(|_, failed| failed.since.elapsed() < WINDOW);
        }
        if failures.len() >= MAX_WATCHED
            && let Some(oldest) = failures.iter().min_by_key(|(_, failed)| failed.since).map(|(pair, _)| pair.clone())
        {
            failures.remove(&oldest);
        }
        let fresh = || Failures { since: Instant::now(), count: 0 };
        let failed = failures.entry((address, public_part(key).to_owned())).or_insert_with(fresh);
        if failed.since.elapsed() >= WINDOW {
            *failed = fresh();
        }
        failed.count += 1;
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
            assert_eq!(throttle.wait_seconds(here, "rf_live_a_x"), None);
            throttle.note_failure(here, "rf_live_a_wrong");
        }
        assert!(throttle.wait_seconds(here, "rf_live_a_x").is_some_and(|seconds| seconds <= 61));
        assert_eq!(throttle.wait_seconds(here, "rf_live_b_x"), None);
        assert_eq!(throttle.wait_seconds(there, "rf_live_a_x"), None);
    }
}
