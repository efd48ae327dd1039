//! Striking secrets from the words of others, whoever they belong to.
//!
//! Our own key is struck wherever it stands. A gateway may repeat a key that it holds itself, half of a key, or the address it was asked
//! at: so whatever looks like a key, a bearer or a password in an address goes as well.

use crate::Secret;

const STRUCK: &str = "****";

/// How the keys of providers begin.
const KEYS: [&str; 9] = ["sk-", "sk_", "pk-", "gsk_", "xai-", "hf_", "AIza", "AQ.", "eyJ"];

/// Words after which a secret stands.
const BEFORE: [&str; 6] = ["bearer ", "api_key=", "apikey=", "key=", "token=", "authorization: "];

/// `words` without the key, and without what looks like one.
pub(super) fn secrets(words: &str, key: Option<&Secret>) -> String {
    let mut words = key.map_or_else(|| words.to_owned(), |key| key.strike_from(words));
    for word in BEFORE {
        words = strike_after(&words, word);
    }
    for beginning in KEYS {
        words = strike_beginning_with(&words, beginning);
    }
    without_passwords(&words)
}

/// How a key goes on: providers write stars into the middle of those that they repeat.
fn is_of_a_key(character: char) -> bool {
    character.is_ascii_alphanumeric() || "-_.*/+=~…".contains(character)
}

fn end_of_key(text: &str) -> usize {
    text.find(|character| !is_of_a_key(character)).unwrap_or(text.len())
}

fn strike_after(text: &str, word: &str) -> String {
    let (lower, mut struck, mut done) = (text.to_ascii_lowercase(), String::with_capacity(text.len()), 0);
    while let Some(found) = lower.get(done..).and_then(|rest| rest.find(word)) {
        let begin = done + found + word.len();
        let end = begin + text.get(begin..).map_or(0, end_of_key);
        struck.push_str(text.get(done..begin).unwrap_or_default());
        // "Bearer" may be followed by another of these words, or by nothing.
        if end > begin {
            struck.push_str(STRUCK);
        }
        done = end;
    }
    struck.push_str(text.get(done..).unwrap_or_default());
    struck
}

fn strike_beginning_with(text: &str, beginning: &str) -> String {
    let (mut struck, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(found) = rest.find(beginning) {
        let (before, from) = rest.split_at(found);
        let is_inside_a_word = before.chars().next_back().is_some_and(char::is_alphanumeric);
        let end = end_of_key(from);
        struck.push_str(before);
        let (token, after) = from.split_at(end);
        struck.push_str(if is_inside_a_word || token.len() < beginning.len() + 4 { token } else { STRUCK });
        rest = after;
    }
    struck.push_str(rest);
    struck
}

/// `https://user:password@host` as `https://****@host`.
fn without_passwords(text: &str) -> String {
    let (mut shown, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(found) = rest.find("://") {
        let (before, after) = rest.split_at(found + 3);
        shown.push_str(before);
        let authority = after.find(|c: char| c.is_whitespace() || "/?#\"'<>".contains(c)).unwrap_or(after.len());
        rest = match after.get(..authority).and_then(|authority| authority.rfind('@')) {
            Some(at) => {
                shown.push_str(STRUCK);
                after.get(at..).unwrap_or_default()
            }
            None => after,
        };
    }
    shown.push_str(rest);
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn struck(words: &str) -> String {
        secrets(words, Some(&Secret::new("our own key")))
    }

    #[test]
    fn what_looks_like_a_secret_is_struck() {
        for (said, shown) in [
            ("bad key our own key, really", "bad key ****, really"),
            (
                "Incorrect API key provided: sk-proj-***wxyz. You can find",
                "Incorrect API key provided: **** You can find",
            ),
            ("{\"key\":\"AIzaSyD4example\"}", "{\"key\":\"****\"}"),
            ("got `Authorization: Bearer abc.def-1`", "got `Authorization: **** ****`"),
            ("Bearer tok3n, and bearer other", "Bearer ****, and bearer ****"),
            ("GET https://api.test/v1?key=abc123&alt=sse failed", "GET https://api.test/v1?key=****&alt=sse failed"),
            ("no route to http://ann:pass%40word@gw.test:80/v1", "no route to http://****@gw.test:80/v1"),
            ("see https://help.test/keys and http://x@y.test", "see https://help.test/keys and http://****@y.test"),
        ] {
            assert_eq!(struck(said), shown);
        }
    }

    #[test]
    fn everything_else_stays() {
        for words in [
            "status 404: The model `gpt-9` does not exist or you do not have access to it.",
            "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead.",
            "the task-force of risk-takers asks for sk-1",
            "mail ann@example.org, 日本 – ünïcode…",
            "",
        ] {
            assert_eq!(struck(words), words);
        }
    }
}
