//! Whole numbers, however they are spelled.
//!
//! To JSON, and to the API's description, `78.0` is an integer. Some languages write it so.

use serde::{Deserialize, Deserializer, de::Error};

/// The largest count that is read: the largest whole number that every language's numbers hold exactly.
const LARGEST_COUNT: f64 = 9_007_199_254_740_991.0;

/// For a field that is a whole number, null or absent.
pub(crate) fn maybe_whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    let number = up_to(f64::from(u32::MAX), deserializer)?;
    Ok(number.and_then(|number| u32::try_from(number).ok()))
}

/// For a field that counts something that may be large, null or absent.
pub(crate) fn maybe_count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    up_to(LARGEST_COUNT, deserializer)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range was looked at before")]
fn up_to<'de, D: Deserializer<'de>>(largest: f64, deserializer: D) -> Result<Option<u64>, D::Error> {
    let number: Option<f64> = Option::deserialize(deserializer)?;
    match number {
        Some(number) if number.fract() == 0.0 && (0.0..=largest).contains(&number) => Ok(Some(number as u64)),
        Some(number) => Err(Error::custom(format!("it is {number}, it must be a whole number from 0 to {largest}"))),
        None => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use crate::CreateSkillRequest;

    #[test]
    fn a_whole_number_may_be_written_with_a_point() {
        let read = |json: &str| serde_json::from_str::<CreateSkillRequest>(json).map(|request| request.n_passed);
        for (json, expected) in [
            (r#"{"n_passed": 7}"#, Some(7)),
            (r#"{"n_passed": 7.0}"#, Some(7)),
            (r#"{"n_passed": 7e1}"#, Some(70)),
            (r#"{"n_passed": null}"#, None),
            ("{}", None),
        ] {
            assert_eq!(read(json).unwrap(), expected, "{json}");
        }
        for json in [r#"{"n_passed": 7.5}"#, r#"{"n_passed": -1}"#, r#"{"n_passed": "7"}"#, r#"{"n_passed": 1e10}"#] {
            assert!(read(json).is_err(), "{json}");
        }
    }
}
