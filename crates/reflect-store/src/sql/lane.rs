//! What may be written at the same time.

use reflect_core::ProjectId;

/// Whose turn a write waits for. Writes in one lane are carried out one after the other; a backend that can write several things at once does so
/// with those of different lanes, also those of other processes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Lane {
    /// Everything in one project.
    Project(ProjectId),
    /// What belongs to no project: sessions, and what models cost.
    Server,
    /// What is done to rows of many projects and never waits for one: claims, above all.
    Queue,
    /// Tables that searches read and that can be made anew, which one instance fills.
    SearchTables,
    /// Imports, which lock each project that they come to.
    Import,
}

impl Lane {
    pub(crate) fn of(project_id: &ProjectId) -> Self {
        Self::Project(project_id.clone())
    }
}
