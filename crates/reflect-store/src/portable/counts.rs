//! The version of the format, and how much a file holds.

use serde::{Deserialize, Serialize};

/// The version of the format that is written and read.
pub(super) const VERSION: u32 = 1;

/// How many lines there are of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LineCounts {
    /// Projects.
    pub projects: u64,
    /// Memories, the deleted ones included.
    pub memories: u64,
    /// Traces.
    pub traces: u64,
    /// Queries of the log.
    pub retrievals: u64,
    /// Versions of skills.
    pub skills: u64,
}

impl LineCounts {
    /// All of them.
    pub const fn total(&self) -> u64 {
        self.projects + self.memories + self.traces + self.retrievals + self.skills
    }

    /// The lines with this name.
    pub(super) fn of(&mut self, name: &str) -> &mut u64 {
        match name {
            "project" => &mut self.projects,
            "memory" => &mut self.memories,
            "trace" => &mut self.traces,
            "retrieval" => &mut self.retrievals,
            _ => &mut self.skills,
        }
    }
}
