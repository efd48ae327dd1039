//! Words that judge without saying what they judge.

use crate::builtin::reading;

const VAGUE: &str = "a all and answer answers antwort at awesome bad bien bravo brilliant but completely correct correcto \
    das did didn't die do doesn't don't done down er es exactly excelente excellent expected fail failed failure falsch fantastic fast faux fine for \
    good gracias great gut i incorrect incorrecto is isn't ist it job just klasse korrekt leider lgtm looks lovely mal me merci muy \
    nein nice nicely nicht no nope not of oh ok okay output parfait perfect perfecto perfekt please pretty prima quite really response \
    result richtig right run schlecht schön sehr so sorry still super task thank thanks that the this thumbs toll totally très up \
    very wanted needed what war was wasn't well wonderful work worked wow wrong yes you danke amazing superb splendid sauber spitze \
    malo mala mauvais mauvaise bueno buena juste correcte incorrecte 不正确 错误 正确 很好 好 正解 不正解 間違い";

/// Words that join a rule to the praise before it.
const JOINTS: &str = "but and however though yet nevertheless nonetheless aber allerdings jedoch dennoch trotzdem mais cependant toutefois pourtant \
    pero mas porém contudo ma però tuttavia maar echter ale jednak men но однако але ama";

/// Those that may be another word where no comma follows.
const JOINTS_WITH_COMMA: [&str; 5] = ["still,", "that said,", "only,", "sin embargo,", "no obstante,"];

/// The same in languages that are written without blanks.
const JOINTS_WITHOUT_BLANKS: [&str; 11] =
    ["但是", "不过", "可是", "然而", "但", "ただし", "しかし", "でも", "하지만 ", "그러나 ", "다만"];

/// What is left of a reviewer's sentences.
pub(super) struct Kept {
    pub(super) sentences: Vec<String>,
    /// Whether some of them only judged.
    pub(super) has_judged: bool,
}

/// Whether a text says no more than good or bad.
pub(super) fn is_all(text: &str) -> bool {
    let small = reading::lower(text);
    let mut said = small.split(reading::is_between).filter(|word| !word.is_empty());
    // "Score 0.3" is no more than good or bad.
    let is_score = ["score", "rating", "reward"].iter().any(|word| small.trim_start().starts_with(word));
    let is_of_score =
        |word: &str| is_score && (word.parse::<u32>().is_ok() || reading::lists("score rating reward", word));
    said.all(|word| reading::lists(VAGUE, word) || is_of_score(word))
}

/// The sentences without those that only judge, and without a judgement that opens one.
pub(super) fn without(sentences: Vec<&str>) -> Kept {
    let mut kept = Kept { sentences: Vec::new(), has_judged: false };
    for sentence in sentences {
        if is_all(sentence) {
            kept.has_judged = true;
            continue;
        }
        if !kept.sentences.is_empty() {
            kept.sentences.push(sentence.to_owned());
            continue;
        }
        let rest = after_judgement(sentence);
        kept.has_judged |= rest.is_some();
        let rest = rest.unwrap_or(sentence);
        kept.sentences.push(if kept.has_judged { large(without_joint(rest)) } else { rest.to_owned() });
    }
    kept
}

/// What follows the comma or dash after a judgement: "Great job, but always cite the source."
pub(super) fn after_judgement(sentence: &str) -> Option<&str> {
    let is_dash = |at: usize| sentence.get(at.saturating_sub(1)..).is_some_and(|rest| rest.starts_with(" - "));
    let cuts = sentence.char_indices().filter(|(at, letter)| match letter {
        ',' | '–' | '—' | ':' | ';' => true,
        '-' => is_dash(*at),
        _ => false,
    });
    let (at, cut) = cuts.take(2).find(|(at, _)| sentence.get(..*at).is_some_and(is_judgement))?;
    sentence.get(at + cut.len_utf8()..).map(str::trim_start).filter(|rest| !rest.is_empty())
}

/// A judgement has a word: what stands before a comma may be none.
fn is_judgement(text: &str) -> bool {
    // "That is not, …": the judgement is yet to come.
    const OPEN: [&str; 8] = ["not", "nicht", "is", "ist", "was", "war", "isn't", "wasn't"];
    const WEAK: [&str; 7] = ["for", "so", "please", "just", "is", "not", "at"];
    let first = reading::lower(text.trim());
    is_all(text)
        && first.chars().any(char::is_alphabetic)
        && !OPEN.contains(&first.rsplit(' ').next().unwrap_or_default())
        && !WEAK.contains(&first.split(' ').next().unwrap_or_default())
}

/// Whether it opens with high praise and a colon: after a failure that mocks what follows, which is then no demand.
pub(super) fn mocks(sentence: &str) -> bool {
    const HIGH: &str = "brilliant great wonderful fantastic amazing awesome excellent superb splendid lovely perfect super bravo toll prima \
        klasse wunderbar großartig parfait excelente perfecto perfeito";
    sentence.split_once([':', '：']).is_some_and(|(praise, _)| {
        let small = reading::lower(praise);
        is_judgement(praise) && small.split(reading::is_between).any(|word| reading::lists(HIGH, word))
    })
}

pub(super) fn without_joint(text: &str) -> &str {
    let word = text.split([' ', ',']).next().unwrap_or_default();
    let starts = |joint: &&&str| text.get(..joint.len()).is_some_and(|start| start.eq_ignore_ascii_case(joint));
    let length = match reading::lists(JOINTS, &word.to_lowercase()) {
        true => Some(word.len()),
        false => JOINTS_WITH_COMMA.iter().chain(&JOINTS_WITHOUT_BLANKS).find(starts).map(|joint| joint.len()),
    };
    let rest = length.and_then(|length| text.get(length..)).map(|rest| rest.trim_start_matches([' ', ',', '，', '、']));
    rest.filter(|rest| !rest.is_empty()).unwrap_or(text)
}

/// A sentence that lost its beginning begins with a large letter again.
pub(super) fn large(text: &str) -> String {
    let is_plain_word = text.split(' ').next().is_some_and(|word| word.chars().all(char::is_lowercase));
    let mut letters = text.chars();
    match letters.next() {
        Some(first) if is_plain_word => first.to_uppercase().chain(letters).collect(),
        _ => text.to_owned(),
    }
}
