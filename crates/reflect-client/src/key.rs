//! Secrets, and names for requests.

use std::fmt;

/// A key that prints as `****`.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct ApiKeyText(pub(crate) String);

impl fmt::Debug for ApiKeyText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("****")
    }
}

/// A new name for a request, so that sending it twice does it once. None where the operating system gives no random numbers:
/// then the request is not repeated.
#[expect(clippy::disallowed_methods, reason = "the one place of the SDK where randomness enters")]
pub(crate) fn draw_idempotency_key() -> Option<String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).ok()?;
    Some(uuid::Builder::from_random_bytes(bytes).into_uuid().to_string())
}
