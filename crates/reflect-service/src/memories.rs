//! Memories, beyond queries.

use reflect_api::{EditMemoryRequest, ListMemoriesRequest, MemoryDetail};
use reflect_core::MemoryId;
use reflect_engine::{EditMemory, MemoryFilter};

use crate::{
    Asker, Page, Service, ServiceResult,
    paging::{page_limit, parse_cursor},
};

/// How many memories a page has that did not say.
const PAGE: usize = 100;

impl Service {
    /// A page of memories, newest first.
    pub async fn list_memories(
        &self,
        asker: Asker<'_>,
        request: &ListMemoriesRequest,
    ) -> ServiceResult<Page<MemoryDetail>> {
        let limit = page_limit(request.limit)?.unwrap_or(PAGE);
        let before = parse_cursor(request.cursor.as_ref())?;
        let filter = MemoryFilter { status: request.status, before, limit: limit + 1 };
        let memories = self.engine.list_memories(asker, filter).await?;
        let page = Page::cut(memories, limit, |memory| memory.id.to_string());
        Ok(page.map(|memory| MemoryDetail::new(memory, None)))
    }

    /// One memory with its ledger.
    pub async fn get_memory(&self, asker: Asker<'_>, memory_id: MemoryId) -> ServiceResult<MemoryDetail> {
        let (memory, credits) = self.engine.get_memory(asker, memory_id).await?;
        Ok(MemoryDetail::new(memory, Some(credits)))
    }

    /// Disables, enables or rewrites a memory.
    pub async fn edit_memory(
        &self,
        asker: Asker<'_>,
        memory_id: MemoryId,
        request: EditMemoryRequest,
    ) -> ServiceResult<MemoryDetail> {
        request.check(&self.limits)?;
        let edit = EditMemory {
            status: request.status,
            summary: request.summary,
            key_mistake: request.key_mistake,
            correct_action: request.correct_action,
            guidance: request.guidance,
            applicable_tools: request.applicable_tools,
        };
        let memory = self.engine.edit_memory(asker, memory_id, edit).await?;
        Ok(MemoryDetail::new(memory, None))
    }

    /// Deletes a memory; its ledger stays.
    pub async fn delete_memory(&self, asker: Asker<'_>, memory_id: MemoryId) -> ServiceResult<()> {
        Ok(self.engine.delete_memory(asker, memory_id).await?)
    }
}
