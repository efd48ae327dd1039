//! The verdict parser against labelled replies, beside the rule that looks for a substring.

#![expect(clippy::unwrap_used, reason = "in tests a failure is the message")]

use std::fmt::Write;

use reflection::parse_verdict;

#[derive(serde::Deserialize)]
struct Labelled {
    expect: String,
    kind: String,
    reply: String,
}

fn corpus() -> Vec<Labelled> {
    include_str!("../corpus/verdicts.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What is commonly done, and what ours must beat.
fn by_substring(reply: &str) -> &'static str {
    let upper = reply.to_uppercase();
    if upper.contains("SUCCESS") || upper.contains("PASS") { "pass" } else { "fail" }
}

const VERDICTS: [&str; 3] = ["pass", "fail", "unknown"];

fn matrix(title: &str, rule: impl Fn(&str) -> &'static str) -> (String, usize, usize) {
    let corpus = corpus();
    let mut text = format!("{title}\n  meant \\ read   pass   fail unknown\n");
    let count = |meant: &str, read: &str| {
        corpus.iter().filter(|labelled| labelled.expect == meant && rule(&labelled.reply) == read).count()
    };
    for meant in VERDICTS {
        let [pass, fail, unknown] = VERDICTS.map(|read| count(meant, read));
        writeln!(text, "  {meant:12} {pass:6} {fail:6} {unknown:7}").unwrap();
    }
    let false_passes = count("fail", "pass") + count("unknown", "pass");
    (text, false_passes, VERDICTS.iter().map(|verdict| count(verdict, verdict)).sum())
}

#[test]
fn ours_makes_no_false_pass() {
    let (ours, our_false_passes, our_right) = matrix("ours", |reply| parse_verdict(reply).verdict.as_str());
    let (theirs, their_false_passes, their_right) = matrix("substring", by_substring);
    println!("{ours}\n{theirs}");
    println!(
        "of {} replies: ours {our_right} right, {our_false_passes} false passes; substring {their_right} right, {their_false_passes} false passes",
        corpus().len()
    );
    assert!(corpus().len() >= 60);
    assert_eq!(our_false_passes, 0);
    assert!(our_right > their_right);
}

/// A reply may be beyond the parser; then it has to say so. Those are to stay rare.
#[test]
fn every_labelled_reply_is_read_as_it_was_meant_or_not_at_all() {
    let mut unread = 0;
    for labelled in corpus() {
        let read = parse_verdict(&labelled.reply);
        if read.verdict.as_str() == labelled.expect {
            continue;
        }
        println!("{} ({}), read {read:?}: {:?}", labelled.expect, labelled.kind, labelled.reply);
        assert_eq!(read.verdict.as_str(), "unknown");
        unread += 1;
    }
    assert!(unread * 50 <= corpus().len(), "{unread} replies could not be read");
}

proptest::proptest! {
    #[test]
    fn anything_is_read_and_nothing_without_the_word_passes(text in "\\PC{0,200}") {
        let read = parse_verdict(&text);
        let lower = text.to_lowercase();
        if !["pass", "succe", "true", "yes"].iter().any(|word| lower.contains(word)) {
            proptest::prop_assert!(read.verdict.as_str() != "pass");
        }
    }
}
