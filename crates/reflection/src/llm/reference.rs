//! What a lesson may not tell: the reference is for whoever writes and judges, and no agent reads it.

use std::collections::HashSet;

use reflect_core::Lesson;

use super::check::in_a_row;
use crate::ReviewedRun;

/// So many words in a row are no chance. A reference of fewer is a value as a whole.
const PHRASE: usize = 4;

/// Whether a lesson has a value or a phrase of the reference that stands in neither the task, the run nor the feedback.
pub(super) fn gives_away(lesson: &Lesson, run: &ReviewedRun) -> bool {
    let Some(reference) = run.reference_context.as_deref().map(in_a_row).filter(|reference| !reference.is_empty())
    else {
        return false;
    };
    let said = in_a_row(&format!("{}\n{}", lesson.text(), lesson.summary));
    let known = known(run);
    let values = |text: &str| -> HashSet<String> {
        text.split(' ').filter(|word| word.chars().any(|c| c.is_ascii_digit())).map(str::to_owned).collect()
    };
    let secret: HashSet<String> = values(&reference).difference(&values(&known)).cloned().collect();
    // A single digit may count anything.
    if values(&said).iter().any(|value| value.len() > 1 && secret.contains(value)) {
        return true;
    }
    let words = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
    let (said, reference, known) = (words(&said), words(&reference), words(&known));
    let length = PHRASE.min(reference.len());
    let in_reference: HashSet<&[String]> = reference.windows(length).collect();
    let in_known: HashSet<&[String]> = known.windows(length).collect();
    said.windows(length).any(|phrase| in_reference.contains(phrase) && !in_known.contains(phrase))
}

/// Everything that the agent or its reviewer has said or seen.
fn known(run: &ReviewedRun) -> String {
    let of_run = run.messages.iter().flat_map(|message| {
        let calls = message.tool_calls.iter().flat_map(|call| [&call.name, &call.arguments]);
        let results = message.tool_results.iter().map(|result| &result.text);
        std::iter::once(&message.text).chain(calls).chain(results)
    });
    let beside = [&run.task, &run.final_response].into_iter().chain(&run.feedback_text);
    of_run.chain(beside).map(|text| in_a_row(text)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use reflect_core::{Message, Outcome, ReviewSource};

    use super::*;

    fn run(reference: &str) -> ReviewedRun {
        ReviewedRun {
            task: "Which country has the most airports?".into(),
            messages: vec![Message { text: "I count 14 airports in Norway.".into(), ..Message::default() }],
            final_response: "Norway.".into(),
            outcome: Outcome::Fail,
            feedback_text: Some("Count the closed ones, too.".into()),
            review_source: ReviewSource::Api,
            reference_context: Some(reference.into()),
            shown_lessons: Vec::new(),
        }
    }

    fn is_told(guidance: &str, reference: &str) -> bool {
        let lesson = Lesson { guidance: guidance.into(), ..Lesson::default() };
        gives_away(&lesson, &run(reference))
    }

    #[test]
    fn a_value_that_only_the_reference_has_is_not_told() {
        assert!(is_told("The answer is SWEDEN.", "Sweden"));
        assert!(is_told("Answer 27 airports.", "Sweden has 27"));
        assert!(is_told("Refunds are paid within 30 days.", "Refunds take up to 30 days after the return."));
        assert!(is_told("An agent never closes an account.", "No exceptions: an agent never closes an account alone."));
    }

    #[test]
    fn what_the_run_or_its_reviewer_says_may_be_told() {
        assert!(!is_told("There are 14 airports in Norway.", "Norway has 14"));
        assert!(!is_told("Count the closed ones, too.", "Count the closed ones, too: 27"));
        assert!(!is_told("Count closed airports before you compare countries.", "Sweden"));
        assert!(!is_told("Count closed airports before you compare countries.", ""));
    }
}
