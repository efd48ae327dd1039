//! The machine's clock and its random numbers: the only crate that reads either.
//!
//! The core knows time and randomness as traits and promises to touch neither; the engine, the models and the reflectors are handed
//! theirs. What hands them out (the binary, the SDK, `reflexion`) takes them from here, and so needs no engine for a clock.

use reflect_core::{Clock, Entropy, Timestamp};

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one place where wall-clock time enters")]
    fn now(&self) -> Timestamp {
        let since_epoch = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_micros(0).plus(since_epoch)
    }
}

/// The operating system's random numbers. Without any, the process ends: a key made of known bytes would be worse than no server
/// at all.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    fn fill(&self, bytes: &mut [u8]) {
        if !fill(bytes) {
            tracing::error!("the operating system gives no random numbers");
            std::process::abort();
        }
    }
}

/// Random bytes, for those who can do without; `None` where the operating system gives none.
pub fn random_bytes<const LENGTH: usize>() -> Option<[u8; LENGTH]> {
    let mut bytes = [0; LENGTH];
    fill(&mut bytes).then_some(bytes)
}

#[expect(clippy::disallowed_methods, reason = "this is the one place where randomness enters")]
fn fill(bytes: &mut [u8]) -> bool {
    getrandom::fill(bytes).is_ok()
}
