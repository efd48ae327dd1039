//! Memories: looking at them, editing, deleting.

use reflect_core::{Credit, Lesson, Memory, MemoryId, MemoryRevision, MemoryStatus, Scope, WrittenBy, WrittenLesson};
use reflect_store::{CreditPage, EditLesson, EmbeddedWords, MemoryEdit, MemoryFilter, MemoryPlan};

use crate::{Asker, Changed, Engine, EngineError, EngineResult};

/// How many of a memory's newest credits are shown with it.
const SHOWN_CREDITS: usize = 100;

/// How many runs have to agree before it is said of two memories that they are always shown together.
const LEAST_RUNS_TOGETHER: usize = 5;

/// A memory with what is known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownMemory {
    /// The memory.
    pub memory: Memory,
    /// Its newest live credits, newest first.
    pub credits: Vec<Credit>,
    /// The other memories that each of those runs was shown: by them nobody can tell which one helped. Only where memories learn by worth.
    pub always_with: Vec<MemoryId>,
}

/// What to change about a memory. What is `None` stays.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EditMemory {
    /// Show it or not.
    pub status: Option<MemoryStatus>,
    /// Whether it is never left out.
    pub pinned: Option<bool>,
    /// Whether what it was believed to add is forgotten, so that it is tried again.
    pub bring_back: bool,
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
        let before = lesson.clone();
        let edited = Lesson {
            summary: self.summary.unwrap_or(lesson.summary),
            key_mistake: self.key_mistake.unwrap_or(lesson.key_mistake),
            correct_action: self.correct_action.unwrap_or(lesson.correct_action),
            guidance: self.guidance.unwrap_or(lesson.guidance),
            applicable_tools: self.applicable_tools.unwrap_or(lesson.applicable_tools),
            ..lesson
        };
        // How much other words tell is not known.
        if edited == before { before } else { Lesson { tells: None, ..edited } }
    }
}

impl Engine {
    /// A page of a project's memories, measured and not read. A search for words that takes too long is given up.
    pub async fn plan_memories(&self, asker: Asker<'_>, filter: MemoryFilter) -> EngineResult<MemoryPlan> {
        self.admit(asker, Scope::MemoryRead)?;
        let filter = MemoryFilter { viewpoint: self.viewpoint_of(asker.project_id).await?, ..filter };
        let plan = self.store.plan_memories(asker.project_id.clone(), filter, self.settings.search_timeout).await;
        plan.map_err(|error| self.search_error(error))
    }

    /// The memories of a plan, in its order; those that are gone are passed over.
    pub async fn get_memories(&self, asker: Asker<'_>, memory_ids: Vec<MemoryId>) -> EngineResult<Vec<Memory>> {
        self.admit(asker, Scope::MemoryRead)?;
        let viewpoint = self.viewpoint_of(asker.project_id).await?;
        Ok(self.store.get_memories(asker.project_id.clone(), memory_ids, viewpoint).await?)
    }

    /// What a memory says and said before, newest first.
    pub async fn list_memory_revisions(
        &self,
        asker: Asker<'_>,
        memory_id: MemoryId,
    ) -> EngineResult<Vec<MemoryRevision>> {
        self.admit(asker, Scope::MemoryRead)?;
        let found = self.store.list_memory_revisions(asker.project_id.clone(), memory_id).await?;
        found.ok_or_else(|| EngineError::no_memory(memory_id))
    }

    /// A page of a memory's live credits, newest first.
    pub async fn list_credits(
        &self,
        asker: Asker<'_>,
        memory_id: MemoryId,
        page: CreditPage,
    ) -> EngineResult<Vec<Credit>> {
        self.admit(asker, Scope::MemoryRead)?;
        let page = CreditPage { viewpoint: self.viewpoint_of(asker.project_id).await?, ..page };
        let found = self.store.list_credits(asker.project_id.clone(), memory_id, page).await?;
        found.ok_or_else(|| EngineError::no_memory(memory_id))
    }

    /// How many bytes a memory has. Zero if it is gone, or if the asker may neither read nor edit it: the call that follows refuses
    /// that, and names the scope that it needs.
    pub async fn measure_memory(&self, asker: Asker<'_>, memory_id: MemoryId) -> EngineResult<usize> {
        if [Scope::MemoryRead, Scope::MemoryWrite].into_iter().all(|scope| self.admit(asker, scope).is_err()) {
            return Ok(0);
        }
        Ok(self.store.measure_memory(asker.project_id.clone(), memory_id).await?.unwrap_or_default())
    }

    /// One memory with what is known of it.
    pub async fn get_memory(&self, asker: Asker<'_>, memory_id: MemoryId) -> EngineResult<KnownMemory> {
        self.admit(asker, Scope::MemoryRead)?;
        let viewpoint = self.viewpoint_of(asker.project_id).await?;
        let page = CreditPage { limit: SHOWN_CREDITS, viewpoint, ..CreditPage::default() };
        let found = self.store.get_memory(asker.project_id.clone(), memory_id, page).await?;
        let (memory, credits) = found.ok_or_else(|| EngineError::no_memory(memory_id))?;
        let mut always_with = Vec::new();
        if memory.tally.belief().is_some() && credits.len() >= LEAST_RUNS_TOGETHER {
            let runs = credits.iter().map(|credit| credit.trace_id).collect();
            let together = self.store.get_shown_together(asker.project_id.clone(), memory_id, runs).await?;
            if together.runs >= LEAST_RUNS_TOGETHER {
                always_with = together.memory_ids;
            }
        }
        Ok(KnownMemory { memory, credits, always_with })
    }

    /// Shows or hides a memory, brings it back, or gives it new words: a new revision then. Its credits stay.
    pub async fn edit_memory(&self, asker: Asker<'_>, memory_id: MemoryId, edit: EditMemory) -> EngineResult<Memory> {
        self.admit(asker, Scope::MemoryWrite)?;
        let EditMemory { status, pinned, bring_back, .. } = edit;
        let written_by = WrittenBy::new("editor", "1");
        let embedded = self.embedded_words(asker, memory_id, &edit).await?;
        let is_left_for_later = embedded.as_ref().is_some_and(|embedded| embedded.vectors.is_empty());
        let lesson = Some((Box::new(move |lesson| edit.lesson(lesson)) as EditLesson, written_by));
        let change = MemoryEdit { status, pinned, bring_back, lesson, embedded };
        let updated = self.store.update_memory(asker.project_id.clone(), memory_id, change, self.now()).await?;
        self.coordination.note_change(asker.project_id, Changed::MEMORIES);
        if is_left_for_later {
            self.coordination.forget_projects();
            self.coordination.wake_switches();
        }
        let memory = updated.ok_or_else(|| EngineError::no_memory(memory_id))?;
        Ok(memory.seen_from(&self.viewpoint_of(asker.project_id).await?))
    }

    /// What a memory will say after an edit, as vectors, if that is not what it says now.
    async fn embedded_words(
        &self,
        asker: Asker<'_>,
        memory_id: MemoryId,
        edit: &EditMemory,
    ) -> EngineResult<Option<EmbeddedWords>> {
        let found = self.store.get_memory(asker.project_id.clone(), memory_id, CreditPage::default()).await?;
        let (memory, _) = found.ok_or_else(|| EngineError::no_memory(memory_id))?;
        let lesson = edit.clone().lesson(memory.lesson.clone());
        if lesson == memory.lesson {
            return Ok(None);
        }
        let (words, written_by) = (lesson.words(), memory.written_by);
        let revised = self.revised_lesson(asker.project_id, &memory.task, WrittenLesson { lesson, written_by }).await;
        Ok(Some(EmbeddedWords { words, vectors: revised.vectors }))
    }

    /// Deletes a memory. What it says is erased; its ledger is kept.
    pub async fn delete_memory(&self, asker: Asker<'_>, memory_id: MemoryId) -> EngineResult<()> {
        self.admit(asker, Scope::MemoryWrite)?;
        match self.store.delete_memory(asker.project_id.clone(), memory_id, self.now()).await? {
            true => {
                self.coordination.note_change(asker.project_id, Changed::MEMORIES);
                Ok(())
            }
            false => Err(EngineError::no_memory(memory_id)),
        }
    }
}
