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
            '!' | '?' if is_before_space(text, end) || is_before_ideograph(text, end) => return end,
            '.' if is_before_space(text, end) && ends_sentence(text, at) => return end,
            _ => {}
        }
    }
    text.len()
}

/// Whether the full stop here ends a sentence, and not a number of a list (`1. `), an ordinal (`am 3. März`) or an abbreviation.
fn ends_sentence(text: &str, at: usize) -> bool {
    const MONTHS: &str = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember";
    let (before, after) = (text.get(..at).unwrap_or_default(), text.get(at + 1..).unwrap_or_default().trim_start());
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let is_number = (1..=2).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit());
    let next = after.split(|letter: char| !letter.is_alphabetic()).next().unwrap_or_default();
    let goes_on = before.trim() == word || next.starts_with(char::is_lowercase) || lists(MONTHS, next);
    !(is_abbreviation(before) || (is_number && goes_on))
}

fn is_before_space(text: &str, end: usize) -> bool {
    text.get(end..).is_some_and(|after| after.starts_with(char::is_whitespace))
}

/// Sentences as one text, with a blank between two unless the second is in a script that has none.
pub(super) fn joined(sentences: &[String]) -> String {
    let mut text = String::new();
    for sentence in sentences {
        if !text.is_empty() && !is_before_ideograph(sentence, 0) {
            text.push(' ');
        }
        text.push_str(sentence);
    }
    text
}

/// Whether a text goes on in a script that is written without blanks.
fn is_before_ideograph(text: &str, end: usize) -> bool {
    text.get(end..)
        .is_some_and(|after| after.starts_with(|letter: char| letter >= '\u{3040}' && letter.is_alphabetic()))
}

/// Whether the full stop after this text belongs to its last word, as in `e.g.` and `approx.`
fn is_abbreviation(before: &str) -> bool {
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let word = word.trim_start_matches(['(', '"', '\'']);
    let has_stop_inside = word.contains('.') && word.split('.').all(|part| part.chars().count() == 1);
    // `z. B.`, `d. h.`: letters one by one.
    let is_letter = |word: &str| word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    let before = before.trim_end().strip_suffix(word).unwrap_or_default().trim_end();
    let last = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let is_in_row =
        is_letter(word) && (word.chars().all(char::is_lowercase) || last.strip_suffix('.').is_some_and(is_letter));
    has_stop_inside
        || is_in_row
        || matches!(
            word,
            "approx"
                | "bspw"
                | "ca"
                | "evtl"
                | "ggf"
                | "inkl"
                | "vgl"
                | "Mme"
                | "Sr"
                | "Sra"
                | "Dr"
                | "etc"
                | "incl"
                | "Mr"
                | "Mrs"
                | "Nr"
                | "St"
                | "vs"
                | "bzw"
        )
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
        let found: Vec<&str> = sentences("做得很好!金额必须核对。a!=b").collect();
        assert_eq!(found, ["做得很好!", "金额必须核对。", "a!=b"]);
        let text = "Nur z. B. am 3. Mai oder am 15. des Monats. Dann\n1. Never push. 2. Ask.";
        let found: Vec<&str> = sentences(text).collect();
        assert_eq!(found, ["Nur z. B. am 3. Mai oder am 15. des Monats.", "Dann", "1. Never push.", "2. Ask."]);
    }

    #[test]
    fn names_are_whole_words() {
        assert!(names("Call `get_order` first.", "get_order"));
        assert!(names("the search was skipped", "search"));
        assert!(!names("research", "search") && !names("get_order_lines", "get_order"));
        assert!(names("It is 391.", "391") && !names("It is 391.5", "391"));
    }
}
