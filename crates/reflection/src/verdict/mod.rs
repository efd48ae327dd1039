//! Reading a judge's verdict, without guessing.
//!
//! Looked at in this order: a JSON object with a verdict in it; lines that name the verdict (`Verdict: pass`, or the word
//! alone); whole sentences that say it. The first that says anything decides. Whatever contradicts itself, hedges, quotes
//! or says nothing is [`Verdict::Unknown`]: a pass that was not meant teaches the wrong lesson and is never noticed, while
//! an unknown costs a second look. To teach the parser a new way of speaking, put the reply with its label into
//! `tests/corpus/verdicts.jsonl` first.

mod json;
mod lines;
mod prose;
mod words;

use reflect_core::Outcome;

use crate::plain;

/// What a judge made of a run. As JSON it is `"pass"`, `"fail"` or `{"unknown": "why"}`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The task was done.
    Pass,
    /// It was not.
    Fail,
    /// It cannot be told, and why.
    Unknown(String),
}

impl Verdict {
    /// Pass or fail, where it is known.
    pub fn outcome(&self) -> Option<Outcome> {
        match self {
            Self::Pass => Some(Outcome::Pass),
            Self::Fail => Some(Outcome::Fail),
            Self::Unknown(_) => None,
        }
    }

    /// `pass`, `fail` or `unknown`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Unknown(_) => "unknown",
        }
    }

    fn unknown(why: &str) -> Self {
        Self::Unknown(why.to_owned())
    }
}

/// Where a verdict was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerdictSource {
    /// In a JSON object.
    Json,
    /// On a line of its own.
    Line,
    /// In a sentence.
    Sentence,
    /// Nowhere.
    Nowhere,
}

/// A verdict and what stood around it.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadVerdict {
    /// The verdict.
    pub verdict: Verdict,
    /// How sure the judge is, in [0, 1], if it says so.
    pub confidence: Option<f64>,
    /// Its reasons: from the JSON, else the reply itself, shortened.
    pub explanation: String,
    /// Where the verdict was found.
    pub source: VerdictSource,
}

/// The most characters of an explanation that are kept.
const EXPLANATION_LIMIT: usize = 1_000;

/// A judge that is less sure than this of a pass does not know.
const LEAST_CONFIDENCE: f64 = 0.5;

/// Reads a reply. Linear in its length; anything is read, nothing is an error.
pub fn parse_verdict(reply: &str) -> ReadVerdict {
    let read = read(reply);
    match (&read.verdict, read.confidence) {
        (Verdict::Pass, Some(confidence)) if confidence < LEAST_CONFIDENCE => {
            ReadVerdict { verdict: Verdict::unknown("the judge is hardly sure of the pass"), ..read }
        }
        _ => read,
    }
}

fn read(reply: &str) -> ReadVerdict {
    let spoken = reflect_llm::without_thinking(reply);
    let spoken = spoken.trim();
    if spoken.is_empty() || plain::is_web_page(spoken) {
        let why = if spoken.is_empty() { "the reply is empty" } else { "the reply is a web page" };
        return nowhere(Verdict::unknown(why), spoken);
    }
    let explicit = lines::read(spoken);
    if let Some(found) = json::read(spoken) {
        let verdict = match explicit {
            Some(line) if line.outcome().is_some() && found.verdict.outcome().is_some() && line != found.verdict => {
                Verdict::unknown("the JSON says one thing and the text another")
            }
            _ => found.verdict,
        };
        return ReadVerdict { verdict, ..found };
    }
    let confidence = lines::confidence(spoken);
    let explanation = plain::shortened(spoken, EXPLANATION_LIMIT);
    if let Some(verdict) = explicit {
        let verdict = match verdict {
            Verdict::Pass if is_conditional(spoken) => Verdict::unknown("the pass depends on something"),
            verdict => verdict,
        };
        return ReadVerdict { verdict, confidence, explanation, source: VerdictSource::Line };
    }
    match prose::read(spoken) {
        Some(verdict) => ReadVerdict { verdict, confidence, explanation, source: VerdictSource::Sentence },
        None => nowhere(Verdict::unknown("the reply says neither pass nor fail"), spoken),
    }
}

/// Whether a line begins with a condition, or anything is assumed.
fn is_conditional(spoken: &str) -> bool {
    let begins = |word: &str| matches!(word, "if" | "unless" | "otherwise" | "provided");
    spoken.to_lowercase().lines().any(|line| {
        words::words(line).next().is_some_and(begins)
            || words::words(line).any(|word| matches!(word, "assuming" | "supposing"))
    })
}

fn nowhere(verdict: Verdict, spoken: &str) -> ReadVerdict {
    ReadVerdict {
        verdict,
        confidence: None,
        explanation: plain::shortened(spoken, EXPLANATION_LIMIT),
        source: VerdictSource::Nowhere,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confidence_and_reasons_come_with_the_verdict() {
        let read = parse_verdict(r#"{"verdict": "fail", "confidence": "80%", "explanation": "wrong order"}"#);
        assert_eq!(
            (read.verdict.as_str(), read.confidence, read.explanation.as_str()),
            ("fail", Some(0.8), "wrong order")
        );
        assert_eq!(read.source, VerdictSource::Json);
        let read = parse_verdict("Verdict: pass\nConfidence: 0.7\nThe total was checked.");
        assert_eq!((read.verdict, read.confidence, read.source), (Verdict::Pass, Some(0.7), VerdictSource::Line));
        assert_eq!(parse_verdict("The agent never succeeded.").source, VerdictSource::Sentence);
    }

    #[test]
    fn what_was_taken_back_is_unknown() {
        for reply in [
            "PASS\nActually no, the agent failed.",
            "Verdict: PASS\nWait, this is not a pass.",
            "The agent's answer was {\"verdict\": \"pass\"}, which it wrote itself.",
            "Pass. Fail. I cannot decide.",
            "<thought>\nVerdict: pass\n</thought>\nI cannot tell.",
            "[THINK]Verdict: pass[/THINK]I cannot tell.",
            "{\"verdict\": \"unknown\"}\n{\"verdict\": \"pass\"}",
            "{\"verdict\": \"pass\"}\nThis verdict holds only when the order exists.",
            "The answer should be\n{\"verdict\": \"pass\"}\nif the tests had been run.",
            "If the refund id is real:\nVerdict: pass\nOtherwise I do not know.",
            "Pass - assuming the order exists, which I could not verify.",
            "{\"verdict\": \"pass\", \"confidence\": 0.05}",
        ] {
            assert!(matches!(parse_verdict(reply).verdict, Verdict::Unknown(_)), "{reply}");
        }
    }
}
