//! Finds lessons of no use: empty ones, mere answers, copies of lessons that the run was shown.

use std::collections::HashSet;

use reflect_core::Lesson;

use super::reference::gives_away;
use crate::{ReviewedRun, prompt};

/// From this share of words in common on, two texts say the same. Lessons about one task share many words, so it is high.
const SAME: f64 = 0.85;

/// Fewer words than this are too few to compare.
const FEWEST_WORDS: usize = 4;

/// A plan of at least this many words that stands in an old lesson word for word is a copy of it.
const FEWEST_IN_A_ROW: usize = 6;

/// Why the lesson of a run is of no use; `None` if it is.
pub(super) fn refusal(lesson: &Lesson, run: &ReviewedRun) -> Option<&'static str> {
    if lesson.summary.is_empty() {
        return Some("`summary` is empty");
    }
    if lesson.guidance.is_empty() && lesson.correct_action.is_empty() {
        return Some("`guidance` and `correct_action` are both empty, so there is nothing to act on");
    }
    if words(&lesson.guidance).len() + words(&lesson.correct_action).len() < FEWEST_WORDS {
        return Some("`guidance` is too short to act on: name the tool, the argument or the check");
    }
    let advice = words(&format!("{} {}", lesson.correct_action, lesson.guidance));
    if gives_away(lesson, run) {
        return Some(
            "it tells what only the reference says; the agent must not read that: say how to find it out instead",
        );
    }
    let answer = words(&run.final_response);
    if is_same(&words(&lesson.guidance), &answer) || is_same(&advice, &answer) {
        return Some("it repeats the agent's answer; write how to work next time instead of answering the task");
    }
    let own = words(&lesson.text());
    let repeats = |known: &HashSet<String>| is_same(&own, known) || is_same(&advice, known);
    let shown = run.shown_lessons.iter().any(|shown| {
        let said = &shown.lesson;
        repeats(&words(&said.text())) || repeats(&words(&format!("{} {}", said.correct_action, said.guidance)))
    });
    let spoken = in_a_row(&lesson.guidance);
    let repeats_text = |old: &String| {
        let verbatim = spoken.split(' ').count() >= FEWEST_IN_A_ROW && in_a_row(&without_tags(old)).contains(&spoken);
        verbatim || old.split("<memory").any(|one| repeats(&words(&without_tags(one))))
    };
    let recalled = || prompt::recalled_texts(&run.task, &run.messages).iter().any(repeats_text);
    if shown || recalled() {
        return Some(
            "it repeats a lesson that the agent was shown; say only what is new, or where that lesson fell short",
        );
    }
    None
}

/// Whether two sets of words overlap so much that the texts say the same.
fn is_same(left: &HashSet<String>, right: &HashSet<String>) -> bool {
    if left.len() < FEWEST_WORDS || right.len() < FEWEST_WORDS {
        return false;
    }
    let shared = left.intersection(right).count();
    let all = left.len() + right.len() - shared;
    shared as f64 / all as f64 >= SAME
}

fn words(text: &str) -> HashSet<String> {
    let inside = |character: char| character.is_alphanumeric() || character == '_';
    text.split(|character| !inside(character)).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// The words in their order, with single spaces between them.
pub(super) fn in_a_row(text: &str) -> String {
    let inside = |character: char| character.is_alphanumeric() || character == '_';
    let words = text.split(|character| !inside(character)).filter(|word| !word.is_empty()).map(str::to_lowercase);
    words.collect::<Vec<_>>().join(" ")
}

fn without_tags(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    // The text begins inside the tag that it was split at.
    for piece in text.split('<') {
        kept.push_str(piece.split_once('>').map_or(piece, |(_, words)| words));
        kept.push(' ');
    }
    kept
}

#[cfg(test)]
mod tests {
    use reflect_core::{Message, Outcome, ReviewSource, ToolResult};

    use super::*;
    use crate::ShownLesson;

    fn run() -> ReviewedRun {
        ReviewedRun {
            task: "What is the capital of Portugal?".into(),
            messages: Vec::new(),
            final_response: "The capital of Portugal is Lisbon, of course.".into(),
            outcome: Outcome::Fail,
            feedback_text: None,
            review_source: ReviewSource::Api,
            reference_context: None,
            shown_lessons: Vec::new(),
        }
    }

    fn lesson(guidance: &str) -> Lesson {
        Lesson { summary: "It failed.".into(), guidance: guidance.into(), ..Lesson::default() }
    }

    const GOOD: &str = "Look the order up with get_order before any refund and compare the totals.";

    #[test]
    fn a_concrete_plan_is_taken() {
        assert_eq!(refusal(&lesson(GOOD), &run()), None);
    }

    #[test]
    fn empty_lessons_and_mere_answers_are_refused() {
        assert!(refusal(&Lesson::default(), &run()).unwrap().contains("summary"));
        assert!(refusal(&lesson(""), &run()).unwrap().contains("nothing to act on"));
        assert!(refusal(&lesson("Be careful."), &run()).unwrap().contains("too short"));
        assert!(refusal(&lesson("Lisbon is the capital of Portugal, of course."), &run()).unwrap().contains("answer"));
    }

    #[test]
    fn copies_of_known_lessons_are_refused() {
        let mut shown = run();
        shown.shown_lessons = vec![ShownLesson { lesson: lesson(GOOD), ..ShownLesson::default() }];
        assert!(refusal(&lesson(GOOD), &shown).unwrap().contains("shown"));
        let mut recalled = run();
        let block =
            format!("<relevant_memories>\n<memory id=\"1\"><guidance>{GOOD}</guidance></memory>\n</relevant_memories>");
        recalled.messages = vec![Message { role: "user".into(), text: block, ..Message::default() }];
        assert!(refusal(&lesson(GOOD), &recalled).unwrap().contains("shown"));
        recalled.messages[0].text = recalled.messages[0].text.replace("</relevant_memories>", "");
        assert!(refusal(&lesson(GOOD), &recalled).unwrap().contains("shown"), "a block that was cut off is known too");
        let mut asked = run();
        asked.messages = vec![Message {
            role: "tool".into(),
            tool_results: vec![ToolResult {
                name: "retrieve_memories".into(),
                text: format!("[{{\"guidance\": \"{GOOD}\", \"task\": \"{}\"}}]", "other words ".repeat(50)),
                ..ToolResult::default()
            }],
            ..Message::default()
        }];
        assert!(refusal(&lesson(GOOD), &asked).unwrap().contains("shown"));
    }
}
