//! The reviewer's words.
//!
//! They are handed on as they stand, without the praise and the chat around them (`sift`). Whether a sentence states a rule or complains
//! about the run cannot be told from its words with any certainty ("Invoices are numbered INV-…"), and a rule under the name of a mistake
//! teaches its opposite. What is no more than the right answer, or a report of checks, is told as that.

mod answer;
mod checks;
mod demands;
mod judgement;
mod praise;
mod sift;

use reflect_core::{Outcome, Tells};

use super::{reading, words};

/// The most characters of feedback that are read.
const READ_LIMIT: usize = 4_000;

/// What a reviewer wrote.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Feedback {
    /// What it says beyond pass and fail; empty when that is all.
    pub(super) text: String,
    /// How much that tells: a rule, or the answer to that very task.
    pub(super) tells: Option<Tells>,
}

impl Feedback {
    /// Reads the words; `reference` is what the run was held against, which may have been given as the words.
    pub(super) fn read(text: &str, reference: &str, outcome: Outcome) -> Self {
        let start: String = text.trim().chars().take(READ_LIMIT).collect();
        if let Some(report) = checks::read(&start) {
            return match report {
                checks::Report::Words(inner) => Self::of_words(&inner, reference, outcome),
                checks::Report::Checks { text, tells } => Self { text, tells: Some(tells) },
                checks::Report::Nothing => Self::default(),
            };
        }
        Self::of_words(&start, reference, outcome)
    }

    fn of_words(text: &str, reference: &str, outcome: Outcome) -> Self {
        if judgement::is_all(text) {
            return Self::default();
        }
        if super::outcome::is_exception(text) {
            let quoted = words::code(&super::outcome::telling(text), 300);
            return Self { text: format!("The reported error is {quoted}."), tells: Some(Tells::Rule) };
        }
        let parts: Vec<&str> = reading::sentences(text).map(without_mark).collect();
        let is_reference = !reference.is_empty() && words::fold(text, READ_LIMIT) == words::fold(reference, READ_LIMIT);
        let telling: Vec<&str> = parts.iter().copied().filter(|part| !judgement::is_all(part)).collect();
        let has_judged = telling.len() < parts.len();
        let sifted = sift::sift(&parts, outcome);
        let kept = judgement::without(parts);
        let answer = match (telling.as_slice(), kept.sentences.as_slice()) {
            ([whole], [cut]) => answer::read(whole, has_judged, is_reference)
                .or_else(|| answer::read(cut, kept.has_judged, is_reference)),
            _ => None,
        };
        if let Some(answer) = answer {
            let text = format!("The reviewer's answer: {}", words::sentence_as_it_is(answer, READ_LIMIT));
            return Self { text, tells: Some(Tells::Answer) };
        }
        let sentences: Vec<String> = sifted.iter().map(|sentence| words::sentence(sentence, READ_LIMIT)).collect();
        let text = words::balanced(&words::fold(&reading::joined(&sentences), READ_LIMIT));
        let tells = (!text.is_empty()).then_some(Tells::Rule);
        Self { text, tells }
    }

    /// Whether it says something in particular.
    pub(super) fn is_telling(&self) -> bool {
        self.tells.is_some()
    }
}

/// A sentence without the mark of a list before it: a dash, a dot, a number.
fn without_mark(sentence: &str) -> &str {
    let sentence = sentence.trim_start_matches(['-', '*', '•', ' ']);
    let rest = sentence.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let is_number = (1..=2).contains(&(sentence.len() - rest.len()));
    let item = rest.strip_prefix(['.', ')']).and_then(|item| item.strip_prefix(' ')).map(str::trim_start);
    item.filter(|item| is_number && item.starts_with(char::is_alphabetic)).unwrap_or(sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Option<Tells>, String) {
        let Feedback { text, tells } = Feedback::read(text, "", Outcome::Fail);
        (tells, text)
    }

    fn rule(text: &str) -> String {
        let (tells, said) = read(text);
        assert_eq!(tells, Some(Tells::Rule), "{text}");
        said
    }

    fn answer(text: &str) -> String {
        let (tells, said) = read(text);
        assert_eq!(tells, Some(Tells::Answer), "{text}: {said}");
        said
    }

    #[test]
    fn vague_words_say_nothing() {
        let vague = [
            "Wrong",
            "The answer was incorrect.",
            "no",
            "👎",
            "  ",
            "It didn't work!",
            "Good job, thanks",
            "Toll!",
            "¡Perfecto!",
            "Score: 0.3",
            "Don't.",
        ];
        for text in vague {
            assert!(!Feedback::read(text, "", Outcome::Fail).is_telling(), "{text}");
        }
    }

    #[test]
    fn sentences_that_say_something_stay_in_their_order() {
        assert_eq!(
            rule("Wrong. booked 10:00 UTC instead of Berlin time. Always convert first"),
            "Booked 10:00 UTC instead of Berlin time. Always convert first."
        );
    }

    #[test]
    fn praise_is_cut_off_and_conditions_stay() {
        let wanted = "Rechnungen über 500 Euro gehen immer zuerst an die Buchhaltung.";
        assert_eq!(rule("Toll! Aber Rechnungen über 500 Euro gehen immer zuerst an die Buchhaltung."), wanted);
        assert_eq!(rule("Nice work - though always ask before deleting."), "Always ask before deleting.");
        assert_eq!(rule("Malo. Siempre hay que citar la fuente."), "Siempre hay que citar la fuente.");
        assert_eq!(rule("Great job, but always cite the source."), "Always cite the source.");
        assert_eq!(
            rule("Good. If the order is above 100 €, ask for a photo, but not on Sundays."),
            "If the order is above 100 €, ask for a photo, but not on Sundays."
        );
        assert_eq!(rule("Oh great, three apologies in a row."), "Three apologies in a row.");
        assert_eq!(rule("Brilliant: red tests have to go. Never delete a test."), "Never delete a test.");
        assert_eq!(rule("Correct: totals have to be gross. Never net."), "Totals have to be gross. Never net.");
        assert_eq!(
            rule("列の追加は正しいです。ただし、本番では実行しないでください。"),
            "本番では実行しないでください。"
        );
        assert_eq!(
            rule("The right endpoint is /v2/users. You called /v1."),
            "The right endpoint is /v2/users. You called /v1."
        );
        assert_eq!(rule("You said the tests pass. Nobody ran them."), "You said the tests pass. Nobody ran them.");
        assert_eq!(rule("Good that it asked for the address first."), "Good that it asked for the address first.");
    }

    #[test]
    fn after_a_pass_only_demands_stay() {
        let passed = |text: &str| Feedback::read(text, "", Outcome::Pass).text;
        for text in [
            "Danke dir!",
            "Good catch.",
            "I went through it on the train and like it.",
            "速度很快。",
            "It was what we had hoped for.",
        ] {
            assert_eq!(passed(text), "", "{text}");
        }
        let wanted = "Refunds above 50 EUR always go to a supervisor, whatever the reason.";
        assert_eq!(
            passed("Nice catch! Still, refunds above 50 EUR always go to a supervisor, whatever the reason."),
            wanted
        );
        let long = "Thanks, I read it twice. The tables are what I was after. Every figure needs its source, or it must be left out. \
            My boss liked it. See you on Monday. Have a nice weekend!";
        assert_eq!(passed(long), "Every figure needs its source, or it must be left out.");
        assert_eq!(passed("速度很快。但是退款前必须核对金额。"), "退款前必须核对金额。");
        assert_eq!(passed("很棒!必须先备份!不要删库。"), "必须先备份!不要删库。");
        assert_eq!(passed("Only ship paid orders. Otherwise ask."), "Only ship paid orders. Otherwise ask.");
    }

    #[test]
    fn a_right_answer_is_told_from_a_rule() {
        assert_eq!(answer("Wrong. DE811907980."), "The reviewer's answer: DE811907980.");
        assert_eq!(answer("517/26-O"), "The reviewer's answer: 517/26-O.");
        assert_eq!(answer("Wrong, it should be: 85 euros"), "The reviewer's answer: 85 euros.");
        assert_eq!(answer("No. The correct answer is Lisbon."), "The reviewer's answer: Lisbon.");
        assert_eq!(answer("Correct answer: B"), "The reviewer's answer: B.");
        assert_eq!(answer("Wrong. The answer should be 42."), "The reviewer's answer: 42.");
        assert_eq!(answer("Nope, Lisbon"), "The reviewer's answer: Lisbon.");
        assert_eq!(answer("Falsch. Lissabon."), "The reviewer's answer: Lissabon.");
        for text in [
            "Dates should be ISO 8601.",
            "Max 3 items.",
            "Use 2 spaces.",
            "Too long.",
            "It should be in grams.",
            "Netto, nie Brutto.",
        ] {
            rule(text);
        }
    }

    #[test]
    fn an_exception_as_feedback_is_quoted() {
        assert_eq!(rule("KeyError: 'total'"), "The reported error is `KeyError: 'total'`.");
    }

    #[test]
    fn a_report_of_checks_is_read() {
        assert_eq!(
            answer(r#"{"checks": [{"name": "total", "expected": 21.66, "got": 21.6}]}"#),
            "The check `total` expected 21.66 and got 21.6."
        );
        assert_eq!(
            rule(
                r#"[{"check": "tone", "passed": false, "message": "Too curt."}, {"check": "length", "passed": true}]"#
            ),
            "The check `tone` failed: Too curt."
        );
        assert_eq!(rule(r#"{"score": 0.2, "reason": "Always cite the source."}"#), "Always cite the source.");
        assert_eq!(
            answer(r#"{"total": {"expected": "a", "actual": "b"}, "tax": true}"#),
            "The check `total` expected `a` and got `b`."
        );
        assert_eq!(
            rule(
                r#"{"score": 0.6, "rubric": [{"criterion": "tone", "met": true, "comment": "Kind."}, {"criterion": "cc", "met": false, "comment": "The lead goes in cc."}]}"#
            ),
            "The check `cc` failed: The lead goes in cc."
        );
        assert_eq!(
            rule(
                r#"[{"name": "source", "score": 0, "max": 2, "reason": "Cite it."}, {"name": "sum", "score": 1, "max": 2}]"#
            ),
            "The check `source` failed: Cite it."
        );
        assert_eq!(
            rule(
                r#"{"checks": {"form": "pass", "length": "fail", "tone": {"ok": false, "why": "Curt."}}, "overall": "fail"}"#
            ),
            "The check `length` failed. The check `tone` failed: Curt."
        );
        assert_eq!(answer(r#"{"checks": {"total": false, "tax": true}}"#), "The check `total` failed.");
        assert_eq!(read(r#"{"score": 0.2}"#).0, None);
        assert_eq!(read(r#"{"checks": [{"name": "a", "passed": true}]}"#).0, None);
    }
}
