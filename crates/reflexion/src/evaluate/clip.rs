//! Long texts, cut in the middle.

use std::borrow::Cow;

/// At most `limit` characters: the text as it is, or two thirds of its head and one of its tail around a note of how many
/// characters are left out, or only its head where there is no room for a note.
pub(crate) fn clipped(text: &str, limit: usize) -> Cow<'_, str> {
    let total = text.chars().count();
    if total <= limit {
        return Cow::Borrowed(text);
    }
    // The note is no longer than this whatever its number is, so the kept parts can be measured before it is known.
    let room = limit.saturating_sub(note(total).chars().count());
    if room == 0 {
        return Cow::Borrowed(text.get(..offset(text, limit)).unwrap_or_default());
    }
    let tail_length = room / 3;
    let (head_end, tail_start) = (offset(text, room - tail_length), offset(text, total - tail_length));
    let (head, tail) = (text.get(..head_end).unwrap_or_default(), text.get(tail_start..).unwrap_or_default());
    Cow::Owned(format!("{head}{}{tail}", note(total - room)))
}

fn note(left_out: usize) -> String {
    format!("\n[… {left_out} characters left out …]\n")
}

/// Where the character of this number begins, in bytes.
fn offset(text: &str, number: usize) -> usize {
    text.char_indices().nth(number).map_or(text.len(), |(offset, _)| offset)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn head_and_tail_stay_and_the_cut_is_marked() {
        let text = format!("start{}end", "x".repeat(1_000));
        let short = clipped(&text, 100);
        assert!(short.starts_with("start") && short.ends_with("end") && short.contains("left out"), "{short}");
        assert_eq!(clipped("short", 5), "short");
        assert_eq!(clipped("日本語", 2), "日本");
        assert_eq!(clipped("abc", 0), "");
    }

    proptest! {
        #[test]
        fn it_never_gives_more_than_it_may(text in "\\PC{0,300}", limit in 0..400_usize) {
            let short = clipped(&text, limit);
            prop_assert!(short.chars().count() <= limit);
            prop_assert!(text.chars().count() > limit || short == text);
        }
    }
}
