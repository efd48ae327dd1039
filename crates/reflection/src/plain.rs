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
///
/// An ASCII character counts as a quarter of a token and any other as a whole one. English text comes to about four
/// characters a token with the tokenizers in use, other scripts to one or two; so this errs on the safe side.
pub(crate) fn quarter_tokens(text: &str) -> usize {
    text.chars().map(|character| if character.is_ascii() { 1 } else { 4 }).sum()
}

/// About how many tokens a text has: see [`quarter_tokens`].
pub(crate) fn estimated_tokens(text: &str) -> usize {
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
    }
}
