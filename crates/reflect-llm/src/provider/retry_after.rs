//! How long a provider asks to wait.

use std::time::Duration;

use reflect_core::Timestamp;
use reqwest::header::HeaderMap;

/// Reads `retry-after-ms`, or `Retry-After` in seconds or as a date of HTTP. A date that has passed is no wait at all.
pub(super) fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let header = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    if let Some(millis) = header("retry-after-ms").and_then(|text| text.parse::<f64>().ok()) {
        return Duration::try_from_secs_f64(millis / 1_000.0).ok();
    }
    let text = header("retry-after")?;
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = jiff::fmt::rfc2822::parse(text).ok()?.timestamp();
    Some(Duration::from_millis(Timestamp::from_micros(date.as_microsecond()).millis_since(now)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(name: &'static str, value: &'static str) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        headers.insert(name, value.parse().unwrap());
        retry_after(&headers, "2026-11-15T09:30:00Z".parse().unwrap())
    }

    #[test]
    fn a_wait_is_read_in_every_spelling() {
        assert_eq!(waits("retry-after", "7"), Some(Duration::from_secs(7)));
        assert_eq!(waits("retry-after", "0.5"), Some(Duration::from_millis(500)));
        assert_eq!(waits("retry-after-ms", "1500"), Some(Duration::from_millis(1_500)));
        assert_eq!(waits("retry-after", "Sun, 15 Nov 2026 09:30:20 GMT"), Some(Duration::from_secs(20)));
        assert_eq!(waits("retry-after", "Sun, 15 Nov 2026 09:29:20 GMT"), Some(Duration::ZERO));
    }

    #[test]
    fn nonsense_is_no_wait() {
        for value in ["soon", "-1", "NaN", "inf", "1e300"] {
            assert_eq!(waits("retry-after", value), None, "{value}");
        }
        assert_eq!(waits("x-other", "7"), None);
    }
}
