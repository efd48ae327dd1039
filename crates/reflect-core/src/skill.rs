//! Skills: what a project's lessons add up to, as one document.

use crate::{MemoryId, Timestamp, WrittenBy};

/// One version of a project's skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    /// The whole Markdown document with its YAML front matter.
    pub content: String,
    /// Counts up from 1.
    pub version: u32,
    /// The name in the front matter.
    pub name: String,
    /// The description in the front matter.
    pub description: String,
    /// How many lessons of passed runs it stands on.
    pub n_passed: u32,
    /// How many lessons of failed runs it stands on.
    pub n_failed: u32,
    /// The memories it stands on.
    pub memory_ids: Vec<MemoryId>,
    /// Who wrote it; not known of versions from before this was kept.
    pub written_by: Option<WrittenBy>,
    /// When it was written.
    pub created_at: Timestamp,
}
