//! Taking out what must not leave the machine.
//!
//! Opt-in, and applied to every text before a model is asked. Everything is found by regular expressions that run in
//! linear time and a few checks on what they find, so the same text is always redacted the same way. It is a net and no
//! proof: what looks like ordinary words goes through. To add a rule, add its pattern in `rules` and its example to the test.

mod checks;
mod rules;

use std::{borrow::Cow, sync::Arc};

use regex::Regex;

use rules::Rule;

/// What is taken out besides the usual.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RedactorOptions {
    /// Telephone numbers too. Off by default: order and ticket numbers look the same.
    pub phone_numbers: bool,
    /// What else is taken out, before anything that is built in.
    pub patterns: Vec<RedactionPattern>,
}

/// A regular expression of the operator's own. It runs in linear time, so there are neither look-around nor back-references.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedactionPattern {
    /// What to look for.
    pub regex: String,
    /// Stands in square brackets where it was found: letters, digits, spaces, `-` and `_`. Without one it is `redacted`.
    pub label: Option<String>,
}

impl From<&str> for RedactionPattern {
    /// Without a label.
    fn from(regex: &str) -> Self {
        Self { regex: regex.to_owned(), label: None }
    }
}

/// A pattern of the operator's cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{pattern}` is no regular expression that can be used for redaction: {why}")]
pub struct RedactorError {
    /// The pattern as it was given.
    pub pattern: String,
    /// What is wrong with it.
    pub why: String,
}

/// Takes e-mail addresses, keys, tokens, passwords, card numbers and network addresses out of texts.
#[derive(Debug, Clone)]
pub struct Redactor {
    rules: Arc<[Rule]>,
}

impl Redactor {
    /// With the built-in rules and these options. Fails on a pattern that does not compile or that matches the empty text, and on
    /// a label that would not show as one.
    pub fn new(options: &RedactorOptions) -> Result<Self, RedactorError> {
        let refused = |pattern: &str, why: String| RedactorError { pattern: pattern.to_owned(), why };
        let mut rules = Vec::new();
        for RedactionPattern { regex: pattern, label } in &options.patterns {
            let regex = Regex::new(pattern).map_err(|error| refused(pattern, in_short(&error)))?;
            if regex.is_match("") {
                return Err(refused(pattern, "it matches the empty text; make it match at least one character".into()));
            }
            let label = label.as_deref().unwrap_or("redacted");
            if !is_label(label) {
                return Err(refused(pattern, format!("its label is `{label}`; write letters, digits, `-` and `_`")));
            }
            rules.push(Rule { regex, replacement: Cow::Owned(format!("[{label}]")), is_meant: |_| true });
        }
        rules.extend(rules::builtin(options.phone_numbers).map_err(|(pattern, why)| refused(&pattern, why))?);
        Ok(Self { rules: rules.into() })
    }

    /// The text with what was found replaced by its kind in square brackets.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut redacted = Cow::Borrowed(text);
        for rule in self.rules.iter() {
            if let Cow::Owned(changed) = rule.apply(&redacted) {
                redacted = Cow::Owned(changed);
            }
        }
        redacted
    }
}

fn is_label(text: &str) -> bool {
    let is_plain = |character: char| character.is_alphanumeric() || matches!(character, ' ' | '-' | '_');
    !text.trim().is_empty() && text.chars().all(is_plain)
}

/// What is wrong, without the drawing of where.
fn in_short(error: &regex::Error) -> String {
    let message = error.to_string();
    let last = message.lines().last().unwrap_or_default();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn redactor() -> Redactor {
        let labelled = RedactionPattern { regex: r"\bproject [A-Z]\w+".into(), label: Some("project".into()) };
        Redactor::new(&RedactorOptions { phone_numbers: true, patterns: vec![r"KD-\d{4}".into(), labelled] }).unwrap()
    }

    /// Put together at run time, so that no scanner takes this file for a leak.
    fn token(prefix: &str) -> String {
        format!("{prefix}{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8")
    }

    #[test]
    fn what_must_not_leave_is_taken_out() {
        let cases: Vec<(String, &str)> = vec![
            ("write to ann.lee+x@mail.example.org now".into(), "write to [email] now"),
            (format!("key {} ok", token("sk-proj-")), "key [key] ok"),
            (format!("{}!", token("ghp_")), "[key]!"),
            ("AKIAABCDEFGHIJKLMNOP".into(), "[key]"),
            (format!("Authorization: Bearer {}", token("")), "Authorization: [key]"),
            ("authorization: Basic dXNlcjpwYXNz".into(), "authorization: [key]"),
            ("password=hunter2-long next".into(), "password=[secret] next"),
            (r#"{"api_key": "abc123def"}"#.into(), r#"{"api_key": "[secret]"}"#),
            ("postgres://bob:s3cret@db.local/x".into(), "postgres://[secret]@db.local/x"),
            ("redis://:hunter2pw@cache:6379".into(), "redis://[secret]@cache:6379"),
            (r#"{"Authorization": "Basic dXNlcjpwYXNz"}"#.into(), r#"{"Authorization": "[key]"}"#),
            (r#"{\"password\": \"hunter2pw\"}"#.into(), r#"{\"password\": \"[secret]\"}"#),
            ("card 4111 1111 1111 1111.".into(), "card [card]."),
            ("card 5500-0000-0000-0004".into(), "card [card]"),
            ("from 192.168.10.4:80 and 2001:db8::8a2e:370:7334".into(), "from [ip]:80 and [ip]"),
            ("call +49 30 1234567 or (415) 555-0132".into(), "call [phone] or [phone]"),
            (format!("loose {} string", token("")), "loose [key] string"),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----\nrest".into(),
                "[private key]\nrest",
            ),
            ("-----BEGIN PRIVATE KEY-----\ncut off".into(), "[private key]"),
            ("customer KD-1234".into(), "customer [redacted]"),
            ("it is project Falcon again".into(), "it is [project] again"),
            (format!("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.{}", token("")), "[key]"),
        ];
        let redactor = redactor();
        for (text, expected) in cases {
            assert_eq!(redactor.redact(&text), expected, "{text}");
        }
    }

    #[test]
    fn ordinary_words_stay() {
        let redactor = Redactor::new(&RedactorOptions::default()).unwrap();
        for text in [
            "order 4111 1111 1111 1112 is no card",
            "at 12:30:45 on 2024-05-02 std::fs::read failed with 404",
            "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 in src/builtin/memories.rs",
            "id 550e8400-e29b-41d4-a716-446655440000, version 1.2.3, order 20240502-000017",
            "call 555-0132 about ticket 12345678",
            "the_very_long_function_name_of_a_test_that_checks_2_things",
            "password reset was asked for",
            "curl http://localhost:8080/health and postgres://db:5432/app",
        ] {
            assert_eq!(redactor.redact(text), text);
        }
    }

    #[test]
    fn patterns_that_cannot_be_used_are_refused() {
        for pattern in ["(", "x*"] {
            let options = RedactorOptions { patterns: vec![pattern.into()], ..RedactorOptions::default() };
            assert!(Redactor::new(&options).unwrap_err().to_string().contains(pattern));
        }
        for label in ["", " ", "a]b", "a\nb"] {
            let pattern = RedactionPattern { regex: "x".into(), label: Some(label.into()) };
            let options = RedactorOptions { patterns: vec![pattern], ..RedactorOptions::default() };
            assert!(Redactor::new(&options).unwrap_err().why.contains("label"));
        }
    }

    proptest! {
        #[test]
        fn redacting_twice_changes_nothing_more(text in "[a-z0-9@. :/=-]{0,80}|\\PC{0,60}") {
            // Compiling the patterns is what takes long, so all cases share them.
            static REDACTOR: std::sync::LazyLock<Redactor> =
                std::sync::LazyLock::new(|| Redactor::new(&RedactorOptions::default()).unwrap());
            let redactor = &*REDACTOR;
            let once = redactor.redact(&text).into_owned();
            prop_assert_eq!(redactor.redact(&once).into_owned(), once);
        }
    }
}
