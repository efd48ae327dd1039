//! Texts taken apart: sentences, words, names.

/// The text's sentences, one by one. A line's end always ends one; a full stop only before white space, and not after
/// an abbreviation.
pub(super) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            let (sentence, after) = rest.split_at(sentence_end(rest));
            rest = after;
            if !sentence.trim().is_empty() {
                return Some(sentence.trim());
            }
        }
        None
    })
}

fn sentence_end(text: &str) -> usize {
    for (at, character) in text.char_indices() {
        let end = at + character.len_utf8();
        match character {
            '\n' | '。' | '！' | '？' => return end,
            '!' | '?' if is_before_space(text, end) => return end,
            '.' if is_before_space(text, end) && !is_abbreviation(text.get(..at).unwrap_or_default()) => return end,
            _ => {}
        }
    }
    text.len()
}

fn is_before_space(text: &str, end: usize) -> bool {
    text.get(end..).is_some_and(|after| after.starts_with(char::is_whitespace))
}

/// Whether the full stop after this text belongs to its last word, as in `e.g.` and `approx.`
fn is_abbreviation(before: &str) -> bool {
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let word = word.trim_start_matches(['(', '"', '\'']);
    let has_stop_inside = word.contains('.') && word.split('.').all(|part| part.chars().count() == 1);
    has_stop_inside
        || matches!(word, "approx" | "ca" | "Dr" | "etc" | "incl" | "Mr" | "Mrs" | "Nr" | "St" | "vs" | "bzw")
}

/// The text in small letters, with one kind of apostrophe, ready to be split `is_between` words.
pub(super) fn lower(text: &str) -> String {
    text.to_lowercase().replace('’', "'")
}

/// Whether a character stands between words.
pub(super) fn is_between(character: char) -> bool {
    !(character.is_alphanumeric() || character == '\'' || character == '_')
}

/// Whether a list of words with spaces between them has this one.
pub(super) fn lists(list: &str, word: &str) -> bool {
    // Splitting the list anew for each word made a whole lesson take twice as long.
    !word.is_empty()
        && list.match_indices(word).any(|(at, _)| {
            let before = list.get(..at).unwrap_or_default();
            let after = list.get(at + word.len()..).unwrap_or_default();
            (before.is_empty() || before.ends_with(' ')) && (after.is_empty() || after.starts_with(' '))
        })
}

/// Whether the text holds this name, and not only as part of a longer word.
pub(super) fn names(text: &str, name: &str) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || "_-.".contains(character);
    text.match_indices(name).any(|(at, found)| {
        let before = text.get(..at).unwrap_or_default();
        let after = text.get(at + found.len()..).unwrap_or_default().trim_start_matches('.');
        !before.ends_with(is_part) && !after.starts_with(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_found() {
        let text = "Wrong total, e.g. 3.5 kg. Use v2.\nThen stop! 誤り。次";
        let found: Vec<&str> = sentences(text).collect();
        assert_eq!(found, ["Wrong total, e.g. 3.5 kg.", "Use v2.", "Then stop!", "誤り。", "次"]);
    }

    #[test]
    fn names_are_whole_words() {
        assert!(names("Call `get_order` first.", "get_order"));
        assert!(names("the search was skipped", "search"));
        assert!(!names("research", "search") && !names("get_order_lines", "get_order"));
        assert!(names("It is 391.", "391") && !names("It is 391.5", "391"));
    }
}
