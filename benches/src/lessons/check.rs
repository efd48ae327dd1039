//! What an answer must satisfy. Plain text comparison: no model judges here.

use regex::Regex;
use serde::Deserialize;

use super::facts::Facts;

/// One demand as a data file states it, with names of facts in it.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum CheckTemplate {
    Equals(String),
    Starts(String),
    Ends(String),
    Contains(String),
    Lacks(String),
    Matches(String),
    LastNumber(String),
}

/// One demand on the answer to one task.
#[derive(Debug, Clone)]
pub(super) enum Check {
    Equals(String),
    Starts(String),
    Ends(String),
    Contains(String),
    /// In lower case: forbidden words are forbidden in any spelling.
    Lacks(String),
    Matches(Regex),
    LastNumber(String),
}

impl CheckTemplate {
    pub(super) fn fill(&self, facts: &Facts) -> anyhow::Result<Check> {
        Ok(match self {
            Self::Equals(text) => Check::Equals(facts.fill(text)),
            Self::Starts(text) => Check::Starts(facts.fill(text)),
            Self::Ends(text) => Check::Ends(facts.fill(text)),
            Self::Contains(text) => Check::Contains(facts.fill(text)),
            Self::Lacks(text) => Check::Lacks(facts.fill(text).to_lowercase()),
            Self::Matches(pattern) => Check::Matches(Regex::new(&facts.fill_pattern(pattern))?),
            Self::LastNumber(text) => Check::LastNumber(facts.fill(text)),
        })
    }
}

impl Check {
    fn accepts(&self, answer: &str) -> bool {
        match self {
            Self::Equals(text) => answer.trim_end_matches('.') == text.trim_end_matches('.'),
            Self::Starts(text) => answer.starts_with(text.as_str()),
            Self::Ends(text) => answer.trim_end_matches(['.', '!', ' ']).ends_with(text.as_str()),
            Self::Contains(text) => answer.contains(text.as_str()),
            Self::Lacks(text) => !answer.to_lowercase().contains(text.as_str()),
            Self::Matches(pattern) => pattern.is_match(answer),
            Self::LastNumber(number) => last_number(answer).as_deref() == Some(number),
        }
    }
}

/// Whether an answer satisfies every demand.
pub(super) fn passes(checks: &[Check], answer: &str) -> bool {
    let answer = tidy(answer);
    checks.iter().all(|check| check.accepts(&answer))
}

/// The answer on one line, without the fences, quotes and emphasis that models put around what was asked for.
fn tidy(answer: &str) -> String {
    let lines = answer.lines().filter(|line| !line.trim_start().starts_with("```"));
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    words.join(" ").trim_matches(['"', '\'', '`', '*', ' ']).to_owned()
}

/// The last number in a text, without separators of thousands and without cents that are zero.
fn last_number(text: &str) -> Option<String> {
    let number = text.split(|letter: char| !(letter.is_ascii_digit() || matches!(letter, '.' | ',')));
    let number = number.map(|piece| piece.trim_matches(['.', ','])).rfind(|piece| !piece.is_empty())?;
    let whole = number.strip_suffix(".00").or_else(|| number.strip_suffix(",00")).unwrap_or(number);
    Some(whole.replace(',', ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_models_put_around_an_answer_does_not_count() {
        assert_eq!(tidy("```sql\nSELECT 1\n  FROM t;\n```"), "SELECT 1 FROM t;");
        assert_eq!(tidy(" **\"Hello Ada\"** "), "Hello Ada");
        let ends = [Check::Ends("Team Nord".into())];
        assert!(passes(&ends, "`Hello! Team Nord.`") && !passes(&ends, "Team Nord says hello."));
        let equals = [Check::Equals("14h30".into())];
        assert!(passes(&equals, "14h30.") && !passes(&equals, "at 14h30"));
    }

    #[test]
    fn the_last_number_is_what_a_sum_comes_to() {
        assert_eq!(last_number("3 x 10 + 5 = 35.00 euros.").as_deref(), Some("35"));
        assert_eq!(last_number("12,000").as_deref(), Some("12000"));
        assert_eq!(last_number("7.5").as_deref(), Some("7.5"));
        assert_eq!(last_number("none"), None);
    }

    #[test]
    fn forbidden_words_are_forbidden_in_any_spelling() {
        let checks = [Check::Lacks("sorry".into())];
        assert!(passes(&checks, "Update: later.") && !passes(&checks, "SORRY, later."));
    }
}
