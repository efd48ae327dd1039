//! A verdict on a line of its own: `Verdict: pass`, or the word alone.

use super::{
    Verdict, prose,
    words::{self, Word, verdict_word},
};

const LABELS: [&str; 7] = ["verdict", "result", "outcome", "judgement", "judgment", "decision", "conclusion"];

/// The verdict that the lines agree on; unknown where they do not; `None` where no line gives one.
pub(super) fn read(spoken: &str) -> Option<Verdict> {
    let lines = own_lines(spoken);
    let last_doubt = lines.iter().rposition(|line| prose::takes_back(line));
    let mut found: Vec<Verdict> = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        let next = lines.get(place + 1).map(String::as_str).unwrap_or_default();
        let Some(verdict) = line_verdict(line, next) else { continue };
        match verdict {
            Verdict::Pass if last_doubt > Some(place) => {
                found.push(Verdict::unknown("the verdict is taken back"));
            }
            verdict => found.push(verdict),
        }
    }
    let first = found.pop()?;
    if found.iter().all(|other| other.as_str() == first.as_str()) {
        return Some(first);
    }
    Some(Verdict::unknown("the reply gives several verdicts that differ"))
}

/// A number under `Confidence:`.
pub(super) fn confidence(spoken: &str) -> Option<f64> {
    let value = own_lines(spoken).iter().find_map(|line| labelled(line, &["confidence"]).map(str::to_owned))?;
    let number: String =
        value.chars().take_while(|character| character.is_ascii_digit() || *character == '.').collect();
    let parsed: f64 = number.parse().ok()?;
    as_share(if value.trim_start_matches(number.as_str()).trim_start().starts_with('%') {
        parsed / 100.0
    } else {
        parsed
    })
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
    all.into_iter().filter(|line| !has_own || !is_quote(line)).map(bare).collect()
}

fn bare(line: &str) -> String {
    let without_marks: String = line.chars().filter(|character| !matches!(character, '*' | '_' | '`' | '#')).collect();
    without_marks.trim_start_matches(|first: char| !first.is_alphanumeric() && first != '{').trim_end().to_owned()
}

fn line_verdict(line: &str, next: &str) -> Option<Verdict> {
    if let Some(value) = labelled(line, &LABELS) {
        let value = if value.is_empty() { next } else { value };
        return Some(value_verdict(value));
    }
    let first = words::words(line).next()?;
    let word = verdict_word(first)?;
    let rest = line.strip_prefix(first)?.trim_start();
    let stands_alone = rest.is_empty() || rest.starts_with(['.', ':', '-', '–', '—', '!', '(']);
    match word {
        Word::Fail if stands_alone => Some(Verdict::Fail),
        Word::Pass
            if stands_alone && matches!(prose::read(rest), None | Some(Verdict::Pass)) && !prose::names_fail(rest) =>
        {
            Some(Verdict::Pass)
        }
        Word::Pass if stands_alone => Some(Verdict::unknown("the line says pass and fail")),
        _ => None,
    }
}

/// What follows `Label:` on a line that starts with one, perhaps after `final`, `my`, `overall` or `the`.
fn labelled<'a>(line: &'a str, labels: &[&str]) -> Option<&'a str> {
    let mut rest = line;
    for _ in 0..3 {
        let word = words::words(rest).next()?;
        let after = rest.strip_prefix(word)?.trim_start();
        let lower = word.to_lowercase();
        if labels.contains(&lower.as_str()) {
            if after.is_empty() {
                return Some(after);
            }
            return after.strip_prefix([':', '=', '-', '–', '—']).map(str::trim);
        }
        if !matches!(lower.as_str(), "final" | "my" | "overall" | "the") {
            return None;
        }
        rest = after;
    }
    None
}

/// What stands after the label. Nothing but a clear word counts.
fn value_verdict(value: &str) -> Verdict {
    let value = bare(value);
    let mut said = words::words(&value);
    let Some(first) = said.next() else { return Verdict::unknown("the verdict is left empty") };
    if words::negates(first) {
        return match said.find_map(verdict_word) {
            Some(Word::Pass) => Verdict::Fail,
            _ => Verdict::unknown("the verdict denies something and affirms nothing"),
        };
    }
    let rest = value.strip_prefix(first).unwrap_or_default().trim_start();
    let is_a_choice = rest.starts_with(['?', '/', '|', ',']) || rest.to_lowercase().starts_with("or ");
    let hedged =
        || words::words(rest).any(|word| matches!(word.to_lowercase().as_str(), "if" | "unless" | "or" | "only"));
    match verdict_word(first) {
        Some(Word::Pass) if !is_a_choice && !hedged() => Verdict::Pass,
        Some(Word::Fail) if !is_a_choice => Verdict::Fail,
        _ => Verdict::unknown("the verdict is neither pass nor fail"),
    }
}
