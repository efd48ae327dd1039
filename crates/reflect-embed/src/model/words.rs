//! Cutting text into words, the way the models of this family were trained on it.

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// Calls `each` with every word of `text`, in order: lower case, without accents; a mark of punctuation and a Chinese
/// character are words of their own.
pub(super) fn for_each_word(text: &str, mut each: impl FnMut(&str)) {
    let mut word = String::new();
    let plain = text.chars().filter(|character| !is_dropped(*character)).nfd();
    for character in plain.filter(|character| !is_accent(*character)).flat_map(char::to_lowercase) {
        let alone = is_punctuation(character) || is_chinese(character);
        if alone || character.is_whitespace() {
            if !word.is_empty() {
                each(&word);
            }
            word.clear();
        }
        if alone {
            each(character.encode_utf8(&mut [0; 4]));
        } else if !character.is_whitespace() {
            word.push(character);
        }
    }
    if !word.is_empty() {
        each(&word);
    }
}

/// Control characters and the like say nothing; white space that counts as control is kept.
fn is_dropped(character: char) -> bool {
    match character {
        '\0' | '\u{FFFD}' => true,
        '\t' | '\n' | '\r' => false,
        ' '..='~' => false,
        _ => matches!(
            character.general_category(),
            GeneralCategory::Control | GeneralCategory::Format | GeneralCategory::PrivateUse
        ),
    }
}

fn is_accent(character: char) -> bool {
    !character.is_ascii() && character.general_category() == GeneralCategory::NonspacingMark
}

fn is_punctuation(character: char) -> bool {
    character.is_ascii_punctuation()
        || (!character.is_ascii() && character.general_category_group() == GeneralCategoryGroup::Punctuation)
}

/// The blocks of ideographs. Hangul and kana are not among them: those are written with spaces or cut by the vocabulary.
fn is_chinese(character: char) -> bool {
    matches!(
        u32::from(character),
        0x4E00..=0x9FFF
            | 0x3400..=0x4DBF
            | 0x20000..=0x2A6DF
            | 0x2A700..=0x2B73F
            | 0x2B740..=0x2B81F
            | 0x2B920..=0x2CEAF
            | 0xF900..=0xFAFF
            | 0x2F800..=0x2FA1F
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        for_each_word(text, |word| words.push(word.to_owned()));
        words
    }

    #[test]
    fn words_are_lower_case_without_accents() {
        assert_eq!(words("Crème BRÛLÉE, naïve"), ["creme", "brulee", ",", "naive"]);
    }

    #[test]
    fn punctuation_and_ideographs_stand_alone() {
        assert_eq!(words("a.b 数据库!"), ["a", ".", "b", "数", "据", "库", "!"]);
    }

    #[test]
    fn control_characters_vanish_and_white_space_separates() {
        assert_eq!(words("tab\there\u{7}now\u{a0}and\u{200b}zero"), ["tab", "herenow", "andzero"]);
    }
}
