//! Short answers that refuse in words or by an HTTP status.

/// What a short answer may say when it is a refusal. In a long text the same words may be about anything.
pub(super) fn is_refusal(line: &str) -> bool {
    const OPENINGS: [&str; 8] = [
        "failed to ",
        "unable to ",
        "could not ",
        "couldn't ",
        "cannot ",
        "invalid ",
        "access denied",
        "request failed",
    ];
    const PHRASES: [&str; 11] = [
        "not found",
        "nicht gefunden",
        "timed out",
        "does not exist",
        "no such ",
        "permission denied",
        "connection refused",
        "rate limit exceeded",
        "too many requests",
        "internal server error",
        "service unavailable",
    ];
    let small = line.to_lowercase();
    let whole = small.trim_end_matches(['.', '!']);
    OPENINGS.iter().any(|sign| small.starts_with(sign))
        || PHRASES.iter().any(|phrase| stands_unqualified(&small, phrase))
        || matches!(whole, "forbidden" | "unauthorized" | "timeout" | "bad request" | "failed" | "error")
        || http_status(&small).is_some()
}

/// Whether the phrase is said, and neither counted as nought nor denied.
fn stands_unqualified(small: &str, phrase: &str) -> bool {
    let Some((before, after)) = small.split_once(phrase) else {
        return false;
    };
    let word_before = before.trim_end().rsplit(' ').next().unwrap_or_default();
    let is_denied = matches!(word_before, "0" | "no" | "none" | "never" | "without" | "if" | "when");
    !is_denied && !after.trim_start_matches([' ', ':', '=']).starts_with('0')
}

/// A status of HTTP from 400 on, where the text says that it is one.
fn http_status(small: &str) -> Option<u16> {
    const SIGNS: [&str; 7] = ["http/1.1 ", "http/2 ", "http error ", "http status ", "http ", "status code", "status"];
    const REASONS: [&str; 9] = [
        "not found",
        "bad request",
        "unauthorized",
        "forbidden",
        "too many",
        "internal",
        "bad gateway",
        "service",
        "client error",
    ];
    let status_at = |text: &str| -> Option<u16> {
        let digits = text.trim_start_matches([':', '=', ' ', '"', '(']);
        let status = digits.get(..3)?.parse().ok()?;
        let goes_on = digits.get(3..)?.starts_with(|next: char| next.is_ascii_alphanumeric());
        (!goes_on && (400..600).contains(&status)).then_some(status)
    };
    let after_sign = SIGNS.iter().find_map(|sign| status_at(small.split_once(sign)?.1));
    after_sign.or_else(|| {
        let status = status_at(small)?;
        let reason = small.get(3..)?.trim_start_matches([' ', ':', '-']);
        REASONS.iter().any(|sign| reason.starts_with(sign)).then_some(status)
    })
}

/// Whether the error is of the kind that may pass by itself.
pub(in super::super) fn is_passing(error: &str) -> bool {
    const SIGNS: [&str; 12] = [
        "timed out",
        "timeout",
        "temporar",
        "try again",
        "rate limit",
        "too many requests",
        "unavailable",
        "connection reset",
        "connection refused",
        "bad gateway",
        "overloaded",
        "zeitüberschreitung",
    ];
    let small = error.to_lowercase();
    SIGNS.iter().any(|sign| small.contains(sign))
        || http_status(&small).is_some_and(|status| matches!(status, 408 | 429 | 502..=504))
}
