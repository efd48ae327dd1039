//! A model's lesson, mended with what the rules know for certain.

use reflect_core::{Lesson, Outcome, Tells};

use crate::{ReviewedRun, builtin};

/// Answers shorter than this are words that any text may have.
const SHORTEST_ANSWER: usize = 4;

/// The lesson, field by field. The reviewer's own words head its guidance: a small model loses the one word that mattered. A field that quotes
/// the answer of a failed run, which an agent would repeat, gives way to what the rules say there. Guidance with names and numbers
/// of this run in it says that they are its own.
pub(super) fn mended(lesson: Lesson, run: &ReviewedRun) -> Lesson {
    let rules = builtin::lesson(run);
    let fit = |text: String, by_rules: &str| if quotes_the_failure(&text, run) { by_rules.to_owned() } else { text };
    let guidance = fit(lesson.guidance, "");
    let mended = Lesson {
        key_mistake: fit(lesson.key_mistake, &rules.key_mistake),
        correct_action: fit(lesson.correct_action, &rules.correct_action),
        guidance: builtin::with_reviewers_words(run, &guidance),
        ..lesson
    };
    Lesson { tells: rules.tells.map(|by_rules| told(&mended, by_rules, run.outcome)), ..mended }
}

/// How much a model's lesson tells: what the rules make of the run, or the least that it says more than they do.
fn told(lesson: &Lesson, by_rules: Tells, outcome: Outcome) -> Tells {
    match (by_rules, outcome) {
        _ if lesson.has_only_a_summary() => Tells::Nothing,
        (Tells::Nothing, Outcome::Pass) => Tells::Example,
        // The reviewer gave no more than the answer to this task; how to work, which is for others too, is the model's.
        (Tells::Nothing | Tells::Answer, Outcome::Fail) => Tells::Pitfall,
        _ => by_rules,
    }
}

fn quotes_the_failure(text: &str, run: &ReviewedRun) -> bool {
    let answer = run.final_response.trim().trim_end_matches('.');
    let asked_for = run.feedback_text.as_deref().is_some_and(|feedback| feedback.contains(answer));
    run.outcome == Outcome::Fail
        && answer.chars().count() >= SHORTEST_ANSWER
        && text.contains(answer)
        && !run.task.contains(answer)
        && !asked_for
}

#[cfg(test)]
mod tests {
    use reflect_core::ReviewSource;

    use super::*;

    fn failed(feedback: &str) -> ReviewedRun {
        ReviewedRun {
            task: "Greet the customer Chen.".into(),
            messages: Vec::new(),
            final_response: "Hello Chen!".into(),
            outcome: Outcome::Fail,
            feedback_text: Some(feedback.into()),
            review_source: ReviewSource::Api,
            reference_context: None,
            shown_lessons: Vec::new(),
        }
    }

    fn guidance(text: &str) -> Lesson {
        Lesson { guidance: text.into(), ..Lesson::default() }
    }

    const RULE: &str = "Every greeting ends with the words Team Nord.";

    #[test]
    fn the_reviewers_words_come_first_and_once() {
        let mended = |text: &str| mended(guidance(text), &failed(RULE)).guidance;
        assert_eq!(mended("Sign the greeting."), format!("{RULE} Sign the greeting."));
        assert_eq!(mended(RULE), RULE);
    }

    #[test]
    fn a_judges_reason_is_not_put_into_anybodys_mouth() {
        let judged = ReviewedRun { review_source: ReviewSource::Judge, ..failed(RULE) };
        assert_eq!(mended(guidance("Sign the greeting."), &judged).guidance, "Sign the greeting.");
    }

    #[test]
    fn a_field_that_quotes_the_failed_answer_gives_way() {
        let lesson = Lesson {
            key_mistake: "It answered “Hello Chen!”.".into(),
            correct_action: "End with Team Nord.".into(),
            ..guidance("Do not say Hello Chen!")
        };
        let mended = mended(lesson, &failed(RULE));
        assert_eq!((&*mended.key_mistake, &*mended.correct_action), ("", "End with Team Nord."));
        assert_eq!(mended.guidance, RULE);
    }

    #[test]
    fn a_model_may_say_more_than_the_answer_to_one_task() {
        let mended = mended(guidance("Read the number off the register."), &failed("Wrong. DE811907980."));
        assert_eq!((&*mended.guidance, mended.tells), ("Read the number off the register.", Some(Tells::Pitfall)));
    }

    #[test]
    fn values_of_the_run_are_marked_as_its_own() {
        let mended = mended(guidance("Write Chen, then Team Nord."), &failed("No."));
        assert!(
            mended.guidance.starts_with("Write Chen, then Team Nord. Names and numbers in this"),
            "{}",
            mended.guidance
        );
    }
}
