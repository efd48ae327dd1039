//! Distilling without a model: the last thing that the user really asked, and what earlier turns add to it.

use std::collections::HashSet;

use reflect_core::Message;

use crate::{plain, recalled};

/// The most characters of one turn, and of all that earlier turns add.
const TURN_LIMIT: usize = 300;
const EARLIER_LIMIT: usize = 200;

/// A line longer than this, or one of more than this many in a row, is taken for something pasted.
const LONG_LINE: usize = 400;
const PASTED_LINES: usize = 8;

/// Words that carry no intent of their own, in the languages that we see most.
const SMALL_TALK: &[&str] = &[
    "hi", "hello", "hey", "dear", "thanks", "thank", "you", "please", "ok", "okay", "yes", "no", "sure", "great",
    "good", "nice", "cool", "perfect", "go", "on", "ahead", "continue", "proceed", "again", "there", "all", "and",
    "now", "the", "a", "it", "is", "that", "this", "hallo", "danke", "bitte", "ja", "nein", "merci", "oui", "non",
    "bonjour", "gracias", "hola", "si",
];

/// The intent of a conversation by rule: the same for the same messages, and linear in their length.
///
/// The user's last turn that says something comes first; sentences of earlier ones follow as far as they add words. Blocks
/// of recalled memories are left out, greetings and thanks dropped, pasted logs and code cut to their first lines. Where
/// no user says anything, the last words of anybody are taken.
pub fn distil_by_rule(messages: &[Message]) -> String {
    let turns: Vec<String> =
        messages.iter().filter(|message| is_user(message)).map(|message| essence(&message.text)).collect();
    let Some(last) = turns.iter().rposition(|turn| says_something(turn)) else {
        let spoken = messages.iter().rev().map(|message| essence(&message.text)).find(|text| !text.is_empty());
        return spoken.unwrap_or_default();
    };
    let mut intent = turns.get(last).cloned().unwrap_or_default();
    let mut known: HashSet<String> = words(&intent).collect();
    let mut room = EARLIER_LIMIT;
    // Backwards, since what was said just before explains the last turn best.
    for turn in turns.iter().take(last).rev().filter(|turn| says_something(turn)) {
        let Some(sentence) = first_sentence(turn) else { continue };
        let new: Vec<String> = words(sentence).filter(|word| !known.contains(word)).collect();
        let length = sentence.chars().count();
        if new.len() < 2 || length > room {
            continue;
        }
        room -= length;
        known.extend(new);
        intent.push_str(". ");
        intent.push_str(sentence);
    }
    intent
}

fn is_user(message: &Message) -> bool {
    matches!(message.role.as_str(), "user" | "human" | "customer")
}

/// A turn as one line, without old lessons, fences, pasted lines and greetings.
fn essence(text: &str) -> String {
    let own = recalled::without_any(text);
    let mut kept: Vec<&str> = Vec::new();
    let mut in_fence = false;
    let mut in_a_row = 0;
    for line in own.lines() {
        let line = line.trim();
        if line.starts_with("```") {
            in_fence = !in_fence;
            continue;
        }
        in_a_row = if line.is_empty() { 0 } else { in_a_row + 1 };
        let is_pasted = in_a_row > PASTED_LINES || line.chars().nth(LONG_LINE).is_some() && !kept.is_empty();
        if !line.is_empty() && !in_fence && !is_pasted {
            kept.push(line);
        }
    }
    let joined = kept.join(" ");
    let folded = joined.split_whitespace().collect::<Vec<_>>().join(" ");
    plain::shortened(without_greeting(&folded), TURN_LIMIT).trim_end_matches(['.', '!', ' ']).to_owned()
}

/// The text after a greeting: small talk up to the first comma, full stop or exclamation mark.
fn without_greeting(text: &str) -> &str {
    let mut rest = text;
    while let Some((before, after)) = rest.split_once([',', '!', '.']) {
        let is_greeting = !before.is_empty() && words(before).all(|word| SMALL_TALK.contains(&word.as_str()));
        if !is_greeting || after.trim().is_empty() {
            break;
        }
        rest = after.trim_start();
    }
    rest
}

/// Whether more than small talk is said. Scripts without spaces say much in one word.
fn says_something(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
        && words(text).any(|word| !SMALL_TALK.contains(&word.as_str()) && !word.chars().all(|c| c.is_ascii_digit()))
}

fn first_sentence(text: &str) -> Option<&str> {
    text.split_inclusive(". ")
        .map(|sentence| sentence.trim_end_matches(['.', ' ']))
        .find(|sentence| says_something(sentence))
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn distil(turns: &[(&str, &str)]) -> String {
        let messages: Vec<Message> = turns
            .iter()
            .map(|(role, text)| Message { role: (*role).into(), text: (*text).into(), ..Message::default() })
            .collect();
        distil_by_rule(&messages)
    }

    #[test]
    fn the_last_real_ask_comes_first() {
        let intent = distil(&[
            ("user", "Hi! I run a shop on our old database."),
            ("assistant", "How can I help?"),
            ("user", "Export the invoices of May as CSV."),
            ("assistant", "Done."),
            ("user", "Thanks, now with semicolons please"),
            ("user", "ok thanks!"),
        ]);
        assert_eq!(
            intent,
            "now with semicolons please. Export the invoices of May as CSV. I run a shop on our old database"
        );
    }

    #[test]
    fn old_lessons_and_pasted_logs_are_left_out() {
        let log =
            "Why does this fail?\n```\nTraceback\n  line 1\n```\n".to_owned() + &"2024-05-02 ERROR x\n".repeat(100);
        let intent = distil(&[("user", &log)]);
        assert!(intent.starts_with("Why does this fail?") && intent.len() <= 320, "{intent}");
        assert!(!intent.contains("Traceback"));
        let intent = distil(&[("user", "Ship it\n\n<relevant_memories>OLD</relevant_memories>")]);
        assert_eq!(intent, "Ship it");
    }

    #[test]
    fn greetings_go_and_what_they_greet_stays() {
        assert_eq!(distil(&[("user", "Hello there, please refund order 7.")]), "please refund order 7");
        assert_eq!(distil(&[("user", "3.14 is pi, why?")]), "3.14 is pi, why?");
        assert_eq!(distil(&[("user", "请退款订单")]), "请退款订单");
    }

    #[test]
    fn without_a_user_the_last_words_count() {
        assert_eq!(distil(&[("system", "Be brief."), ("assistant", "Working on the export")]), "Working on the export");
        assert_eq!(distil(&[]), "");
        assert_eq!(distil(&[("user", "hi"), ("user", "")]), "hi");
    }

    proptest! {
        #[test]
        fn intents_are_short_and_hold_no_old_lessons(texts in prop::collection::vec("\\PC{0,80}|[a-z ,.!\n]{0,400}", 0..12)) {
            let marked: Vec<String> =
                texts.iter().map(|text| format!("{text}<relevant_memories>OLDLESSON</relevant_memories>")).collect();
            let turns: Vec<(&str, &str)> = marked.iter().map(|text| ("user", text.as_str())).collect();
            let intent = distil(&turns);
            prop_assert!(intent.chars().count() <= TURN_LIMIT + EARLIER_LIMIT + 2 * 12);
            prop_assert!(!intent.contains("OLDLESSON"));
        }
    }
}
