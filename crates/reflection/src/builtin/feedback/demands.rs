//! Whether a sentence asks for something: a rule, an order, a wish for the next time.
//!
//! The words are those that languages use for it ("must", "nie", "il faut", "必须"), not those of any field of work. A sentence with
//! none of them may be a rule all the same, but after a run that passed it is more often praise.

use crate::builtin::reading;

/// Words of duty in many languages. What the first person does of them ("I must say") is no demand.
const DUTY: &str = "must mustn't shall never always should shouldn't ought mandatory obligatory forbidden prohibited required cannot \
    muss müssen musst müsst soll sollen sollst sollte sollten solltest darf dürfen darfst nie niemals immer stets keinesfalls unbedingt \
    zwingend grundsätzlich ausschließlich künftig zukünftig stattdessen verboten untersagt pflicht erforderlich braucht brauchen höchstens mindestens \
    jamais toujours doit doivent devez devrait devraient faut obligatoire interdit interdite uniquement exclusivement systématiquement veuillez \
    désormais dorénavant nunca siempre debe deben debes debería deberían deberás obligatorio prohibido únicamente solamente \
    sempre deve devem deveria deveriam deverá obrigatório proibido somente apenas mai devono dovrebbe dovrebbero bisogna occorre obbligatorio \
    vietato soltanto moet moeten nooit altijd verplicht verboden voortaan zawsze nigdy musi muszą trzeba należy powinien powinna powinno \
    powinny wolno wyłącznie tylko alltid aldrig aldri altid måste skal vždy nikdy nikdy všdy musí всегда никогда должен должна должно должны нужно \
    надо нельзя необходимо обязательно следует завжди ніколи потрібно asla mutlaka gerekir gerekiyor zorunda mindig soha \
    aina koskaan täytyy πρέπει πάντα ποτέ يجب دائما دائمًا תמיד חייב אסור हमेशा चाहिए harus jangan selalu wajib";

/// The same in several words.
const PHRASES: [&str; 46] = [
    "have to",
    "has to",
    "need to",
    "needs to",
    "may not",
    "not allowed",
    "next time",
    "in future",
    "in the future",
    "from now on",
    "going forward",
    "at most",
    "no more than",
    "make sure",
    "in zukunft",
    "nächstes mal",
    "nächsten mal",
    "auf keinen fall",
    "il faut",
    "à l'avenir",
    "la prochaine fois",
    "s'il vous plaît",
    "s'il te plaît",
    "hay que",
    "tiene que",
    "tienen que",
    "tienes que",
    "por favor",
    "en adelante",
    "la próxima vez",
    "tem que",
    "tem de",
    "têm de",
    "da próxima vez",
    "de agora em diante",
    "é preciso",
    "per favore",
    "la prossima volta",
    "d'ora in poi",
    "mag niet",
    "volgende keer",
    "nie wolno",
    "następnym razem",
    "nästa gång",
    "her zaman",
    "không được",
];

/// Signs of a demand in languages that are written without blanks, or that build it into the word.
const SIGNS: [&str; 43] = [
    "必ず",
    "絶対",
    "常に",
    "禁止",
    "てください",
    "て下さい",
    "ないで",
    "べき",
    "なければ",
    "必要があ",
    "必要です",
    "いけない",
    "いけません",
    "ないこと",
    "すること",
    "厳守",
    "してはな",
    "てほしい",
    "必须",
    "必須",
    "务必",
    "務必",
    "不要",
    "不能",
    "不得",
    "不可",
    "应该",
    "應該",
    "应当",
    "应先",
    "一定要",
    "始终",
    "需要",
    "请",
    "切勿",
    "不准",
    "只能",
    "반드시",
    "항상",
    "절대",
    "해야",
    "마세요",
    "주세요",
];

/// What sounds like one of them and is none.
const IDIOMS: [&str; 52] = [
    "as always",
    "like always",
    "always a pleasure",
    "always good",
    "always nice",
    "always great",
    "always helpful",
    "i must",
    "i should",
    "i have to",
    "i always",
    "i never",
    "i cannot",
    "must admit",
    "must say",
    "must have been",
    "have to say",
    "have to admit",
    "as it should",
    "should be fine",
    "should be good",
    "should do it",
    "never mind",
    "never seen",
    "never been",
    "never had",
    "see you next time",
    "until next time",
    "no need to",
    "don't worry",
    "keep it up",
    "keep up",
    "keep going",
    "let me know",
    "take care",
    "take your time",
    "wie immer",
    "muss ich",
    "ich muss",
    "bitte weiter so",
    "comme toujours",
    "como siempre",
    "como sempre",
    "come sempre",
    "zoals altijd",
    "jak zawsze",
    "как всегда",
    "我需要",
    "请继续",
    "不能更",
    "不可思议",
    "that always",
];

/// Verbs that a sentence in English orders with.
const ORDERS: &str = "use avoid write run rerun add keep check ask call put set make name cite quote round convert include report read send tell \
    give change leave prefer stop start verify confirm return show list state mention update remove delete drop create open close \
    wait stick follow treat handle log test commit push raise bump pin document describe explain format sort split escape validate ensure remember \
    note mind let reply respond answer escalate notify inform attach link refer look review compare count copy move rename replace \
    bring fix limit store save load fetch query filter group skip ignore pass quit cancel book refund offer apologise apologize \
    greet address sign mark tag label assign merge rebase squash branch revert restore lock encrypt mask redact hash back deploy restart roll build compile \
    install upgrade downgrade declare define export import wrap cache cap double-check translate spell capitalise capitalize \
    \
    nutze nutzt nutzen verwende verwenden verwendet benutze frage fragt prüfe prüft schreibe schreib achte achten beachte vergiss vergesst lass lasst setze nimm \
    gib mach \
    utilise utilisez vérifie vérifiez demande demandez ajoute ajoutez mets mettez fais faites pense pensez évite évitez écris écrivez cite citez \
    n'oublie n'utilise réponds répondez indique indiquez précise précisez \
    usa utiliza utilice revisa revise comprueba compruebe pregunta pregunte verifique verifica incluye incluya añade añada evita evite pon ponga \
    confirma confirme indica indique envía envíe responde responda consulta consulte \
    verifica verifique envie inclua inclui adicione adiciona pergunte pergunta escreva responda \
    usate controlla controllate chiedi chiedete aggiungi aggiungete scrivi scrivete rispondi includi ricorda ricordate indica indicate \
    gebruik controleer vraag zet vermijd noem vermeld schrijf voeg stuur bevestig \
    używaj użyj sprawdź sprawdzaj pytaj zapytaj dodaj dodawaj unikaj pisz podawaj podaj wysyłaj \
    använd kontrollera fråga skriv bruk brug";

/// Words between which a sentence begins and its order.
const OPENERS: &str =
    "also then just please and but so still first bitte also dann und aber kindly only proszę voi s'il alors puis";

/// Words after a noun; after an order none of them stands.
const AFTER_NOUNS: &str =
    "is are was were looks look seems works worked went has had of ist war sind est sont es está é è jest";

/// Words after an order that open a clause with a verb of its own.
const AFTER_ORDERS: &str = "what that which who whom where when if it whether how why";

/// What a sentence begins with that says when something holds, or for which of many.
const WHENEVER: &str = "if when whenever unless once every each any wenn falls sobald jede jeder jedes jeden chaque toute toutes tous si lorsque quand \
    cuando cada todos todas quando se caso ogni tutte als wanneer elke iedere jeśli gdy jeżeli każdy każda każde если когда каждый";

/// Words for the limits of a rule, where something follows that they limit.
const ONLY: &str = "only nur seulement sólo solo alleen только";
const LIMITS: &str = "after when if with in from by for to once as on at before via nach wenn mit in aus von für bei auf über als après si avec \
    dans pour con en para si después desde na met voor bij";

/// Whether the sentence demands something.
pub(super) fn demands(sentence: &str) -> bool {
    let mut small = reading::lower(sentence);
    for idiom in IDIOMS {
        if small.contains(idiom) {
            small = small.replace(idiom, " ");
        }
    }
    if SIGNS.iter().any(|sign| small.contains(sign)) {
        return true;
    }
    let words: Vec<&str> = small.split(reading::is_between).filter(|word| !word.is_empty()).collect();
    let folded = words.join(" ");
    words.iter().any(|word| reading::lists(DUTY, word))
        || PHRASES.iter().any(|phrase| has_phrase(&folded, phrase))
        || is_limit(&words)
        || is_wish(&words)
        || clauses(&small).any(|clause| is_order(clause))
        || (words.first().is_some_and(|first| reading::lists(WHENEVER, first))
            && !super::praise::is_personal(sentence)
            && !super::praise::praises(sentence))
}

fn has_phrase(folded: &str, phrase: &str) -> bool {
    reading::lists(folded, phrase)
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
    let is_long = words.len() > 3;
    let first = words.first().copied().unwrap_or_default();
    let begins_with_not = reading::lists(NOT, first) || matches!(words, ["do", "not", ..]);
    is_long
        && (words.iter().any(|word| reading::lists(PLEASE, word))
            || begins_with_not
            || (reading::lists(NO, first) && words.iter().any(|word| reading::lists(IN, word))))
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
