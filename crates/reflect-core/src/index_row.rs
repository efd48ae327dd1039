//! What an in-memory index is told about memories.

use crate::{MemoryId, RawJson};

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
    /// The vector of its task.
    pub vector: Vec<f32>,
    /// The vector of what it says; `None` until one has been made of its present words. Its task's stands in for it meanwhile.
    pub lesson_vector: Option<Vec<f32>>,
}
