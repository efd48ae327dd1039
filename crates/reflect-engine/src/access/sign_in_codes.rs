//! One-time codes that sign the operator in to the console. They are kept in memory only.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use reflect_core::{Entropy, Timestamp};
use subtle::ConstantTimeEq;

use super::secrets::{hex, secret_hash};

/// How long a code can be used.
const CODE_TIME: Duration = Duration::from_secs(300);

/// How many codes there are at most; the oldest goes first.
const MOST_CODES: usize = 16;

/// The codes that were handed out and not used yet. Only their hashes are kept.
#[derive(Default)]
pub(crate) struct SignInCodes {
    codes: Mutex<Vec<Code>>,
}

struct Code {
    hash: [u8; 32],
    handed_out_at: Timestamp,
}

impl SignInCodes {
    /// A new code.
    pub(super) fn hand_out(&self, entropy: &dyn Entropy, now: Timestamp) -> String {
        let mut bytes = [0_u8; 16];
        entropy.fill(&mut bytes);
        let code = hex(&bytes);
        let mut codes = self.codes.lock().unwrap_or_else(PoisonError::into_inner);
        if codes.len() >= MOST_CODES {
            codes.remove(0);
        }
        codes.push(Code { hash: secret_hash(&code), handed_out_at: now });
        code
    }

    /// Uses a code up; says whether it was good. All are compared to their ends, whichever it is.
    pub(super) fn redeem(&self, code: &str, now: Timestamp) -> bool {
        let hash = secret_hash(code);
        let mut codes = self.codes.lock().unwrap_or_else(PoisonError::into_inner);
        codes.retain(|code| code.handed_out_at.plus(CODE_TIME).is_awaited(now, CODE_TIME));
        let before = codes.len();
        codes.retain(|code| !bool::from(code.hash.ct_eq(&hash)));
        codes.len() < before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Counting(std::sync::atomic::AtomicU8);

    impl Entropy for Counting {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed));
        }
    }

    const NOW: Timestamp = Timestamp::from_micros(1_000_000_000_000);

    #[test]
    fn a_code_is_good_once_and_for_five_minutes() {
        let (codes, entropy) = (SignInCodes::default(), Counting(0.into()));
        let (first, second) = (codes.hand_out(&entropy, NOW), codes.hand_out(&entropy, NOW));
        assert!(!codes.redeem("", NOW) && !codes.redeem(&first[1..], NOW));
        assert!(codes.redeem(&first, NOW.plus_millis(299_999)));
        assert!(!codes.redeem(&first, NOW.plus_millis(299_999)));
        assert!(!codes.redeem(&second, NOW.plus_millis(300_000)));
    }

    #[test]
    fn the_oldest_of_too_many_codes_goes() {
        let (codes, entropy) = (SignInCodes::default(), Counting(0.into()));
        let all: Vec<String> = (0..=MOST_CODES).map(|_| codes.hand_out(&entropy, NOW)).collect();
        assert!(!codes.redeem(&all[0], NOW));
        assert!(all[1..].iter().all(|code| codes.redeem(code, NOW)));
    }
}
