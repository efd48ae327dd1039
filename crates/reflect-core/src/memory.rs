//! Memories: lessons with a record of how well they served.

use crate::{
    Lesson, MemoryId, RawJson, Timestamp, TraceId, WrittenBy, learning::Tally, text_enum::text_enum, worth::Viewpoint,
};

text_enum! {
    /// Whether a memory is shown.
    MemoryStatus {
        /// Queries may answer with it.
        Active = "active",
        /// Kept and still credited for earlier runs, but no query answers with it.
        Disabled = "disabled",
    }
}

/// A lesson, the task it is about, and what became of the runs that saw it.
#[derive(Debug, Clone, PartialEq)]
pub struct Memory {
    /// Its id, the same across revisions.
    pub id: MemoryId,
    /// The run it was learned from.
    pub trace_id: TraceId,
    /// The task of that run; this is what similarity is measured against.
    pub task: String,
    /// What it says.
    pub lesson: Lesson,
    /// Whether that run passed.
    pub success: Option<bool>,
    /// Whether queries may answer with it.
    pub status: MemoryStatus,
    /// Whether it is never left out: neither retired nor sitting out.
    pub pinned: bool,
    /// Counts up from 1 whenever the lesson changes.
    pub revision: u32,
    /// Who wrote this revision.
    pub written_by: WrittenBy,
    /// Utility and counts: the cached fold of its ledger.
    pub tally: Tally,
    /// The metadata of its trace, which filters read.
    pub metadata: RawJson,
    /// When the first revision was written.
    pub created_at: Timestamp,
    /// When the current revision was written.
    pub updated_at: Timestamp,
}

impl Memory {
    /// The same as a project sees it.
    #[must_use]
    pub fn seen_from(mut self, viewpoint: &Viewpoint) -> Self {
        self.tally = self.tally.seen_from(viewpoint);
        if self.pinned {
            self.tally = self.tally.kept();
        }
        self
    }
}

/// What a memory says, or said before it was rewritten.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryRevision {
    /// Its number, from 1.
    pub revision: u32,
    /// What it says.
    pub lesson: Lesson,
    /// Whether the run behind it passed, as its review said by then.
    pub success: Option<bool>,
    /// Who wrote it.
    pub written_by: WrittenBy,
    /// When it was written.
    pub created_at: Timestamp,
}
