//! What the operator wants removed from texts before they leave the machine.

use std::sync::Arc;

use anyhow::bail;
use reflection::{RedactionPattern, Redactor, RedactorOptions};

use crate::given::Given;

const PATTERNS: &str = "llm_redact_patterns";

/// The redactor that the settings ask for; `None` while redaction is off.
pub(crate) fn check(given: &Given<'_>) -> anyhow::Result<Option<Arc<Redactor>>> {
    let is_on = |name: &str| anyhow::Ok(given.one_of(name, &["off", "on"])? == "on");
    let options = RedactorOptions {
        phone_numbers: is_on("llm_redact_phones")?,
        patterns: given.maybe(PATTERNS).unwrap_or_default().split_whitespace().map(pattern).collect(),
    };
    if !is_on("llm_redact")? {
        // Whoever wrote a pattern believes that it works.
        for (name, is_set) in [(PATTERNS, !options.patterns.is_empty()), ("llm_redact_phones", options.phone_numbers)] {
            if is_set {
                bail!("`{name}` is set, and `llm_redact` is `off`: turn it on as well, or nothing is removed");
            }
        }
        return Ok(None);
    }
    match Redactor::new(&options) {
        Ok(redactor) => Ok(Some(Arc::new(redactor))),
        Err(error) => {
            let allowed = format!("patterns that can be used: {}", error.why);
            Err(given.wrong(PATTERNS, &error.pattern, &allowed))
        }
    }
}

/// `PATTERN`, or `PATTERN=>LABEL`.
fn pattern(text: &str) -> RedactionPattern {
    match text.rsplit_once("=>") {
        Some((regex, label)) => RedactionPattern { regex: regex.to_owned(), label: Some(label.to_owned()) },
        None => RedactionPattern { regex: text.to_owned(), label: None },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gather::gather;

    fn check(variables: &[(&str, &str)]) -> anyhow::Result<Option<Arc<Redactor>>> {
        let look_up = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        let raw = gather(|_| None, look_up, None)?;
        super::check(&Given(&raw))
    }

    const ON: (&str, &str) = ("REFLECT_LLM_REDACT", "on");
    const TEXT: &str = "KD-17 of falcon, ann@example.org, +49 30 1234567";

    #[test]
    fn what_is_struck_is_what_was_asked_for() {
        assert!(check(&[]).unwrap().is_none());
        let redacted = |variables: &[(&str, &str)]| check(variables).unwrap().unwrap().redact(TEXT).into_owned();
        assert_eq!(redacted(&[ON]), "KD-17 of falcon, [email], +49 30 1234567");
        assert_eq!(redacted(&[ON, ("REFLECT_LLM_REDACT_PHONES", "on")]), "KD-17 of falcon, [email], [phone]");
        let patterns = ("REFLECT_LLM_REDACT_PATTERNS", r"KD-\d{1,9}=>customer (?i)FALCON");
        assert_eq!(redacted(&[ON, patterns]), "[customer] of [redacted], [email], +49 30 1234567");
    }

    #[test]
    fn a_pattern_that_cannot_be_used_is_refused_at_the_start() {
        let refused = |patterns| check(&[ON, ("REFLECT_LLM_REDACT_PATTERNS", patterns)]).unwrap_err().to_string();
        assert_eq!(
            refused(r"KD-\d+ (falcon"),
            "`llm_redact_patterns` is `(falcon` (from REFLECT_LLM_REDACT_PATTERNS), it must be patterns that can be used: unclosed group"
        );
        assert!(refused(r"x*").contains("matches the empty text"));
        assert!(refused(r"KD-\d+=>").contains("label"), "{}", refused(r"KD-\d+=>"));
    }

    #[test]
    fn what_would_have_no_effect_is_refused() {
        let refused = check(&[("REFLECT_LLM_REDACT_PATTERNS", "falcon")]).unwrap_err().to_string();
        assert!(refused.contains("`llm_redact` is `off`"), "{refused}");
        let refused = check(&[("REFLECT_LLM_REDACT_PHONES", "on")]).unwrap_err().to_string();
        assert!(refused.contains("`llm_redact_phones` is set"), "{refused}");
    }
}
