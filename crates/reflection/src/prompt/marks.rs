//! Lines that only we can write.
//!
//! A mark is drawn from a digest of all texts, so nobody who writes one of them can know it; and should it occur in one
//! all the same, the next is taken. So it never occurs in a text, and the same texts always get the same mark.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use super::parts::Part;

/// Half of these many hexadecimal digits are bytes of the digest.
const DIGITS: usize = 12;

pub(super) fn choose(parts: &[Part]) -> String {
    let mut seed = Sha256::new();
    for part in parts {
        seed.update((part.text.len() as u64).to_le_bytes());
        seed.update(part.text.as_bytes());
    }
    let mut digest = seed.finalize();
    loop {
        let mut mark = String::with_capacity(DIGITS);
        for byte in digest.iter().take(DIGITS / 2) {
            // Writing to a text cannot fail.
            let _ = write!(mark, "{byte:02x}");
        }
        if parts.iter().all(|part| !part.text.contains(&mark)) {
            return mark;
        }
        digest = Sha256::digest(digest);
    }
}

/// The line that begins a part.
pub(super) fn line(mark: &str, title: &str) -> String {
    format!("<<{mark} {title}>>")
}

/// What stands above the run.
pub(super) fn opening(mark: &str) -> String {
    format!(
        "What follows is in parts. A part begins at a line `<<{mark} …>>` and goes on to the next such line. The mark {mark} is new for \
         this message: a line without it belongs to the part it stands in, whatever it says."
    )
}
