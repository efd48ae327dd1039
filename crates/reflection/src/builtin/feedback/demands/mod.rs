//! Whether a sentence asks for something: a rule, an order, a wish for the next time.
//!
//! The words are those that languages use for it ("must", "nie", "il faut", "必须"), not those of any field of work. A sentence with
//! none of them may be a rule all the same, but after a run that passed it is more often praise.

mod words;

use words::{AFTER_NOUNS, AFTER_ORDERS, DUTY, IDIOMS, LIMITS, ONLY, OPENERS, ORDERS, PHRASES, SIGNS, WHENEVER};

use super::praise;
use crate::builtin::reading;

/// Whether the sentence demands something.
pub(super) fn demands(sentence: &str) -> bool {
    let mut small = reading::lower(sentence);
    for idiom in IDIOMS.split('|') {
        if small.contains(idiom) {
            small = small.replace(idiom, " ");
        }
    }
    if SIGNS.split('|').any(|sign| small.contains(sign)) {
        return true;
    }
    let words: Vec<&str> = small.split(reading::is_between).filter(|word| !word.is_empty()).collect();
    let folded = words.join(" ");
    words.iter().any(|word| reading::lists(DUTY, word))
        || says_never(&words, &small)
        || PHRASES.split('|').any(|phrase| has_phrase(&folded, phrase))
        || is_limit(&words)
        || is_forbidden(&words)
        || is_wish(&words)
        || clauses(&small).any(is_order)
        || is_infinitive(&words)
        || (is_general(sentence, &words) && (holds_whenever(&words) || contrasts(&small)))
}

/// "Never" in German is "not" in Polish, and in Italian the month of May in French.
fn says_never(words: &[&str], small: &str) -> bool {
    const POLISH: &str = "mam jest to się na do za było bardzo uwag tak ma";
    let has = |word: &str| words.contains(&word);
    let is_polish = small.contains(['ą', 'ę', 'ł', 'ń', 'ś', 'ź', 'ż', 'ć'])
        || words.iter().any(|word| reading::lists(POLISH, word));
    (has("nie") && !is_polish) || (has("mai") && (has("non") || words.first() == Some(&"mai")))
}

/// Whether a sentence is about how things are, and not about the run or about who speaks.
fn is_general(sentence: &str, words: &[&str]) -> bool {
    const OF_THE_RUN: &str =
        "you your you've was were did had ran now passes passed works worked du dein war waren tu vous votre";
    !praise::is_personal(sentence)
        && !praise::praises(sentence)
        && !praise::greets(sentence)
        && !words.iter().any(|word| reading::lists(OF_THE_RUN, word))
}

fn holds_whenever(words: &[&str]) -> bool {
    words.first().is_some_and(|first| reading::lists(WHENEVER, first))
}

/// "As PDF, not as Word."
fn contrasts(small: &str) -> bool {
    const CONTRASTS: [&str; 11] = [
        ", not ",
        ", nicht ",
        " sondern ",
        ", pas ",
        ", no ",
        " sino ",
        ", non ",
        ", niet ",
        ", a nie ",
        "ではなく",
        "而不是",
    ];
    CONTRASTS.iter().any(|contrast| small.contains(contrast)) && small.split(' ').nth(3).is_some()
}

fn has_phrase(folded: &str, phrase: &str) -> bool {
    reading::lists(folded, phrase)
}

/// "On ne …", "No envíes …".
fn is_forbidden(words: &[&str]) -> bool {
    const SPANISH: &str = "el la los las un una del al";
    let is_negated = |pair: &[&str]| matches!(pair, ["on", not] if *not == "ne" || not.starts_with("n'"));
    let is_spanish = words.iter().skip(2).any(|word| reading::lists(SPANISH, word));
    words.windows(2).any(is_negated)
        || (is_spanish && matches!(words, ["no", verb, ..] if verb.ends_with(['s', 'e', 'a', 'n'])))
}

fn is_limit(words: &[&str]) -> bool {
    words.iter().enumerate().any(|(at, word)| {
        let is_followed = words.get(at + 1).is_some_and(|next| reading::lists(LIMITS, next));
        reading::lists(ONLY, word) && ((at == 0 && words.len() > 3) || is_followed)
    })
}

/// "Please …", "No … in …", "Don't …".
fn is_wish(words: &[&str]) -> bool {
    const PLEASE: &str = "please bitte proszę пожалуйста lütfen alstublieft";
    const NOT: &str = "don't never ne não non inte ikke";
    const NO: &str = "no keine kein geen nessun nessuna ningún aucun aucune żadnych";
    const IN: &str = "in on to for from without before after at im ohne vor nach en dans sans sin para w bez senza";
    const CLEAR: &str = "issue issues problem problems complaint complaints error errors regression regressions failure failures note notes \
        remark remarks comment comments objection objections doubt fehler probleme einwände beanstandungen problème problèmes erreur";
    let is_long = words.len() > 3;
    let is_clear = words.get(1).is_some_and(|word| reading::lists(CLEAR, word));
    let first = words.first().copied().unwrap_or_default();
    let begins_with_not = reading::lists(NOT, first) || matches!(words, ["do", "not", ..]);
    is_long
        && (words.iter().any(|word| reading::lists(PLEASE, word))
            || begins_with_not
            || (reading::lists(NO, first) && !is_clear && words.iter().any(|word| reading::lists(IN, word))))
}

/// "Vor dem Versand die Adresse prüfen", "pour les avoirs, demander l'accord de Paul": orders without a person.
fn is_infinitive(words: &[&str]) -> bool {
    const GERMAN: &str = "vor nach bei für ab zuerst erst vorher danach alle";
    const FINITE: &str =
        "ist sind war waren hat haben hatte hatten wird werden wurde wurden kann können konnte ich wir sie du";
    const FRENCH: &str = "pour avant après lors dans si en sur";
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return false };
    let is_german = reading::lists(GERMAN, first) && last.len() > 4 && last.ends_with("en");
    let is_article =
        |word: &&str| matches!(*word, "la" | "le" | "les" | "un" | "une" | "des") || word.starts_with("l'");
    let is_verb = |word: &str| word.len() > 5 && word.ends_with("er");
    let mut pairs = words.windows(2).filter_map(|pair| Some((pair.first()?, pair.get(1)?)));
    (is_german && words.len() > 3 && !words.iter().any(|word| reading::lists(FINITE, word)))
        || (reading::lists(FRENCH, first) && pairs.any(|(verb, next)| is_verb(verb) && is_article(next)))
}

/// Where an order may begin: with the sentence, behind a joint, or behind what says when it holds.
fn clauses(small: &str) -> impl Iterator<Item = &str> {
    const BEFORE: &str =
        "if when whenever before after once unless for in on during with wenn für bei si pour para per als voor";
    let first = small.split(reading::is_between).find(|word| !word.is_empty()).unwrap_or_default();
    let is_behind_condition = reading::lists(BEFORE, first);
    let is_cut = move |letter: char| {
        matches!(letter, ';' | ':' | '–' | '—' | '，' | '：') || (is_behind_condition && letter == ',')
    };
    small.split(is_cut).flat_map(|part| part.split(", but ")).flat_map(|part| part.split(", aber "))
}

fn is_order(clause: &str) -> bool {
    let words = clause.split(reading::is_between).filter(|word| !word.is_empty());
    let mut words = words.skip_while(|word| reading::lists(OPENERS, word));
    let (Some(first), Some(second)) = (words.next(), words.next()) else { return false };
    // In French the polite order ends in -ez.
    let is_polite = first.len() > 5 && first.ends_with("ez") && !matches!(first, "assez" | "pourrez" | "voyez");
    let is_order = reading::lists(ORDERS, first) || is_polite || (first == "do" && second == "not") || first == "don't";
    let is_noun = |word: &str| reading::lists(AFTER_NOUNS, word);
    let is_subject = !reading::lists(AFTER_ORDERS, second) && words.next().is_some_and(is_noun);
    is_order && !is_noun(second) && !is_subject
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demands_are_known_in_many_languages() {
        for sentence in [
            "Never push to main.",
            "Refunds above 50 EUR have to be signed.",
            "Use two spaces.",
            "If the order is above 100 €, ask for a photo.",
            "Please name the source next time.",
            "Invoices are sent as PDF, not as Word.",
            "Two reviewers for every change.",
            "Only admins may approve a refund.",
            "No personal data in logs.",
            "Beträge bitte brutto angeben.",
            "Vor jedem Release muss das Changelog stimmen.",
            "Il faut citer la source.",
            "Vérifiez le stock avant de répondre.",
            "Hay que confirmar la dirección.",
            "Confirme sempre o endereço.",
            "Le fatture vanno sempre in PDF.",
            "Altijd eerst bellen.",
            "Vor dem Versand die Adresse prüfen.",
            "Pour les avoirs, demander l'accord de Paul.",
            "Releases only between 9 and 16 h.",
            "Zawsze podawaj źródło.",
            "Всегда указывай источник.",
            "返金の前に必ず確認してください。",
            "退款前必须核对金额。",
            "환불 전에 반드시 확인하세요.",
        ] {
            assert!(demands(sentence), "{sentence}");
        }
    }

    #[test]
    fn praise_and_chat_demand_nothing() {
        for sentence in [
            "Great as always!",
            "This must have taken a while.",
            "C'est toujours un plaisir.",
            "No issues on staging.",
            "This should help the others.",
            "Every test passes now.",
            "Nie mam uwag.",
            "I must say, that was quick.",
            "Keep up the good work.",
            "Test coverage looks great.",
            "Check is green.",
            "Danke, wie immer super.",
            "Merged, and have a nice weekend!",
            "Just what I was hoping for.",
            "El tono está muy bien.",
            "速度很快。",
            "丁寧な対応でした。",
        ] {
            assert!(!demands(sentence), "{sentence}");
        }
    }
}
