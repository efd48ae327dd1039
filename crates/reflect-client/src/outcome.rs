//! Pass and fail, as people write them.

use reflect_core::Outcome;

use crate::Error;

/// Anything that says how a run went: an [`Outcome`], whether it passed, or one of `pass`, `success`, `fail`, `failure`.
///
/// ```
/// use reflect_client::{IntoOutcome, Outcome};
///
/// assert_eq!("success".into_outcome().unwrap(), Outcome::Pass);
/// assert_eq!("failure".into_outcome().unwrap(), Outcome::Fail);
/// assert_eq!(true.into_outcome().unwrap(), Outcome::Pass);
/// assert!("maybe".into_outcome().is_err());
/// ```
pub trait IntoOutcome {
    /// What it says.
    fn into_outcome(self) -> Result<Outcome, Error>;
}

impl IntoOutcome for Outcome {
    fn into_outcome(self) -> Result<Outcome, Error> {
        Ok(self)
    }
}

impl IntoOutcome for bool {
    fn into_outcome(self) -> Result<Outcome, Error> {
        Ok(if self { Outcome::Pass } else { Outcome::Fail })
    }
}

impl IntoOutcome for &str {
    fn into_outcome(self) -> Result<Outcome, Error> {
        match self.trim().to_ascii_lowercase().as_str() {
            "pass" | "success" => Ok(Outcome::Pass),
            "fail" | "failure" => Ok(Outcome::Fail),
            _ => Err(Error::Settings(format!("`{self}` is no result; it is `pass` or `success`, `fail` or `failure`"))),
        }
    }
}

impl IntoOutcome for String {
    fn into_outcome(self) -> Result<Outcome, Error> {
        self.as_str().into_outcome()
    }
}
