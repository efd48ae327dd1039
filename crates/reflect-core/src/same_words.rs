//! Telling which texts say the same.

use std::num::NonZeroU64;

use crate::{Lesson, Tells, draws, is_invisible};

/// Shared by texts that say the same, whatever their case, quotation marks and white space. Nothing else is set aside: with another number, name
/// or "not" it is another text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SameWords(NonZeroU64);

impl SameWords {
    /// That of a text; none of one without words.
    pub fn of(text: &str) -> Option<Self> {
        let is_said = |character: &char| !is_invisible(*character) && !"`\"“”„«»".contains(*character);
        let said: String = text.chars().filter(is_said).flat_map(char::to_lowercase).collect();
        let words = said.split_whitespace().flat_map(|word| word.bytes().chain([b' ']));
        let mut words = words.peekable();
        words.peek()?;
        // The one number that is none of them counts as another.
        Some(Self(NonZeroU64::new(draws::of_bytes(words)).unwrap_or(NonZeroU64::MIN)))
    }

    /// That of a lesson: of two that share it, one is enough. An answer to a task is one of the answers to that task; any other lesson
    /// has its words.
    pub fn of_lesson(lesson: &Lesson, task: &str) -> Option<Self> {
        match lesson.tells {
            Some(Tells::Answer) => Self::of(task),
            _ if lesson.has_only_a_summary() => None,
            _ => Self::of(&lesson.words()),
        }
    }

    /// The number that databases keep of it.
    pub const fn number(self) -> i64 {
        self.0.get().cast_signed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_quotes_and_white_space_are_set_aside_and_nothing_else() {
        let rule = SameWords::of("Refunds above `200` EUR go to a supervisor.");
        assert_eq!(rule, SameWords::of(" refunds above \"200\" EUR\n go to a\u{200B} supervisor. "));
        for other in ["300 EUR go to a supervisor.", "200 EUR never go to a supervisor.", "200 EUR go to a supervisor?"]
        {
            assert_ne!(rule, SameWords::of(&format!("Refunds above {other}")));
        }
        assert_ne!(SameWords::of("a b"), SameWords::of("ab"));
        assert_eq!((SameWords::of(""), SameWords::of(" `` \n")), (None, None));
    }

    #[test]
    fn an_answer_is_known_by_its_task() {
        let lesson = |guidance: &str, tells| Lesson { guidance: guidance.into(), tells, ..Lesson::default() };
        let (one, other) = (lesson("It is 7.", Some(Tells::Answer)), lesson("It is 8.", Some(Tells::Answer)));
        assert_eq!(SameWords::of_lesson(&one, "Sum up"), SameWords::of("sum up"));
        assert_eq!(SameWords::of_lesson(&one, "Sum up"), SameWords::of_lesson(&other, "Sum up"));
        let rule = lesson("It is 7.", Some(Tells::Rule));
        assert_eq!(SameWords::of_lesson(&rule, "Sum up"), SameWords::of_lesson(&lesson("it is 7.", None), "Add"));
        let bare = Lesson { summary: "It failed.".into(), ..Lesson::default() };
        assert_eq!(SameWords::of_lesson(&bare, "Sum up"), None);
    }
}
