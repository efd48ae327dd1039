//! Praise, thanks and greetings: what stands around a rule and is none.

use crate::builtin::reading;

/// What praise begins with, and sarcasm.
const OPENINGS: &str = "great good nice nicely well lovely excellent perfect perfectly awesome amazing brilliant fantastic wonderful superb super \
    splendid love loved neat cool sweet solid clean impressive beautiful right correct exactly spot yes yep yeah oh wow ok okay fine glad happy \
    bravo congratulations congrats kudos cheers thanks thank thx \
    toll prima klasse gut schön sehr danke vielen perfekt genau stark sauber spitze wunderbar hervorragend ausgezeichnet gute guter gutes schöne schöner schönes tolle toller tolles saubere sauberer \
    großartig genial richtig \
    bien merci parfait parfaite excellente très beau belle bon bonne impeccable \
    muy buen buena bueno excelente gracias perfecto perfecta estupendo \
    ótimo ótima bom boa muito obrigado obrigada perfeito perfeita parabéns \
    ottimo ottima bene brava grazie perfetto perfetta bel bello molto eccellente \
    goed goede mooi mooie bedankt dank top netjes heel \
    dobrze świetnie świetna świetny dobra dobry dzięki dziękuję doskonale brawo \
    bra tack snyggt fint takk tak спасибо отлично отличная хорошо молодец супер прекрасно дякую teşekkürler harika";

/// Words that praise wherever they stand.
const INSIDE: &str = "great good nice nicely well lovely excellent perfect perfectly awesome amazing brilliant fantastic wonderful superb \
    super splendid impressive beautiful fine right correct thanks thank glad happy like love \
    toll prima klasse gut schön danke perfekt wunderbar hervorragend ausgezeichnet großartig genial richtig stimmt passt gefällt \
    bien merci parfait parfaite excellente bon bonne impeccable buen buena bueno excelente gracias perfecto perfecta estupendo \
    ótimo ótima bom boa obrigado obrigada perfeito perfeita ottimo ottima bene grazie perfetto perfetta eccellente \
    goed mooi bedankt netjes dobrze świetnie dzięki dziękuję doskonale bra tack fint спасибо отлично хорошо";

const SIGNS: [&str; 30] = [
    "很快",
    "很好",
    "不错",
    "很棒",
    "完美",
    "谢谢",
    "感谢",
    "辛苦",
    "做得",
    "漂亮",
    "ありがとう",
    "素晴らし",
    "すばらし",
    "良い",
    "よくでき",
    "丁寧",
    "完璧",
    "助かり",
    "お疲れ",
    "速い",
    "早い",
    "正しいです",
    "正しかった",
    "合っていま",
    "是对的",
    "是正确的",
    "감사",
    "훌륭",
    "완벽",
    "수고",
];

/// Words that find fault, or may.
const FAULT: &str = "not no never nobody nothing none neither wrong missing misses missed forgot forgotten fail failed fails without but except too instead \
    wasn't isn't didn't doesn't don't can't couldn't won't weren't hasn't bad however unfortunately lost late twice ignored skipped \
    nicht kein keine keinen keiner falsch falsche fehlt fehlen fehlte vergessen ohne aber leider schlecht schlechte niemand nichts \
    pas ne faux fausse manque oublié sans mais mauvais mauvaise personne rien \
    nunca mal falta falso sin pero malo mala nadie nada olvidaste não errado errada sem mas faltou ninguém \
    non manca sbagliato sbagliata senza ma manca nessuno niet geen fout fouten zonder maar nie źle brak bez ale не нет но неправильно";

const FAULT_SIGNS: [&str; 12] = ["没", "错误", "不对", "不是", "但", "缺", "ない", "ません", "間違", "誤", "않", "틀"];

const GREETINGS: &str = "hi hello hey thanks thank cheers regards weekend hallo grüße gruß wochenende moin servus danke merci bonjour salut \
    cordialement week-end gracias hola saludos obrigado obrigada olá abraço abraços grazie ciao saluti bedankt groeten hoi dzięki pozdrawiam cześć tack hej привет спасибо";

const FIRST_PERSON: &str = "i i'm i've i'd i'll me my mine ich mir mich mein meine meinem je j'ai moi mon ma yo mi eu meu minha io mio ik mij mijn я мне мой";

/// Whether the sentence is praise or thanks, and finds no fault.
pub(super) fn praises(sentence: &str) -> bool {
    let small = reading::lower(sentence);
    let has_sign = |signs: &[&str], text: &str| signs.iter().any(|sign| text.contains(sign));
    if has_sign(&FAULT_SIGNS, &small) || words(&small).any(|word| reading::lists(FAULT, word)) {
        return false;
    }
    opens_with_praise(sentence) || has_sign(&SIGNS, &small) || words(&small).any(|word| reading::lists(INSIDE, word))
}

/// Whether it praises by its first word or by its last: "The right total is 42" does not.
pub(super) fn only_praises(sentence: &str) -> bool {
    const ATTRIBUTES: &str = "right correct richtig richtige richtiger correcto correcta juste";
    let small = reading::lower(sentence);
    let (first, last) = (words(&small).next().unwrap_or_default(), words(&small).last().unwrap_or_default());
    let opens = opens_with_praise(sentence) && !reading::lists(ATTRIBUTES, first);
    praises(sentence) && (opens || reading::lists(INSIDE, last))
}

/// Whether its first word praises, or mocks; without blanks between the words, whether it praises at all.
pub(super) fn opens_with_praise(sentence: &str) -> bool {
    SIGNS.iter().any(|sign| sentence.contains(sign))
        || words(&reading::lower(sentence)).next().is_some_and(|word| reading::lists(OPENINGS, word))
}

/// Whether somebody speaks of himself.
pub(super) fn is_personal(sentence: &str) -> bool {
    let small = reading::lower(sentence);
    words(&small).any(|word| reading::lists(FIRST_PERSON, word) || word.starts_with("j'"))
}

/// Whether it greets, thanks or wishes.
pub(super) fn greets(sentence: &str) -> bool {
    words(&reading::lower(sentence)).any(|word| reading::lists(GREETINGS, word))
}

/// Whether it finds fault with something.
pub(super) fn finds_fault(sentence: &str) -> bool {
    let small = reading::lower(sentence);
    FAULT_SIGNS.iter().any(|sign| small.contains(sign)) || words(&small).any(|word| reading::lists(FAULT, word))
}

fn words(small: &str) -> impl Iterator<Item = &str> {
    small.split(reading::is_between).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn praise_is_told_from_fault() {
        for sentence in [
            "Good catch on the null check.",
            "The tone is perfect.",
            "El tono está muy bien.",
            "丁寧な対応でした。",
            "速度很快。",
        ] {
            assert!(praises(sentence), "{sentence}");
        }
        for sentence in
            ["The total is wrong.", "Good, but too long.", "You said the tests pass.", "Bonne table, mauvais montant."]
        {
            assert!(!praises(sentence), "{sentence}");
        }
    }
}
