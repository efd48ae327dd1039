//! What a run was shown, and what was expected of it.

use std::collections::BTreeSet;

use reflect_core::{MemoryId, RetrievalId, ShownMemory, Sight, Slate, expected_to_add};

/// What a query answered, and what it expected of it.
#[derive(Default)]
pub(crate) struct LoggedAnswer {
    pub(crate) shown: Vec<ShownMemory>,
    pub(crate) slate: Option<Slate>,
}

/// The memories that a run was shown, and how.
pub(crate) struct Showing {
    pub(crate) memory_ids: BTreeSet<MemoryId>,
    pub(crate) retrieval_id: Option<RetrievalId>,
    /// What that query answered; empty where it is not known.
    pub(crate) answer: LoggedAnswer,
}

impl Showing {
    /// What the memories that the run saw were expected to add, all of them together, where that is known.
    pub(crate) fn added(&self) -> Option<f64> {
        self.answer.slate?;
        Some(expected_to_add(&self.answer.shown, |memory_id| self.memory_ids.contains(&memory_id)))
    }

    /// The same, as credits are told.
    pub(crate) fn sight(&self) -> Sight<'_> {
        let LoggedAnswer { shown, slate } = &self.answer;
        let added = self.added().unwrap_or_default();
        Sight { retrieval_id: self.retrieval_id, answer: shown, slate: *slate, added }
    }
}
