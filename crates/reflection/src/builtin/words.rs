//! Quoting and shortening: how a piece of a run becomes part of a sentence.

use reflect_core::is_invisible;

/// The text with every run of white space and control characters made one space, cut to at most `limit` characters;
/// an ellipsis marks a cut. Reads no further than it must.
pub(super) fn fold(text: &str, limit: usize) -> String {
    let mut folded = String::with_capacity(text.len().min(limit));
    let mut length = 0;
    let mut gap = false;
    for character in text.chars() {
        if is_invisible(character) {
            continue;
        }
        if character.is_whitespace() || character.is_control() {
            gap = length > 0;
            continue;
        }
        let wanted = length + 1 + usize::from(gap);
        if gap {
            folded.push(' ');
        }
        if wanted > limit {
            return cut(&folded, limit);
        }
        folded.push(character);
        length = wanted;
        gap = false;
    }
    folded
}

/// Leaves room for the ellipsis, and ends at a word where one ends nearby.
fn cut(folded: &str, limit: usize) -> String {
    let end = folded.char_indices().nth(limit.saturating_sub(1)).map_or(folded.len(), |(at, _)| at);
    let (kept, rest) = folded.split_at(end);
    let word_end = kept.rfind(' ').filter(|space| kept.len() - space <= 24);
    let kept = match word_end {
        Some(space) if !rest.starts_with(' ') => kept.get(..space).unwrap_or(kept),
        _ => kept,
    };
    format!("{}…", kept.trim_end_matches([' ', ',', ';', ':', '(']))
}

/// A tool's name, an argument or an error, in backticks. Empty when there is nothing to quote. Its own backticks stay, in two around
/// it: quotes of another kind would be another statement. Where a cut took one of a pair, or more stand in a row, they are left out.
pub(super) fn code(text: &str, limit: usize) -> String {
    let folded = fold(text, limit);
    if folded.is_empty() || !folded.contains('`') {
        return if folded.is_empty() { folded } else { format!("`{folded}`") };
    }
    if folded.contains("``") || folded.matches('`').count() % 2 == 1 {
        let bare = folded.replace('`', "");
        return if bare.trim().is_empty() { String::new() } else { format!("`{}`", bare.trim()) };
    }
    let before = if folded.starts_with('`') { " " } else { "" };
    let after = if folded.ends_with('`') { " " } else { "" };
    format!("``{before}{folded}{after}``")
}

/// Somebody's words, in quotation marks and without their full stop. Empty when there is nothing to quote.
pub(super) fn speech(text: &str, limit: usize) -> String {
    let folded = fold(text, limit).replace('`', "'");
    let bare = folded.strip_suffix('.').unwrap_or(&folded);
    if bare.is_empty() {
        return String::new();
    }
    format!("“{bare}”")
}

/// Somebody's words as a sentence of the lesson's own: first letter large, a full stop at the end.
pub(super) fn sentence(text: &str, limit: usize) -> String {
    let folded = fold(text, limit);
    let first_word = folded.split(' ').next().unwrap_or_default();
    let is_plain_word = first_word.trim_end_matches([',', ':']).chars().all(char::is_lowercase);
    let mut letters = folded.chars();
    match letters.next() {
        Some(first) if is_plain_word => {
            sentence_as_it_is(&first.to_uppercase().chain(letters).collect::<String>(), limit)
        }
        _ => sentence_as_it_is(&folded, limit),
    }
}

/// Somebody's words with a full stop at the end.
pub(super) fn sentence_as_it_is(text: &str, limit: usize) -> String {
    let mut sentence = balanced(&fold(text, limit));
    if sentence.ends_with(|last: char| last.is_alphanumeric() || "`'\")]}%,;:-”’»€$".contains(last)) {
        sentence.truncate(sentence.trim_end_matches([',', ';', ':']).len());
        sentence.push('.');
    }
    sentence
}

/// A cut may have split a pair of backticks, and one left alone would quote the rest of the lesson.
pub(super) fn balanced(text: &str) -> String {
    match text.matches('`').count() % 2 {
        0 => text.to_owned(),
        _ => text.replace('`', "'"),
    }
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn list(items: &[String]) -> String {
    joined(items, "and")
}

/// `a`, `a or b`, `a, b or c`.
pub(super) fn choice(items: &[String]) -> String {
    joined(items, "or")
}

fn joined(items: &[String], word: &str) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [before @ .., last] => format!("{} {word} {last}", before.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_keeps_words_and_cuts_between_them() {
        assert_eq!(fold("  two\n\t words\u{0} here ", 40), "two words here");
        assert_eq!(fold("one two three four", 12), "one two…");
        assert_eq!(fold("one two three", 8), "one two…");
        assert_eq!(fold("exactly", 7), "exactly");
        assert_eq!(fold("", 7), "");
        assert_eq!(fold("a\u{202E}b\u{200B}c", 9), "abc");
    }

    #[test]
    fn cuts_fall_on_characters() {
        assert_eq!(fold("日本語のとても長い文章", 6), "日本語のと…");
        assert_eq!(fold("🙂🙂🙂🙂", 3), "🙂🙂…");
        assert_eq!(fold("ééé", 1), "…");
    }

    #[test]
    fn code_keeps_its_own_quotes() {
        assert_eq!(code("SELECT 1 FROM `show`", 40), "``SELECT 1 FROM `show` ``");
        assert_eq!(code("SELECT `a` FROM b", 40), "``SELECT `a` FROM b``");
        assert_eq!(code("run the `x command", 40), "`run the x command`");
        assert_eq!(code("``` x", 40), "`x`");
        assert_eq!(code("``", 40), "");
        assert_eq!(code(" \n", 20), "");
        assert_eq!(speech("It works.", 20), "“It works”");
    }

    #[test]
    fn sentences_begin_and_end_properly() {
        assert_eq!(sentence("missed the `WHERE`", 40), "Missed the `WHERE`.");
        assert_eq!(sentence("get_order was skipped!", 40), "get_order was skipped!");
        assert_eq!(sentence("the `order_id is wrong", 40), "The 'order_id is wrong.");
        assert_eq!(sentence("", 40), "");
    }
}
