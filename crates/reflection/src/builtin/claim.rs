//! An answer that claims success after an error.

use super::{evidence::Evidence, reading, steps::Step, words};

/// An error at the end of a run, and the part of the answer that passes over it.
pub(super) struct Claim<'s, 'a> {
    pub(super) step: &'s Step<'a>,
    pub(super) said: String,
}

/// A longer answer, in bytes, is a document and claims nothing about the run.
const ANSWER_LIMIT: usize = 8_000;

/// Words of success. A sentence needs one of them to be a claim.
const SUCCESS: &str = "added applied booked changed complete completed confirmed created deleted pass implemented deployed done \
    erfolgreich erledigt finished fixed gebucht gesendet issued moved passed passes processed published refunded \
    removed resolved saved scheduled sent storniert submitted success successful successfully transferred updated \
    uploaded works";

/// Words that own up to trouble, or may. An answer with any of them is given the benefit of the doubt.
const TROUBLE: &str = "aber although but can't cannot couldn't couldnt didn't doesn't error errors except fail \
    failed failing fails failure fehler fehlgeschlagen hasn't haven't however isn't issue issues kein keine konnte \
    leider manually nicht no not problem sorry unable unfortunately unsuccessful until wasn't weren't won't wouldn't";

/// The claim, where the last step of the run is an error and the answer speaks of success and of no trouble.
pub(super) fn find<'s, 'a>(evidence: &'s Evidence<'a>) -> Option<Claim<'s, 'a>> {
    let step = evidence.steps.last().filter(|step| step.failure().is_some())?;
    if evidence.answer.len() > ANSWER_LIMIT || has(&evidence.answer, TROUBLE) {
        return None;
    }
    let claiming = reading::sentences(&evidence.answer).find(|sentence| has(sentence, SUCCESS))?;
    // "Done!" alone tells little, so what follows it is quoted too.
    let said = match claiming.split_whitespace().nth(2) {
        None => evidence.answer.get(evidence.answer.find(claiming)?..)?,
        Some(_) => claiming,
    };
    Some(Claim { step, said: words::speech(said, 160) })
}

/// Whether a text has a word of the list.
fn has(text: &str, list: &str) -> bool {
    reading::lower(text).split(reading::is_between).any(|word| reading::lists(list, word))
}

/// Whether an answer only reports that something was done, as at the end of work that is not recorded.
pub(super) fn is_report(answer: &str) -> bool {
    const REPORTS: &str =
        "i i've we we've all done everything the your fixed added updated changed implemented ich wir alle";
    let first = reading::lower(answer.trim());
    let opens = first.split(reading::is_between).find(|word| !word.is_empty());
    answer.len() <= ANSWER_LIMIT && opens.is_some_and(|word| reading::lists(REPORTS, word)) && has(answer, SUCCESS)
}
