//! What an answer says so far: of lessons that say the same one is enough.

use std::collections::HashSet;

use reflect_core::{MemoryId, SameWords};

use crate::block::RowFacts;

/// What an answer says so far.
#[derive(Debug, Default)]
pub(crate) struct Said {
    words: HashSet<SameWords>,
    /// Memories of which nobody knows whether others say the same.
    alone: HashSet<MemoryId>,
}

impl Said {
    /// Whether a memory says something of it.
    pub(crate) fn has(&self, facts: &RowFacts) -> bool {
        match facts.same {
            Some(words) => self.words.contains(&words),
            None => self.alone.contains(&facts.memory_id),
        }
    }

    /// Adds what a memory says; `false` if that was said.
    pub(crate) fn add(&mut self, facts: &RowFacts) -> bool {
        match facts.same {
            Some(words) => self.words.insert(words),
            None => self.alone.insert(facts.memory_id),
        }
    }
}
