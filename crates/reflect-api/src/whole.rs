//! Whole numbers, however they are spelled.
//!
//! To JSON, and to the API's description, `78.0` is an integer. Some languages write it so.

use serde::{Deserialize, Deserializer, de::Error};

/// For a field that is a whole number, null or absent.
pub(crate) fn maybe_whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    let number: Option<f64> = Option::deserialize(deserializer)?;
    number
        .map(|number| {
            whole(number).ok_or_else(|| Error::custom(format!("it is {number}, it must be a whole number, 0 or more")))
        })
        .transpose()
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range was looked at before")]
fn whole(number: f64) -> Option<u32> {
    let fits = number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number);
    fits.then_some(number as u32)
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
