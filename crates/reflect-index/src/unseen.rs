//! What is certain about memories that no list has named so far.

use reflect_core::{Match, SearchList, SearchLists};

/// What 11 bits a coordinate leave out of a similarity at most: databases list vectors in halves of floats, and so is the task that they are
/// held against. Vectors have a length of one.
const ROUNDING: f64 = 0.001;

/// The most that a memory may have which is not named in the beginnings of some lists: what the last one that is named there has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Unseen {
    task: f64,
    lesson: f64,
    pub(crate) utility: f64,
}

impl Unseen {
    /// `None` if every memory is named.
    pub(crate) fn by(lists: &SearchLists) -> Option<Self> {
        let last = |list: &Option<SearchList>| list.as_ref().map_or(f64::INFINITY, SearchList::last);
        let unseen =
            Self { task: last(&lists.by_task), lesson: last(&lists.by_lesson), utility: lists.by_utility.last() };
        (!lists.are_whole()).then_some(unseen)
    }

    /// Its similarity, if this is compared.
    pub(crate) fn similarity(&self, matching: Match) -> f64 {
        (matching.join(self.task, self.lesson) + ROUNDING).min(1.0)
    }
}
