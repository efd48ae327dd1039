//! What an in-memory index is told about memories.

use crate::{LessonWords, MemoryId, RawJson};

/// What an index needs to know about a memory that changed.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexRow {
    /// Which memory.
    pub memory_id: MemoryId,
    /// The change that this row reflects. Numbers of changes only rise.
    pub changed: i64,
    /// The rest; `None` if no query may answer with it any more.
    pub entry: Option<IndexEntry>,
}

/// What a memory is ranked by. What it says stays in the database.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexEntry {
    /// Its utility.
    pub utility: f64,
    /// The metadata of its trace, which filters read.
    pub metadata: RawJson,
    /// The words of its lesson, which diversity compares.
    pub lesson: LessonWords,
    /// The vector of its task.
    pub vector: Vec<f32>,
}
