//! Small things about text that several parts need: shortening, thinking blocks, web pages, counting tokens.

/// At most `limit` characters, on a character's boundary; an ellipsis marks a cut.
pub(crate) fn shortened(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        None => text.to_owned(),
        Some(_) => {
            let end = text.char_indices().nth(limit.saturating_sub(1)).map_or(0, |(at, _)| at);
            format!("{}…", text.get(..end).unwrap_or_default().trim_end())
        }
    }
}

/// Whether a reply is a page that some proxy answered.
pub(crate) fn is_web_page(text: &str) -> bool {
    let start: String = text.trim_start().chars().take(15).collect::<String>().to_lowercase();
    start.starts_with("<!doctype") || start.starts_with("<html")
}

/// A quarter of a token: the unit that budgets count in, so that sums are exact.
pub(crate) fn quarter_tokens(text: &str) -> usize {
    text.chars().map(quarters).sum()
}

/// What a character counts. Tokenizers make about one token of four letters of English, cut JSON, code and logs at their
/// punctuation, and some give every digit and every character of other scripts a token of its own. Counting all ASCII
/// alike took logs for less than half of what they are.
pub(crate) fn quarters(character: char) -> usize {
    match character {
        'a'..='z' | 'A'..='Z' | ' ' | '\t' | '\n' | '\r' => 1,
        '!'..='/' | ':'..='@' | '['..='`' | '{'..='~' => 2,
        _ => 4,
    }
}

/// About how many tokens a text has: a quarter for a letter or blank of ASCII, a half for its punctuation, one for a digit or any other
/// character. What every budget here is counted in.
pub fn estimated_tokens(text: &str) -> usize {
    quarter_tokens(text).div_ceil(4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_fall_on_characters() {
        assert_eq!(shortened("日本語です", 3), "日本…");
        assert_eq!(shortened("abc", 3), "abc");
        assert_eq!(shortened("abc", 0), "…");
        assert_eq!((estimated_tokens("abcde"), estimated_tokens("日本"), estimated_tokens("")), (2, 2, 0));
        assert_eq!((estimated_tokens("12"), estimated_tokens("{};\n")), (2, 2));
    }
}
