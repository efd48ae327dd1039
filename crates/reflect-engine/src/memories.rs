//! Memories: looking at them, editing, deleting.

use reflect_core::{Credit, Lesson, Memory, MemoryId, MemoryStatus, Scope, WrittenBy};
use reflect_store::{MemoryEdit, MemoryFilter};

use crate::{Asker, Engine, EngineError, EngineResult};

/// How many of a memory's newest credits are shown with it.
const SHOWN_CREDITS: usize = 100;

/// What to change about a memory. What is `None` stays.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EditMemory {
    /// Show it or not.
    pub status: Option<MemoryStatus>,
    /// A new summary.
    pub summary: Option<String>,
    /// A new key mistake.
    pub key_mistake: Option<String>,
    /// A new correct action.
    pub correct_action: Option<String>,
    /// New guidance.
    pub guidance: Option<String>,
    /// New applicable tools.
    pub applicable_tools: Option<Vec<String>>,
}

impl EditMemory {
    fn lesson(self, lesson: Lesson) -> Lesson {
        Lesson {
            summary: self.summary.unwrap_or(lesson.summary),
            key_mistake: self.key_mistake.unwrap_or(lesson.key_mistake),
            correct_action: self.correct_action.unwrap_or(lesson.correct_action),
            guidance: self.guidance.unwrap_or(lesson.guidance),
            applicable_tools: self.applicable_tools.unwrap_or(lesson.applicable_tools),
            tools_used: lesson.tools_used,
        }
    }
}

impl Engine {
    /// A project's memories, newest first.
    pub async fn list_memories(&self, asker: Asker<'_>, filter: MemoryFilter) -> EngineResult<Vec<Memory>> {
        self.admit(asker, Scope::MemoryRead)?;
        self.open_project(asker).await?;
        Ok(self.store.list_memories(asker.project_id.clone(), filter).await?)
    }

    /// One memory with its newest live credits, newest first.
    pub async fn get_memory(&self, asker: Asker<'_>, memory_id: MemoryId) -> EngineResult<(Memory, Vec<Credit>)> {
        self.admit(asker, Scope::MemoryRead)?;
        let found = self.store.get_memory(asker.project_id.clone(), memory_id, SHOWN_CREDITS).await?;
        found.ok_or_else(|| EngineError::no_memory(memory_id))
    }

    /// Shows or hides a memory, or gives it new words: a new revision then. Utility and credits stay.
    pub async fn edit_memory(&self, asker: Asker<'_>, memory_id: MemoryId, edit: EditMemory) -> EngineResult<Memory> {
        self.admit(asker, Scope::MemoryWrite)?;
        let written_by = WrittenBy::new("editor", "1");
        let change =
            MemoryEdit { status: edit.status, lesson: Some((Box::new(move |lesson| edit.lesson(lesson)), written_by)) };
        let updated = self.store.update_memory(asker.project_id.clone(), memory_id, change, self.now()).await?;
        updated.ok_or_else(|| EngineError::no_memory(memory_id))
    }

    /// Deletes a memory. What it says is erased; its ledger is kept.
    pub async fn delete_memory(&self, asker: Asker<'_>, memory_id: MemoryId) -> EngineResult<()> {
        self.admit(asker, Scope::MemoryWrite)?;
        match self.store.delete_memory(asker.project_id.clone(), memory_id, self.now()).await? {
            true => Ok(()),
            false => Err(EngineError::no_memory(memory_id)),
        }
    }
}
