//! Which sentences of a reviewer's stay.
//!
//! Each is a demand, what belongs to one, a statement, or chat. Demands stay word for word. After a run that failed statements stay as
//! well: they say what was wrong. After one that passed they are praise, unless they belong to a demand.

use reflect_core::Outcome;

use super::{demands::demands, judgement, praise};
use crate::builtin::reading;

/// From this many sentences on, what stands around the demands is chat, whatever it is.
const LONG: usize = 5;

/// What a sentence is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Demand,
    /// A condition of the demand before it, or what follows from it.
    Addition,
    /// It says how something is or was.
    Statement,
    /// Somebody speaks of himself.
    Personal,
    /// Praise, thanks, a greeting.
    Chat,
}

/// The sentences that stay, without the praise before them.
pub(super) fn sift(sentences: &[&str], outcome: Outcome) -> Vec<String> {
    let kinds: Vec<Kind> = sentences.iter().map(|sentence| kind(sentence, outcome)).collect();
    let Some(first) = kinds.iter().position(|kind| *kind == Kind::Demand) else {
        return if outcome.is_pass() { Vec::new() } else { faults(sentences, &kinds) };
    };
    let is_long = sentences.len() >= LONG;
    let mut kept: Vec<String> = Vec::new();
    let mut is_after_cut = true;
    for (at, (sentence, kind)) in sentences.iter().zip(&kinds).enumerate() {
        let stays = match kind {
            Kind::Demand => true,
            Kind::Addition => !is_after_cut,
            Kind::Statement if outcome.is_pass() => !is_long && at > first,
            Kind::Statement => !is_long || praise::finds_fault(sentence),
            Kind::Personal => !outcome.is_pass() && !is_long,
            Kind::Chat => false,
        };
        if stays {
            kept.push(opened(sentence, is_after_cut));
        }
        is_after_cut = !stays;
    }
    kept
}

/// What was wrong, where nothing is demanded: all but praise, unless that is all there is.
fn faults(sentences: &[&str], kinds: &[Kind]) -> Vec<String> {
    if kinds.iter().all(|kind| *kind == Kind::Chat) {
        return judgement::without(sentences.to_vec()).sentences;
    }
    let mut kept = Vec::new();
    let mut is_after_cut = true;
    for (sentence, kind) in sentences.iter().zip(kinds) {
        if *kind != Kind::Chat {
            kept.push(opened(sentence, is_after_cut));
        }
        is_after_cut = *kind == Kind::Chat;
    }
    kept
}

fn kind(sentence: &str, outcome: Outcome) -> Kind {
    const ADDITIONS: &str = "otherwise unless except then this that these it they both also sonst ansonsten außer ausgenommen dann das dies \
        gilt sinon sauf excepto salvo cela c'est exceto caso altrimenti tranne anders tenzij behalve inaczej chyba иначе кроме";
    if judgement::is_all(sentence) {
        return Kind::Chat;
    }
    let is_mockery = !outcome.is_pass() && judgement::mocks(sentence);
    let sentence = judgement::after_judgement(sentence).unwrap_or(sentence);
    let small = reading::lower(sentence);
    let first = small.split(reading::is_between).find(|word| !word.is_empty()).unwrap_or_default();
    // "The right address is …" may be what was wrong.
    let is_praise = if outcome.is_pass() { praise::praises(sentence) } else { praise::only_praises(sentence) };
    match sentence {
        _ if demands(sentence) && is_mockery => Kind::Chat,
        _ if demands(sentence) => Kind::Demand,
        _ if is_praise || praise::greets(sentence) => Kind::Chat,
        _ if praise::is_personal(sentence) => Kind::Personal,
        _ if reading::lists(ADDITIONS, first) => Kind::Addition,
        _ => Kind::Statement,
    }
}

/// The sentence without the praise that opens it, and without the "but" that joined it to praise before.
fn opened(sentence: &str, is_after_cut: bool) -> String {
    match without_praise(sentence) {
        Some(rest) => judgement::large(judgement::without_joint(rest)),
        None if is_after_cut => judgement::large(judgement::without_joint(sentence)),
        None => sentence.to_owned(),
    }
}

/// What follows the praise: "Nice work on the cache, but never …". Behind a joint rather than behind any comma.
fn without_praise(sentence: &str) -> Option<&str> {
    if let Some(rest) = judgement::after_judgement(sentence) {
        return Some(rest);
    }
    if !praise::opens_with_praise(sentence) {
        return None;
    }
    let parts = |after: &'static str| {
        sentence.match_indices(after).filter_map(move |(at, sign)| {
            let (before, rest) = (sentence.get(..at)?, sentence.get(at + sign.len()..)?.trim_start());
            (praise::praises(before) && !demands(before)).then_some(rest)
        })
    };
    let cuts = [",", ";", " –", " —", " -", ":", "，", "、"];
    let all: Vec<&str> = cuts.iter().flat_map(|cut| parts(cut)).collect();
    let tells = |rest: &str| demands(rest) || praise::finds_fault(judgement::without_joint(rest));
    let joined = all.iter().find(|rest| judgement::without_joint(rest).len() < rest.len() && tells(rest));
    joined.or_else(|| all.iter().max_by_key(|rest| rest.len()).filter(|rest| demands(rest))).copied()
}
