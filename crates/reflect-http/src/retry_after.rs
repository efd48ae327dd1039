//! How long a server asks to wait.

use std::time::{Duration, UNIX_EPOCH};

use reflect_core::Timestamp;
use reqwest::header::HeaderMap;

/// What a server can ask for at most, so that a caller may add it to any time.
const LONGEST: Duration = Duration::from_secs(365 * 86_400);

/// Reads `retry-after-ms`, or `Retry-After` in seconds or as a date of HTTP. A date that has passed is no wait at all, more than a
/// year is a year, and what is neither a number nor a date is not there.
pub fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let header = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    if let Some(millis) = header("retry-after-ms").and_then(|text| text.parse::<f64>().ok()) {
        return wait(millis / 1_000.0);
    }
    let text = header("retry-after")?;
    if let Ok(seconds) = text.parse::<f64>() {
        return wait(seconds);
    }
    let date = httpdate::parse_http_date(text).ok()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    let date = Timestamp::from_micros(0).plus(date);
    Some(Duration::from_millis(date.millis_since(now)).min(LONGEST))
}

fn wait(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds).ok().map(|wait| wait.min(LONGEST))
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
        assert_eq!(waits("retry-after", " 7 "), Some(Duration::from_secs(7)));
        assert_eq!(waits("retry-after", "0.5"), Some(Duration::from_millis(500)));
        assert_eq!(waits("retry-after-ms", "1500"), Some(Duration::from_millis(1_500)));
    }

    #[test]
    fn dates_of_http_count_from_now() {
        for date in ["Sun, 15 Nov 2026 09:30:20 GMT", "Sunday, 15-Nov-26 09:30:20 GMT", "Sun Nov 15 09:30:20 2026"] {
            assert_eq!(waits("retry-after", date), Some(Duration::from_secs(20)), "{date}");
        }
        assert_eq!(waits("retry-after", "Sun, 15 Nov 2026 09:29:20 GMT"), Some(Duration::ZERO));
        assert_eq!(waits("retry-after", "Fri, 31 Dec 9999 23:59:59 GMT"), Some(LONGEST));
    }

    #[test]
    fn more_than_a_year_is_a_year() {
        for value in ["31536001", "9000000000000000000"] {
            assert_eq!(waits("retry-after", value), Some(LONGEST), "{value}");
        }
    }

    #[test]
    fn nonsense_is_no_wait() {
        for value in ["", "soon", "-1", "NaN", "inf", "1e300", "2026-11-15T09:30:20Z"] {
            assert_eq!(waits("retry-after", value), None, "{value}");
        }
        assert_eq!(waits("x-other", "7"), None);
    }
}
