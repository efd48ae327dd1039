//! Which words a lesson has, in 72 bytes: what diversity compares.
//!
//! Vectors of lessons by the embedder would tell a second wording from a second lesson a little better (`docs/retrieval.md` has the
//! figures), for one more embedding a lesson, again with each revision and each switch, and for 21 times the memory.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::Lesson;

/// How many letters of a word count, so that `retry` and `retrying` are one word.
const STEM: usize = 5;

/// Words of fewer letters say little about what a lesson says, unless they are numbers or abbreviations.
const SHORTEST: usize = 4;

/// From here on scripts write words without spaces between them.
const UNSPACED: char = '\u{2E80}';

const BITS: usize = 512;

/// The words of a lesson as a bitmap of 512 bits, each word setting one by its hash. Two words may share a bit: two lessons of thirty words
/// that have none in common seem to share one or two.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LessonWords {
    bitmap: [u64; BITS / 64],
    count: u32,
}

impl LessonWords {
    /// The words of a lesson, in all of its parts.
    pub fn of(lesson: &Lesson) -> Self {
        let Lesson { summary, key_mistake, correct_action, guidance, applicable_tools, tools_used: _ } = lesson;
        let mut words = Self::default();
        [summary, key_mistake, correct_action, guidance]
            .into_iter()
            .chain(applicable_tools)
            .for_each(|part| words.add(part));
        words
    }

    /// The words of a text: the first letters of each, in small letters; where there are no spaces, pairs of neighbours.
    pub fn of_text(text: &str) -> Self {
        let mut words = Self::default();
        words.add(text);
        words
    }

    fn add(&mut self, text: &str) {
        for run in text.split(|letter: char| !letter.is_alphanumeric()) {
            let letters: Vec<char> = run.chars().collect();
            for word in letters.chunk_by(|left, right| (*left >= UNSPACED) == (*right >= UNSPACED)) {
                match word {
                    [first, ..] if *first >= UNSPACED => word.windows(2).for_each(|pair| self.put(pair)),
                    _ if counts(word) => {
                        let stem: Vec<char> = word.iter().flat_map(|letter| letter.to_lowercase()).take(STEM).collect();
                        self.put(&stem);
                    }
                    _ => {}
                }
            }
        }
    }

    /// How near two lessons are: 1 if they have the same words, 0 if they have none in common. It is the root of the cosine of the two sets: a
    /// lesson in other words shares a few of them, which on this scale is about what vectors by an embedder say of it.
    pub fn nearness(&self, other: &Self) -> f64 {
        let common: u32 = self.bitmap.iter().zip(other.bitmap).map(|(ours, theirs)| (ours & theirs).count_ones()).sum();
        if common == 0 {
            return 0.0;
        }
        (f64::from(common) / f64::from(self.count * other.count).sqrt()).sqrt()
    }

    fn put(&mut self, word: &[char]) {
        let mut hasher = DefaultHasher::new();
        word.hash(&mut hasher);
        let bit = hasher.finish() as usize % BITS;
        if let Some(block) = self.bitmap.get_mut(bit / 64) {
            let bit = 1 << (bit % 64);
            self.count += u32::from(*block & bit == 0);
            *block |= bit;
        }
    }
}

fn counts(word: &[char]) -> bool {
    let abbreviated = word.len() > 1 && word.iter().all(|letter| letter.is_uppercase());
    word.len() >= SHORTEST || abbreviated || word.iter().any(|letter| letter.is_numeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(left: &str, right: &str) -> f64 {
        LessonWords::of_text(left).nearness(&LessonWords::of_text(right))
    }

    #[test]
    fn lessons_are_as_near_as_they_share_words() {
        let lesson = "Retry with a growing pause after status 429";
        assert_eq!(near(lesson, lesson), 1.0);
        assert_eq!(near(lesson, "retry WITH a growing pause, after status 429!"), 1.0);
        let other_words = near(lesson, "Pausing grows after each status 429 while retrying");
        let other_lesson = near(lesson, "Write the report in the reader's language");
        assert!(other_lesson < other_words && other_words < 1.0, "{other_lesson}, {other_words}");
    }

    #[test]
    fn every_part_of_a_lesson_counts_and_no_name_of_a_part() {
        let lesson = Lesson {
            summary: "paid twice".into(),
            key_mistake: "invoice ignored".into(),
            correct_action: "compare amounts".into(),
            guidance: "always compare".into(),
            applicable_tools: vec!["refund_order".into()],
            tools_used: vec!["search".into()],
        };
        let said = LessonWords::of_text("paid twice invoice ignored compare amounts always refund order");
        assert_eq!(LessonWords::of(&lesson), said);
    }

    #[test]
    fn a_lesson_without_words_is_near_to_nothing() {
        assert_eq!(near("", ""), 0.0);
        assert_eq!(near("a of to", "a of to"), 0.0);
        assert_eq!(near("…", "retry"), 0.0);
    }

    #[test]
    fn scripts_without_spaces_have_words_too() {
        assert_eq!(near("重试之前先等待", "重试之前先等待"), 1.0);
        let (same, other) = (near("重试之前先等待", "先等待再重试"), near("重试之前先等待", "用读者的语言写报告"));
        assert!(other < same && same < 1.0, "{other}, {same}");
        assert!(near("429错误之后先等待再重试", "先等待再重试") > 0.5);
    }

    #[test]
    fn numbers_and_abbreviations_are_words() {
        assert_eq!(near("if 429", "on 429"), 1.0);
        assert_eq!(near("SQL", "an SQL"), 1.0);
        assert_eq!(near("SQL", "API"), 0.0);
    }

    #[test]
    fn nearness_stays_within_its_bounds_however_many_words_there_are() {
        let many: String = (0..10_000).map(|number| format!("word{number} ")).collect();
        let all: String = (0..10_000).map(|number| format!("{number:x}xyz ")).collect();
        for (left, right) in [(many.as_str(), all.as_str()), (&all, &all), (&all, "one more lesson")] {
            let nearness = near(left, right);
            assert!((0.0..=1.0).contains(&nearness), "{nearness}");
        }
    }
}
