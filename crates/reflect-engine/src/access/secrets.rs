//! Keys as text, and how their secrets are made and checked.
//!
//! A key reads `rf_live_<public>_<secret>`. The public part finds it; of the secret only the SHA-256 is stored. That a
//! plain hash is enough is because secrets are 256 random bits: there is no dictionary to try.
//!
//! A secret is derived from the master key and a random nonce. The nonce is thrown away, except when the request carried
//! an `Idempotency-Key`: then it is kept with that key for a day, so that the very same answer can be given again without
//! any secret being stored.

use reflect_core::{Entropy, Environment, KeyId};
use reflect_store::IdempotencyKey;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// The key that opens every project. Prints as `****`.
#[derive(Clone)]
pub struct MasterKey {
    hash: [u8; 32],
}

impl std::fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("****")
    }
}

impl MasterKey {
    /// The key with this text.
    pub fn new(text: &str) -> Self {
        Self { hash: sha256(&[text.as_bytes()]) }
    }

    /// The text of a new key.
    pub fn generate(entropy: &dyn Entropy) -> String {
        let secret = random_secret(entropy);
        // A public part of its own, so that guesses at other keys never count against this one.
        KeyText::write(Environment::Live, &random_public_id(entropy), &secret)
    }

    pub(crate) fn matches(&self, text: &str) -> bool {
        self.hash.ct_eq(&sha256(&[text.as_bytes()])).into()
    }

    /// What is kept of a session's secret. The master key is part of it: whoever changes the master key ends all sessions.
    pub(crate) fn session_hash(&self, secret: &str) -> [u8; 32] {
        sha256(&[b"reflect session secret", &self.hash, secret.as_bytes()])
    }

    /// Whether a session's secret has this hash, in a time that does not depend on where they differ.
    pub(crate) fn is_session_secret(&self, secret: &str, hash: &[u8]) -> bool {
        self.session_hash(secret).as_slice().ct_eq(hash).into()
    }

    /// The secret that belongs to a nonce.
    pub(crate) fn derive_secret(&self, nonce: &[u8; 16]) -> String {
        hex(&sha256(&[b"reflect api key secret", &self.hash, nonce]))
    }
}

/// What public parts of sessions begin with. Those of keys are hexadecimal.
pub(crate) const SESSION_MARK: char = 's';

/// A key's text in its parts.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct KeyText<'a> {
    pub(crate) public_id: &'a str,
    pub(crate) secret: &'a str,
}

impl<'a> KeyText<'a> {
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let rest = text.strip_prefix("rf_live_").or_else(|| text.strip_prefix("rf_test_"))?;
        let (public_id, secret) = rest.split_once('_')?;
        (!public_id.is_empty() && !secret.is_empty()).then_some(Self { public_id, secret })
    }

    pub(crate) fn write(environment: Environment, public_id: &str, secret: &str) -> String {
        format!("rf_{environment}_{public_id}_{secret}")
    }
}

/// The part that names a key, if the text reads as one. It may be a stranger's, so it is cut.
pub(crate) fn public_part(text: &str) -> Option<&str> {
    let public_id = KeyText::parse(text)?.public_id;
    Some(public_id.char_indices().nth(64).map_or(public_id, |(end, _)| public_id.get(..end).unwrap_or_default()))
}

pub(crate) fn secret_hash(secret: &str) -> [u8; 32] {
    sha256(&[secret.as_bytes()])
}

/// Whether `secret` has this hash, in a time that does not depend on where they differ.
pub(crate) fn secret_matches(secret: &str, hash: &[u8]) -> bool {
    secret_hash(secret).as_slice().ct_eq(hash).into()
}

/// Whether two texts are equal, in a time that depends on their lengths only.
pub(crate) fn same_text(left: &str, right: &str) -> bool {
    sha256(&[left.as_bytes()]).ct_eq(&sha256(&[right.as_bytes()])).into()
}

/// The request as this caller's own: whoever repeats another's request for a key has made a different one, and is not shown its secret.
pub(crate) fn asked_by(caller: KeyId, key: IdempotencyKey) -> IdempotencyKey {
    let fingerprint = sha256(&[&key.fingerprint, caller.to_string().as_bytes()]);
    IdempotencyKey { fingerprint, ..key }
}

pub(crate) fn random_secret(entropy: &dyn Entropy) -> String {
    let mut bytes = [0_u8; 32];
    entropy.fill(&mut bytes);
    hex(&bytes)
}

pub(crate) fn random_public_id(entropy: &dyn Entropy) -> String {
    let mut bytes = [0_u8; 8];
    entropy.fill(&mut bytes);
    hex(&bytes)
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    parts.iter().for_each(|part| hasher.update(part));
    hasher.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_texts_have_a_public_and_a_secret_part() {
        let text = KeyText::write(Environment::Test, "ab12", "s3cret");
        assert_eq!(text, "rf_test_ab12_s3cret");
        assert_eq!(KeyText::parse(&text), Some(KeyText { public_id: "ab12", secret: "s3cret" }));
        for bad in ["", "rf_live_", "rf_live_x", "rf_live_x_", "rf_live__s", "sk-123", "rf_other_a_b"] {
            assert_eq!(KeyText::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn secrets_follow_from_master_key_and_nonce() {
        let key = MasterKey::new("one");
        assert_eq!(key.derive_secret(&[7; 16]), key.derive_secret(&[7; 16]));
        assert_ne!(key.derive_secret(&[7; 16]), key.derive_secret(&[8; 16]));
        assert_ne!(key.derive_secret(&[7; 16]), MasterKey::new("two").derive_secret(&[7; 16]));
        assert!(secret_matches("abc", &secret_hash("abc")));
        assert!(!secret_matches("abd", &secret_hash("abc")));
        assert_eq!(format!("{key:?}"), "****");
    }
}
