//! Runs that came as one text: a terminal's log, or calls and results under labels such as `Action:` and `Observation:`.
//!
//! A text is read as a transcript only where its shape leaves no doubt: its first line is a prompt, or it has calls and results under
//! labels of one kind. Any other text is what somebody said.

mod labelled;
mod react;
mod repl;
mod terminal;

/// A call and its result, as pieces of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry<'a> {
    pub(super) tool: &'a str,
    pub(super) arguments: &'a str,
    /// What came back; empty where nothing did.
    pub(super) printed: &'a str,
}

/// The calls of a transcript, in order; none where the text is no transcript.
pub(super) fn read(text: &str) -> Vec<Entry<'_>> {
    let readers = [terminal::read, react::read, labelled::read];
    readers.iter().map(|read| read(text)).find(|entries| !entries.is_empty()).unwrap_or_default()
}

/// The lines of a text, each with where it begins.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let at = start;
        start += line.len();
        (at, line.trim_end_matches(['\n', '\r']))
    })
}
