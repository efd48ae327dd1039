//! Finds lessons of no use: empty ones, mere answers, copies of earlier lessons of the run.

use std::collections::HashSet;

use reflect_core::Lesson;

/// From this share of words in common on, two texts say the same. Lessons about one task share many words, so it is high.
const SAME: f64 = 0.85;

/// Why a lesson is of no use; `None` if it is. `known` are the lessons of the run so far.
pub(crate) fn refusal<'a>(
    lesson: &Lesson,
    answer: &str,
    known: impl IntoIterator<Item = &'a Lesson>,
) -> Option<&'static str> {
    let own = words(&all(lesson));
    if own.is_empty() {
        return Some("it says nothing");
    }
    let advice = words(&advice(lesson));
    let answer = words(answer);
    if is_same(&own, &answer) || is_same(&advice, &answer) {
        return Some("it repeats the answer");
    }
    let repeats = |old: &Lesson| {
        let old_advice = words(&self::advice(old));
        is_same(&own, &words(&all(old))) || is_same(&advice, &old_advice)
    };
    known.into_iter().any(repeats).then_some("it repeats an earlier lesson")
}

/// Its words, without the names of its parts.
fn all(lesson: &Lesson) -> String {
    format!("{} {}", lesson.summary, advice(lesson))
}

/// What to do next time: the summary tells of a trial, and differs even where the advice is the same.
fn advice(lesson: &Lesson) -> String {
    format!("{} {} {}", lesson.key_mistake, lesson.correct_action, lesson.guidance)
}

/// Whether two texts use the same words.
fn is_same(one: &HashSet<String>, other: &HashSet<String>) -> bool {
    if one.is_empty() || other.is_empty() {
        return false;
    }
    let shared = one.intersection(other).count();
    let all = one.len() + other.len() - shared;
    shared as f64 / all as f64 >= SAME
}

fn words(text: &str) -> HashSet<String> {
    let inside = |character: char| character.is_alphanumeric() || character == '_';
    text.split(|character| !inside(character)).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lesson(guidance: &str) -> Lesson {
        Lesson { guidance: guidance.into(), ..Lesson::default() }
    }

    #[test]
    fn empty_repeating_and_answering_lessons_are_refused() {
        let known = [lesson("Look the order up before any refund.")];
        let refused = |guidance: &str| refusal(&lesson(guidance), "Lisbon is the capital.", &known);
        assert_eq!(refused("  \n"), Some("it says nothing"));
        assert_eq!(refused("?!"), Some("it says nothing"));
        assert_eq!(refused("The capital is Lisbon."), Some("it repeats the answer"));
        assert_eq!(refused("look the order up, before ANY refund"), Some("it repeats an earlier lesson"));
        assert_eq!(refused("Compare the totals before any refund."), None);
        assert_eq!(refusal(&lesson("Check it."), "", &[]), None);
    }
}
