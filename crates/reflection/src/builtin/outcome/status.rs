//! Short answers that refuse in words, and lines that are a status of HTTP.

/// What a short answer opens with when it is a refusal.
pub(super) fn is_refusal(line: &str) -> bool {
    const OPENINGS: [&str; 9] = [
        "failed to ",
        "unable to ",
        "could not ",
        "couldn't ",
        "cannot ",
        "access denied",
        "permission denied",
        "request failed",
        "request timed out",
    ];
    let small = line.to_lowercase();
    let whole = small.trim_end_matches(['.', '!']);
    OPENINGS.iter().any(|sign| small.starts_with(sign)) || matches!(whole, "forbidden" | "unauthorized" | "bad request")
}

/// Whether the line is a status of HTTP from 400 on: `HTTP/1.1 404 Not Found`, `status: 500`, `429 Too Many Requests`.
pub(super) fn is_error_line(line: &str) -> bool {
    line.len() <= 120 && error_status(&line.to_lowercase()).is_some()
}

/// Whether the line is a status of HTTP that says that all went well: `HTTP/1.1 201 Created`.
pub(super) fn is_success_line(line: &str) -> bool {
    let status = line.strip_prefix("HTTP/").and_then(|rest| rest.split(' ').nth(1));
    status.is_some_and(|status| status.len() == 3 && status.starts_with('2') && status.parse::<u16>().is_ok())
}

fn error_status(small: &str) -> Option<u16> {
    const SIGNS: [&str; 6] =
        ["http error ", "http status ", "http ", "status code", "status", "request failed with status code"];
    const REASONS: [&str; 14] = [
        "not found",
        "bad request",
        "unauthorized",
        "forbidden",
        "too many",
        "internal",
        "bad gateway",
        "service",
        "client error",
        "gateway",
        "conflict",
        "gone",
        "method not",
        "unprocessable",
    ];
    if let Some(status) =
        ["http/1.1 ", "http/1.0 ", "http/2 "].iter().find_map(|sign| status_at(small.strip_prefix(sign)?))
    {
        return Some(status);
    }
    let after_sign = SIGNS.iter().find_map(|sign| small.strip_prefix(sign));
    let text = after_sign.unwrap_or(small).trim_start_matches([':', '=', ' ', '"', '(']);
    let status = status_at(text)?;
    let reason = text.get(3..)?.trim_start_matches([' ', ':', '-', ')', '"', '.']);
    let is_reason = REASONS.iter().any(|sign| reason.starts_with(sign));
    (is_reason || (reason.is_empty() && after_sign.is_some())).then_some(status)
}

/// The status from 400 on that a text begins with.
fn status_at(text: &str) -> Option<u16> {
    let digits = text.trim_start_matches([':', '=', ' ', '"', '(']);
    let status = digits.get(..3)?.parse().ok()?;
    let goes_on = digits.get(3..)?.starts_with(|next: char| next.is_ascii_alphanumeric());
    (!goes_on && (400..600).contains(&status)).then_some(status)
}
