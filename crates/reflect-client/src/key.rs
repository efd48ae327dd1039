//! Idempotency keys.

use reflect_system::random_bytes;

/// A new idempotency key, so that a request that is sent twice is done once. None where the operating system gives no random
/// numbers: then the request is not repeated.
pub(crate) fn generate_idempotency_key() -> Option<String> {
    random_bytes().map(|bytes| uuid::Builder::from_random_bytes(bytes).into_uuid().to_string())
}
