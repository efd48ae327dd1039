//! Replies of judges, with everything that is read out of them.

use reflection::{Verdict, VerdictSource, parse_verdict};
use serde_json::{Value, json};

use crate::vectors::held::hold;

/// Beside the labelled ones: what else a verdict comes with, and what takes one back.
const MORE: &[&str] = &[
    "{\"verdict\": \"fail\", \"confidence\": \"80%\", \"explanation\": \"wrong order\"}",
    "{\"verdict\": \"pass\", \"confidence\": 0.05}",
    "{\"verdict\": \"unknown\"}\n{\"verdict\": \"pass\"}",
    "Verdict: pass\nConfidence: 0.7\nThe total was checked.",
    "Verdict: PASS\nWait, this is not a pass.",
    "If the refund id is real:\nVerdict: pass\nOtherwise I do not know.",
    "Pass - assuming the order exists, which I could not verify.",
    "<thought>\nVerdict: pass\n</thought>\nI cannot tell.",
    "The agent never succeeded.",
    "Pass. Fail. I cannot decide.",
    "<html>PASS</html>",
    "",
];

#[test]
fn the_vectors_say_what_is_read_out_of_every_verdict() {
    let labelled = include_str!("../../corpus/verdicts.jsonl").lines().map(|line| {
        let labelled: Value = serde_json::from_str(line).unwrap();
        labelled.get("reply").and_then(Value::as_str).unwrap().to_owned()
    });
    let replies = labelled.chain(MORE.iter().map(|reply| (*reply).to_owned()));
    hold("verdicts", &replies.map(|reply| vector(&reply)).collect::<Vec<_>>());
}

fn vector(reply: &str) -> Value {
    let read = parse_verdict(reply);
    let reason = match &read.verdict {
        Verdict::Unknown(why) => why.as_str(),
        Verdict::Pass | Verdict::Fail => "",
    };
    let source = match read.source {
        VerdictSource::Json => "json",
        VerdictSource::Line => "line",
        VerdictSource::Sentence => "sentence",
        VerdictSource::Nowhere => "nowhere",
    };
    json!({
        "reply": reply,
        "verdict": read.verdict.as_str(),
        "reason": reason,
        "confidence": read.confidence,
        "explanation": read.explanation,
        "source": source,
    })
}
