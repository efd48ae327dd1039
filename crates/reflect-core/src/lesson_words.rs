//! Which words a lesson has, in 64 bytes: what diversity compares.
//!
//! Vectors of lessons by the embedder would tell a second wording from a second lesson a little better (`docs/retrieval.md` has the
//! figures), for one more embedding a lesson, again with each revision and each switch, and for 24 times the memory.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::Lesson;

/// How many letters of a word count, so that `retry` and `retrying` are one word.
const STEM: usize = 5;

/// Words of fewer letters say little about what a lesson says.
const SHORTEST: usize = 4;

/// From here on scripts write words without spaces between them.
const UNSPACED: char = '\u{2E80}';

const WORDS: usize = 8;

/// The words of a lesson as a set of 512 places, each word in one. Two words share a place once in a while, which makes two
/// lessons seem a little nearer than they are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LessonWords([u64; WORDS]);

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
        for word in text.split(|letter: char| !letter.is_alphanumeric()) {
            let mut stem = [' '; STEM];
            let mut letters = word.chars().flat_map(char::to_lowercase);
            let mut length = 0;
            for (place, letter) in stem.iter_mut().zip(&mut letters) {
                *place = letter;
                length += 1;
            }
            if stem.first().is_some_and(|first| *first >= UNSPACED) {
                let neighbours = word.chars().zip(word.chars().skip(1));
                neighbours.for_each(|pair| self.put(pair));
            } else if length >= SHORTEST {
                self.put(stem);
            }
        }
    }

    /// The cosine of two sets: 1 for the same words, 0 for none in common.
    pub fn cosine(&self, other: &Self) -> f64 {
        let common: u32 = self.0.iter().zip(other.0).map(|(ours, theirs)| (ours & theirs).count_ones()).sum();
        if common == 0 {
            return 0.0;
        }
        f64::from(common) / f64::from(self.count() * other.count()).sqrt()
    }

    fn count(&self) -> u32 {
        self.0.iter().map(|places| places.count_ones()).sum()
    }

    fn put(&mut self, word: impl Hash) {
        let mut hasher = DefaultHasher::new();
        word.hash(&mut hasher);
        let place = hasher.finish() as usize % (WORDS * u64::BITS as usize);
        if let Some(places) = self.0.get_mut(place / u64::BITS as usize) {
            *places |= 1 << (place % u64::BITS as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(left: &str, right: &str) -> f64 {
        LessonWords::of_text(left).cosine(&LessonWords::of_text(right))
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
    }

    #[test]
    fn nearness_stays_within_its_bounds_however_many_words_there_are() {
        let many: String = (0..10_000).map(|number| format!("word{number} ")).collect();
        let all: String = (0..10_000).map(|number| format!("{number:x}xyz ")).collect();
        for (left, right) in [(many.as_str(), all.as_str()), (&all, &all), (&all, "one more lesson")] {
            let cosine = near(left, right);
            assert!((0.0..=1.0).contains(&cosine), "{cosine}");
        }
    }
}
