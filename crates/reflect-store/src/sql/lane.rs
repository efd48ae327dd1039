//! What may be written at the same time.

use reflect_core::ProjectId;

/// Whose turn a write waits for. Writes in one lane are carried out one after the other; a backend that can write several things at once does so
/// with those of different lanes, also those of other processes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Lane {
    /// Everything in one project, but for what is added beside it.
    Project(ProjectId),
    /// New rows of one project that nothing there has to do with yet. Several such writes may be carried out at once, beside those of the
    /// project's own lane: none of them may read what another one writes.
    Additions(ProjectId),
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
