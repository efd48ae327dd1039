//! Cutting the middle out of a text.

use crate::plain::{quarter_tokens, quarters};

/// The text in at most `limit` quarter tokens: as it is, or its head and its tail around a note of how many characters are
/// left out, or only its head where there is no room for more.
pub(crate) fn shorten(text: &str, limit: usize) -> String {
    if quarter_tokens(text) <= limit {
        return text.to_owned();
    }
    let total = text.chars().count();
    // Nothing else that can be left out makes the note longer, so the kept parts can be measured before its number is known.
    let room = limit.saturating_sub(quarter_tokens(&note(total)));
    let head_end = fitting(text.chars(), room - room / 3);
    let tail_chars = fitting(text.chars().rev(), room / 3);
    if room == 0 || head_end + tail_chars >= total {
        let kept = fitting(text.chars(), limit);
        return text.chars().take(kept).collect();
    }
    let head: String = text.chars().take(head_end).collect();
    let tail: String = text.chars().skip(total - tail_chars).collect();
    format!("{head}{}{tail}", note(total - head_end - tail_chars))
}

fn note(left_out: usize) -> String {
    format!("\n[... {left_out} characters left out ...]\n")
}

/// How many characters fit.
fn fitting(characters: impl Iterator<Item = char>, limit: usize) -> usize {
    let mut used = 0;
    let fits = |character: &char| {
        used += quarters(*character);
        used <= limit
    };
    characters.take_while(fits).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn head_and_tail_stay_and_the_cut_is_marked() {
        let text = format!("start{}end", "x".repeat(1_000));
        let short = shorten(&text, 200);
        assert!(
            short.starts_with("start") && short.ends_with("end") && short.contains("characters left out"),
            "{short}"
        );
        assert_eq!(shorten("short", 200), "short");
        assert_eq!(shorten("日本語", 5), "日");
        assert_eq!(shorten("abc", 0), "");
    }

    proptest! {
        #[test]
        fn it_never_takes_more_than_it_may(text in "\\PC{0,300}", limit in 0..400_usize) {
            let short = shorten(&text, limit);
            prop_assert!(quarter_tokens(&short) <= limit);
            prop_assert!(quarter_tokens(&text) > limit || short == text);
        }
    }
}
