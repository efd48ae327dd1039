//! The one shape of an error.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// An error answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ErrorAnswer {
    /// What happened.
    pub error: ErrorBody,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ErrorBody {
    /// A stable name for the cause, for programs.
    #[schema(value_type = String, example = "not_found")]
    pub code: ErrorCode,
    /// What was wrong and what to do about it, for people.
    pub message: String,
    /// Names this request in the server's log.
    pub request_id: String,
    /// The field that is wrong, where it is a field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// Declares the codes with their names and their statuses in one list.
macro_rules! error_codes {
    ($($(#[$meta:meta])* $variant:ident = $name:literal, $status:literal;)+) => {
        /// A stable name for a cause, which knows its HTTP status.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum ErrorCode { $($(#[$meta])* #[serde(rename = $name)] $variant),+ }

        impl ErrorCode {
            /// Every code.
            pub const ALL: &'static [ErrorCode] = &[$(ErrorCode::$variant),+];

            /// Its name on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(ErrorCode::$variant => $name),+ }
            }

            /// Its HTTP status.
            pub const fn status(self) -> u16 {
                match self { $(ErrorCode::$variant => $status),+ }
            }
        }
    };
}

error_codes! {
    /// The body is no JSON, or its bytes are no text.
    InvalidJson = "invalid_json", 400;
    /// The request cannot be read as HTTP says it should be: a broken path, a broken query.
    BadRequest = "bad_request", 400;
    /// No key, or none that is known.
    Unauthorized = "unauthorized", 401;
    /// The key may not do this.
    Forbidden = "forbidden", 403;
    /// There is no such thing.
    NotFound = "not_found", 404;
    /// The path exists, with other methods.
    MethodNotAllowed = "method_not_allowed", 405;
    /// The trace has another review.
    AlreadyReviewed = "already_reviewed", 409;
    /// The trace's review is still being processed.
    ReviewInProgress = "review_in_progress", 409;
    /// Only a failed trace can be retried.
    NotFailed = "not_failed", 409;
    /// The project's name is taken.
    ProjectExists = "project_exists", 409;
    /// The first answer to this request held a secret that can no longer be shown.
    SecretGone = "secret_gone", 409;
    /// The project has too few reviewed memories for a skill.
    TooFewMemories = "too_few_memories", 409;
    /// The body is larger than allowed.
    PayloadTooLarge = "payload_too_large", 413;
    /// The body is not said to be JSON.
    UnsupportedMediaType = "unsupported_media_type", 415;
    /// A field is wrong; `path` says which.
    InvalidRequest = "invalid_request", 422;
    /// The same `Idempotency-Key` came with another request.
    IdempotencyKeyReused = "idempotency_key_reused", 422;
    /// A search had to look at more than it has time for; narrow it.
    SearchTooBroad = "search_too_broad", 422;
    /// Too many failed attempts to authenticate.
    TooManyFailures = "too_many_failures", 429;
    /// The key has asked more often than it may; `Retry-After` says when to come back.
    RateLimited = "rate_limited", 429;
    /// The project has stored as much today as it may; `Retry-After` says when to come back.
    QuotaExceeded = "quota_exceeded", 429;
    /// A bug: the log has more, under the request's id.
    Internal = "internal", 500;
    /// Lessons are being written too far behind; `Retry-After` says when to come back.
    Backlogged = "backlogged", 503;
    /// The store or a part behind it cannot serve right now.
    Unavailable = "unavailable", 503;
    /// The disk is full; reads go on.
    DiskFull = "disk_full", 507;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_same_in_json_and_in_code() {
        for code in ErrorCode::ALL {
            assert_eq!(serde_json::to_value(code).unwrap(), code.as_str());
            assert!((400..600).contains(&code.status()));
        }
    }
}
