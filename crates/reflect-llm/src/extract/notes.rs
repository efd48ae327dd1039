//! What was done, each thing once.

use crate::ParseNote;

/// More than this is of no use to anybody, and keeps looking for doubles cheap.
const MOST: usize = 64;

/// Notes in the order in which they were made.
#[derive(Debug, Clone, Default)]
pub(super) struct Notes(Vec<ParseNote>);

impl Notes {
    pub(super) fn add(&mut self, note: ParseNote) {
        if self.0.len() < MOST && !self.0.contains(&note) {
            self.0.push(note);
        }
    }

    pub(super) fn extend(&mut self, others: Notes) {
        for note in others.0 {
            self.add(note);
        }
    }

    /// Whether nothing had to be mended: only words, a fence or a thinking block were around the object.
    pub(super) fn are_clean(&self) -> bool {
        self.0.iter().all(|note| {
            matches!(
                note,
                ParseNote::ThinkingStripped
                    | ParseNote::Fenced
                    | ParseNote::ProseAround
                    | ParseNote::SeveralCandidates(_)
            )
        })
    }

    pub(super) fn into_vec(self) -> Vec<ParseNote> {
        self.0
    }
}
