//! A verdict on a line of its own: `Verdict: pass`, or the word alone.

use super::{
    Verdict, prose,
    words::{self, Word, verdict_word},
};

const LABELS: &str = "verdict result outcome judgement judgment decision conclusion assessment evaluation rating urteil \
                      résultat 结论";

/// The verdict that the lines agree on; unknown where they do not; `None` where no line gives one.
///
/// Lines with a label count before the bare word, which may just as well head a criterion or be quoted from a log; but a pass
/// has to agree with all of them.
pub(super) fn read(spoken: &str) -> Option<Verdict> {
    let lines = own_lines(spoken);
    let names_fail = || lines.iter().any(|line| prose::names_fail(line));
    let last_doubt = lines.iter().rposition(|line| prose::takes_back(line));
    let (mut labelled, mut bare): (Vec<Verdict>, Vec<Verdict>) = (Vec::new(), Vec::new());
    // The line that an empty label speaks for.
    let mut spoken_for = None;
    for (index, line) in lines.iter().enumerate() {
        let next = lines.get(index + 1).map(String::as_str).unwrap_or_default();
        let before = index.checked_sub(1).and_then(|before| lines.get(before));
        let taken_back = |verdict: Verdict| match verdict {
            Verdict::Pass if before.is_some_and(|before| words::announces_quotation(before)) => {
                Verdict::unknown("the verdict is quoted from the run")
            }
            Verdict::Pass if last_doubt >= Some(index) => Verdict::unknown("the verdict is taken back"),
            verdict => verdict,
        };
        let mut is_labelled = false;
        for value in prose::clauses(line).filter_map(|clause| label_value(clause, LABELS)) {
            is_labelled = true;
            match value {
                "" => {
                    labelled.extend(bare_verdict(next).map(taken_back));
                    spoken_for = Some(index + 1);
                }
                value => labelled.push(taken_back(value_verdict(value))),
            }
        }
        if !is_labelled && spoken_for != Some(index) {
            let found = bare_verdict(line).map(taken_back);
            let is_quoted = index > 0 && (index + 1 < lines.len() || before.is_some_and(|before| leads_in(before)));
            bare.extend(match found {
                Some(Verdict::Pass) if is_quoted => Some(Verdict::unknown("the word may be quoted from something")),
                found => found,
            });
        }
    }
    let Some(first) = labelled.pop() else {
        return match agreed(bare).or_else(|| last_word(&lines)) {
            Some(Verdict::Pass) if names_fail() => Some(Verdict::unknown("one line says pass and another fail")),
            verdict => verdict,
        };
    };
    match agreed([labelled, vec![first]].concat()) {
        Some(Verdict::Pass) if bare.iter().any(|verdict| *verdict != Verdict::Pass) => {
            Some(Verdict::unknown("the label says pass and another line does not"))
        }
        verdict => verdict,
    }
}

/// Whether a line goes on in the next one.
fn leads_in(line: &str) -> bool {
    !line.ends_with(['.', '!', '?', ')', '。', '|', '"', '”'])
}

/// A verdict word in capitals that is the last sentence of all.
fn last_word(lines: &[String]) -> Option<Verdict> {
    let last = prose::clauses(lines.last()?).last()?;
    let mut said = words::words(last);
    let word = said.next().filter(|word| word.chars().all(char::is_uppercase))?;
    match (verdict_word(word)?, said.next()) {
        (Word::Pass, None) if last.trim_end_matches(['.', '!', ' ']).trim() == word => Some(Verdict::Pass),
        _ => None,
    }
}

fn agreed(mut found: Vec<Verdict>) -> Option<Verdict> {
    let last = found.pop()?;
    if found.iter().all(|other| other.as_str() == last.as_str()) {
        return Some(last);
    }
    Some(Verdict::unknown("the reply gives several verdicts that differ"))
}

/// A number under `Confidence:`.
pub(super) fn confidence(spoken: &str) -> Option<f64> {
    let value = own_lines(spoken).iter().find_map(|line| label_value(line, "confidence").map(str::to_owned))?;
    let number: String =
        value.chars().take_while(|character| character.is_ascii_digit() || *character == '.').collect();
    let parsed: f64 = number.parse().ok()?;
    let is_percent = value.trim_start_matches(number.as_str()).trim_start().starts_with('%');
    as_share(if is_percent { parsed / 100.0 } else { parsed })
}

/// A confidence in [0, 1]; figures up to 100 are taken for percentages.
pub(super) fn as_share(number: f64) -> Option<f64> {
    match number {
        share if (0.0..=1.0).contains(&share) => Some(share),
        percent if (1.0..=100.0).contains(&percent) => Some(percent / 100.0),
        _ => None,
    }
}

/// The lines without their Markdown. Quoted lines are somebody else's, unless there are no others.
fn own_lines(spoken: &str) -> Vec<String> {
    let is_quote = |line: &&str| line.trim_start().starts_with('>');
    let all: Vec<&str> = spoken.lines().filter(|line| !line.trim().is_empty()).collect();
    let has_own = all.iter().any(|line| !is_quote(line));
    all.into_iter().filter(|line| !has_own || !is_quote(line)).map(without_marks).collect()
}

fn without_marks(line: &str) -> String {
    let line = line.replace("<verdict>", "verdict: ").replace("</verdict>", "");
    let kept: String = line.chars().filter(|character| !matches!(character, '*' | '_' | '`' | '#')).collect();
    let kept = kept.trim();
    let unquoted =
        kept.strip_prefix('"').and_then(|kept| kept.strip_suffix('"')).filter(|word| verdict_word(word).is_some());
    let kept = unquoted.unwrap_or(kept);
    kept.trim_start_matches(|first: char| !first.is_alphanumeric() && !matches!(first, '{' | '[')).trim_end().to_owned()
}

/// A verdict word at the start of a line, with nothing after it but its reasons.
fn bare_verdict(line: &str) -> Option<Verdict> {
    let first = words::words(line).next()?;
    let word = verdict_word(first)?;
    let rest = line.strip_prefix(first)?.trim_start();
    let reasons = rest.strip_prefix(['.', ':', '-', '–', '—', '!', '(']).map(str::trim_start);
    if reasons.is_none() && !rest.is_empty() {
        return None;
    }
    let reasons = reasons.unwrap_or_default();
    let is_a_count = reasons.starts_with(|character: char| character.is_ascii_digit());
    match word {
        Word::Fail => Some(Verdict::Fail),
        Word::Pass if is_a_count => None,
        Word::Pass if matches!(prose::read(reasons), None | Some(Verdict::Pass)) && !prose::names_fail(reasons) => {
            Some(Verdict::Pass)
        }
        Word::Pass => Some(Verdict::unknown("the line says pass and fail")),
        Word::Neither => None,
    }
}

/// What follows `Label:` or `Label is`, where that is how a text begins, perhaps after `final`, `my`, `overall` or `the`.
fn label_value<'a>(text: &'a str, labels: &str) -> Option<&'a str> {
    let mut rest = text.trim_start();
    for _ in 0..3 {
        let word = words::words(rest).next()?;
        let after = rest.strip_prefix(word)?.trim_start();
        let lower = word.to_lowercase();
        if words::is_one_of(labels, &lower) {
            let value = after.strip_prefix([':', '：', '=', '-', '–', '—']).or_else(|| after.strip_prefix("is "));
            return if after.is_empty() { Some(after) } else { value.map(str::trim) };
        }
        if !matches!(lower.as_str(), "final" | "my" | "overall" | "the") {
            return None;
        }
        rest = after;
    }
    None
}

/// What stands after the label. A pass is the word and nothing else but reasons set off from it.
fn value_verdict(value: &str) -> Verdict {
    let value = without_marks(value);
    let mut said = words::words(&value);
    let Some(first) = said.next() else { return Verdict::unknown("the verdict is left empty") };
    if words::negates(first) {
        return match said.find_map(verdict_word) {
            Some(Word::Pass) => Verdict::Fail,
            _ => Verdict::unknown("the verdict denies something and affirms nothing"),
        };
    }
    let rest = value.strip_prefix(first).unwrap_or_default().trim_start_matches(['"', '\'']).trim_start();
    let is_set_off = rest.is_empty() || rest.starts_with(['.', '!', '(', '-', '–', '—', ':', ';', '✅']);
    let is_a_choice = rest.starts_with(['?', '/', '|', ',']) || rest.to_lowercase().starts_with("or ");
    let hedged =
        || words::words(rest).any(|word| matches!(word.to_lowercase().as_str(), "if" | "unless" | "or" | "only"));
    match verdict_word(first) {
        Some(Word::Pass) if is_set_off && !hedged() && !prose::names_fail(rest) => Verdict::Pass,
        Some(Word::Fail) if !is_a_choice => Verdict::Fail,
        None if matches!(prose::read(&value), Some(Verdict::Fail)) => Verdict::Fail,
        _ => Verdict::unknown("the verdict is neither pass nor fail"),
    }
}
