//! Words that a model only repeats.
//!
//! A weak model may answer a question by repeating a piece of it, and a trace may hold a verdict, a lesson or a skill that waits to
//! be repeated. What stands in the question word for word is not the model's answer.

use std::{borrow::Cow, collections::HashSet};

/// A reply of fewer characters than this is no copy: `pass` stands in many a run.
const SHORTEST_REPLY: usize = 8;

/// Neither is a reason of fewer: a judge may say no more than `Refunded.`, as the agent did.
const SHORTEST_REASON: usize = 24;

/// The reply without what it repeats of the question, as far as that would pass for an answer by `answers`. Blanks do not count
/// in comparing. Linear in both, as long as `answers` is.
pub(crate) fn own_words<'a>(reply: &'a str, question: &str, answers: impl Fn(&str) -> bool) -> Cow<'a, str> {
    if stands_in(reply, question, SHORTEST_REPLY) {
        return Cow::Borrowed("");
    }
    let asked: HashSet<String> = question.lines().map(squeezed).collect();
    let mut kept = String::new();
    let mut copied = String::new();
    for line in reply.split_inclusive('\n') {
        let bare = squeezed(line);
        if bare.is_empty() || asked.contains(&bare) {
            copied.push_str(line);
            continue;
        }
        keep(&mut kept, &mut copied, &answers);
        kept.push_str(line);
    }
    keep(&mut kept, &mut copied, &answers);
    if kept.len() == reply.len() { Cow::Borrowed(reply) } else { Cow::Owned(kept) }
}

/// Whether a reason stands in the question, whole.
pub(crate) fn is_copied_reason(reason: &str, question: &str) -> bool {
    stands_in(reason, question, SHORTEST_REASON)
}

fn stands_in(text: &str, question: &str, fewest: usize) -> bool {
    let bare = squeezed(text);
    bare.chars().nth(fewest - 1).is_some() && squeezed(question).contains(&bare)
}

/// Lines in common are taken for copied only where they say something by themselves: single braces are in common by chance.
fn keep(kept: &mut String, copied: &mut String, answers: impl Fn(&str) -> bool) {
    if !answers(copied) {
        kept.push_str(copied);
    }
    copied.clear();
}

fn squeezed(text: &str) -> String {
    text.chars().filter(|character| !character.is_whitespace()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUESTION: &str =
        "Judge this.\n{\n  \"verdict\": \"pass\"\n}\nVerdict: pass\nand inline {\"verdict\": \"fail\"} too";

    fn own(reply: &str) -> Cow<'_, str> {
        own_words(reply, QUESTION, |text| text.contains("pass"))
    }

    #[test]
    fn what_stands_in_the_question_is_not_an_answer() {
        assert_eq!(own(QUESTION), "");
        assert_eq!(own("{\"verdict\":\"pass\"}"), "", "whatever the spaces");
        assert_eq!(own("{\"verdict\": \"fail\"}"), "", "also from the middle of a line");
        assert_eq!(own("Sure:\n\nVerdict: pass\n"), "Sure:\n");
        assert_eq!(own("Verdict: pass\nI say fail."), "I say fail.");
    }

    #[test]
    fn what_is_the_models_own_stays() {
        for reply in ["", "pass", "{\n  \"verdict\": \"pass\",\n  \"why\": \"all there\"\n}", "Judge this.\nIt failed."]
        {
            assert_eq!(own(reply), reply);
        }
    }
}
