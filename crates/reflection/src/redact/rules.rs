//! What is looked for, in this order: what is long and certain first, so that no part of it is taken for something else.

use std::borrow::Cow;

use regex::{Captures, Regex};

use super::checks;

/// One kind of thing that is taken out.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    pub(super) regex: Regex,
    /// Stands in its place. If the pattern has a group called `kept`, that group stays in front of it.
    pub(super) replacement: Cow<'static, str>,
    /// Looks again at what the pattern found.
    pub(super) is_meant: fn(&str) -> bool,
}

impl Rule {
    pub(super) fn apply<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.regex.replace_all(text, |found: &Captures| {
            let whole = found.get(0).map(|whole| whole.as_str()).unwrap_or_default();
            let kept = found.name("kept").map(|kept| kept.as_str()).unwrap_or_default();
            let secret = whole.strip_prefix(kept).unwrap_or(whole);
            if (self.is_meant)(secret) { format!("{kept}{}", self.replacement) } else { whole.to_owned() }
        })
    }
}

/// Pattern, replacement, second look.
type Known = (&'static str, &'static str, fn(&str) -> bool);

const ALWAYS: &[Known] = &[
    (
        r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|\z)",
        "[private key]",
        |_| true,
    ),
    (
        r"(?i)(?P<kept>\bauthorization\\?[\x22']?[^\S\n]*[:=][^\S\n]*\\?[\x22']?)(?:bearer|basic|token|digest)[^\S\n]+[^\s,;\x22'\\]+",
        "[key]",
        |_| true,
    ),
    (r"(?P<kept>\b[Bb]earer[^\S\n]+)[A-Za-z0-9._~+/=-]{16,}", "[key]", |_| true),
    (r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{4,}", "[key]", |_| true),
    (
        r"\b(?:sk|pk|rk|rf)[-_](?:[a-z]{2,10}[-_])*[A-Za-z0-9_-]{16,}|\b(?:gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|hf_|npm_|pypi-|dop_v1_|shpat_|ya29\.|SG\.)[A-Za-z0-9_.-]{16,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[A-Za-z0-9_-]{30,}",
        "[key]",
        |_| true,
    ),
    // A port has no @ after it.
    (r"(?P<kept>\b[a-z][a-z0-9+.-]*://)[^\s/@:]*:[^\s/@]+@", "[secret]@", |_| true),
    (
        r"(?i)(?P<kept>(?:password|passwd|pwd|secret|api[_-]?key|access[_-]?token|auth[_-]?token|client[_-]?secret|private[_-]?key)\\?[\x22']?[^\S\n]?[:=][^\S\n]?\\?[\x22']?)[^\s\x22',;&\[\]{}\\]{4,}",
        "[secret]",
        |_| true,
    ),
    (r"(?i)\b[a-z0-9](?:[a-z0-9._%+-]{0,62}[a-z0-9_%+-])?@(?:[a-z0-9-]{1,63}\.)+[a-z]{2,24}\b", "[email]", |_| true),
    (r"\b\d(?:[ -]?\d){12,18}\b", "[card]", checks::is_card_number),
    (r"\b\d{1,3}(?:\.\d{1,3}){3}\b", "[ip]", checks::is_ip_address),
    (r"(?i)(?:\b|:)[0-9a-f:]{2,39}[0-9a-f]\b", "[ip]", checks::is_ip_address),
    (r"[A-Za-z0-9+/_-]{24,}={0,2}", "[key]", checks::is_random),
];

const PHONE: Known =
    (r"(?:\+\d{1,3}[ ./-]?)?(?:\(\d{2,5}\)|\b\d{2,5})(?:[ ./-]?\d{2,5}){2,4}\b", "[phone]", checks::is_phone);

/// The built-in rules; an error would be a mistake in this file, and names the pattern.
pub(super) fn builtin(phone_numbers: bool) -> Result<Vec<Rule>, (String, String)> {
    let chosen = ALWAYS.iter().chain(phone_numbers.then_some(&PHONE));
    chosen
        .map(|(pattern, replacement, is_meant)| {
            let regex = Regex::new(pattern).map_err(|error| ((*pattern).to_owned(), error.to_string()))?;
            Ok(Rule { regex, replacement: Cow::Borrowed(replacement), is_meant: *is_meant })
        })
        .collect()
}
