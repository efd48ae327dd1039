//! A text that must not be seen.

use std::fmt;

/// A key or a password. It prints as `****`, so that no log line, error or snapshot can carry it by accident.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Secret(String);

impl Secret {
    /// Hides `text`.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself, for the code that sends it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// `text` with every occurrence of this secret replaced: providers repeat keys in their error messages.
    pub fn strike_from(&self, text: &str) -> String {
        if self.0.is_empty() { text.to_owned() } else { text.replace(&self.0, "****") }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("****")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_prints_as_stars() {
        let secret = Secret::new("sk-very-private");
        assert_eq!(format!("{secret:?} {:?}", Some(&secret)), "**** Some(****)");
    }

    #[test]
    fn a_secret_is_struck_from_the_words_of_others() {
        let secret = Secret::new("sk-1");
        assert_eq!(secret.strike_from("bad key sk-1, really sk-1"), "bad key ****, really ****");
        assert_eq!(Secret::default().strike_from("as it was"), "as it was");
    }
}
