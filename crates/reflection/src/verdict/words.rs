//! The words of a verdict, and those that change what they mean.

/// What a single word says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    Pass,
    Fail,
    /// A verdict that is neither.
    Neither,
}

/// What this word says when it stands for a verdict. Whole words only.
pub(super) fn verdict_word(word: &str) -> Option<Word> {
    match word.to_lowercase().as_str() {
        "pass" | "passed" | "passes" | "success" | "successful" | "succeed" | "succeeded" | "succeeds" => {
            Some(Word::Pass)
        }
        "fail" | "failed" | "fails" | "failure" | "unsuccessful" => Some(Word::Fail),
        "unknown" | "unclear" | "undecided" | "partial" | "inconclusive" | "n/a" | "none" | "null" => {
            Some(Word::Neither)
        }
        _ => None,
    }
}

/// Turns a verdict word after it around.
pub(super) fn negates(word: &str) -> bool {
    let lower = word.to_lowercase().replace('’', "'");
    lower.ends_with("n't")
        || matches!(lower.as_str(), "not" | "no" | "never" | "cannot" | "hardly" | "without" | "neither" | "nor")
}

const HEDGES: &str = "would could should may might must can if unless whether requires require needs need answer asked said \
                      says wrote written writes printed prints claimed claims contains line between either almost nearly when \
                      until to tests test";

const SUPPOSITIONS: &str = "would could may might if unless whether either or asked said says wrote printed prints claimed \
                            claims contains between almost nearly when until requires require must";

const SOMEBODY_ELSE: &str = "agent tool output was wrote printed returned said log quoting quote run transcript trajectory \
                             instructs instructed";

/// Whether a word, in lower case, is one of these, which are parted by blanks.
pub(super) fn is_one_of(words: &str, word: &str) -> bool {
    words.split(' ').any(|known| known == word)
}

/// Makes a sentence speak of what might be, what was asked, or what somebody else said.
pub(super) fn hedges(word: &str) -> bool {
    is_one_of(HEDGES, &word.to_lowercase())
}

/// Makes a sentence speak of what might be, or leaves the choice open. A fail in such a sentence is no verdict either.
pub(super) fn supposes(word: &str) -> bool {
    is_one_of(SUPPOSITIONS, &word.to_lowercase())
}

/// Takes an earlier verdict back.
pub(super) fn retracts(word: &str) -> bool {
    matches!(
        word.to_lowercase().as_str(),
        "actually" | "wait" | "no" | "however" | "correction" | "reconsidering" | "but"
    )
}

/// Makes what it stands with depend on something.
pub(super) fn conditions(word: &str) -> bool {
    matches!(
        word.to_lowercase().as_str(),
        "if" | "unless" | "otherwise" | "assuming" | "supposing" | "provided" | "would" | "should" | "only" | "when"
    )
}

/// Whether a line ends in a colon and what follows is somebody else's.
pub(super) fn announces_quotation(line: &str) -> bool {
    let somebody = |word: &str| {
        let word = word.to_lowercase();
        let word = word.trim_end_matches("'s").trim_end_matches("’s");
        is_one_of(SOMEBODY_ELSE, word)
    };
    line.trim_end().ends_with(':') && words(line).any(somebody)
}

/// The words of a text: letters, digits and apostrophes in a row.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let inside = |character: char| character.is_alphanumeric() || matches!(character, '\'' | '’');
    text.split(move |character: char| !inside(character)).filter(|word| !word.is_empty())
}
