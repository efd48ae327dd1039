//! What an in-memory index is told about memories.

use crate::{MemoryId, RawJson, SameWords, Tells, worth::Learned};

/// What an index needs to know about a memory that changed.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexRow {
    /// Which memory.
    pub memory_id: MemoryId,
    /// The change that this row reflects. Numbers of changes only rise.
    pub changed: i64,
    /// The rest; `None` if nothing of it counts any more.
    pub entry: Option<IndexEntry>,
}

/// How a reviewed run went: what is usual for tasks like its own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunScore {
    /// How well it went, from 0 to 1.
    pub score: f64,
    /// What the memories that it saw were expected to add.
    pub added: f64,
}

/// What a memory is ranked by. What it says stays in the database.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexEntry {
    /// What it has learned, by both rules.
    pub learned: Learned,
    /// The run that it was learned from, while that has a review.
    pub run: Option<RunScore>,
    /// Whether it is here for its run alone: no query answers with it.
    pub is_hidden: bool,
    /// Whether it is never left out.
    pub is_pinned: bool,
    /// How much it tells, where its writer said.
    pub tells: Option<Tells>,
    /// Of those that share this, one is enough.
    pub same: Option<SameWords>,
    /// The metadata of its trace, which filters read.
    pub metadata: RawJson,
    /// The vector of its task.
    pub vector: Vec<f32>,
    /// The vector of what it says; `None` until one has been made of its present words. Its task's stands in for it meanwhile.
    pub lesson_vector: Option<Vec<f32>>,
}

impl IndexEntry {
    /// A memory that nobody has tried, with the vector of its task alone.
    pub fn new(vector: Vec<f32>) -> Self {
        let (learned, metadata) = (Learned::default(), RawJson::empty_object());
        Self {
            learned,
            run: None,
            is_hidden: false,
            is_pinned: false,
            tells: None,
            same: None,
            metadata,
            vector,
            lesson_vector: None,
        }
    }
}
