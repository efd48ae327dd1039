//! Single traces and memories.

use reflect_api::{
    CreditAnswer, DeleteTracesAnswer, DeleteTracesRequest, EditMemoryRequest, ListCreditsRequest, MemoryDetail,
    MemoryMapAnswer, RetrievalAnswer, RevisionAnswer, TraceAnswer,
};
use uuid::Uuid;

use crate::{Page, ReflectClient, Result};

impl ReflectClient {
    /// One trace.
    pub async fn get_trace(&self, trace_id: Uuid) -> Result<TraceAnswer> {
        self.world.get_trace(&self.project_id, trace_id).await
    }

    /// Works a failed trace again.
    pub async fn retry_trace(&self, trace_id: Uuid) -> Result<TraceAnswer> {
        self.world.retry_trace(&self.project_id, trace_id).await
    }

    /// Erases traces. What they taught stays.
    pub async fn delete_traces(&self, trace_ids: impl IntoIterator<Item = Uuid>) -> Result<DeleteTracesAnswer> {
        self.delete(trace_ids, false).await
    }

    /// Erases traces together with what they taught: the memory and the credits of each.
    pub async fn delete_traces_cascading(
        &self,
        trace_ids: impl IntoIterator<Item = Uuid>,
    ) -> Result<DeleteTracesAnswer> {
        self.delete(trace_ids, true).await
    }

    async fn delete(&self, trace_ids: impl IntoIterator<Item = Uuid>, cascade: bool) -> Result<DeleteTracesAnswer> {
        let trace_ids = trace_ids.into_iter().map(|id| id.to_string()).collect();
        let request = DeleteTracesRequest { trace_ids, cascade: cascade.then_some(true) };
        self.world.delete_traces(&self.project_id, request).await
    }

    /// One memory with its ledger.
    pub async fn get_memory(&self, memory_id: Uuid) -> Result<MemoryDetail> {
        self.world.get_memory(&self.project_id, memory_id).await
    }

    /// A page of the steps of a memory's utility, newest first: the first page, or the one after `cursor`.
    pub async fn list_credits(&self, memory_id: Uuid, cursor: Option<String>) -> Result<Page<CreditAnswer>> {
        let request = ListCreditsRequest { limit: None, cursor };
        self.world.list_credits(&self.project_id, memory_id, &request).await
    }

    /// What a memory says and said before, newest first.
    pub async fn list_memory_revisions(&self, memory_id: Uuid) -> Result<Vec<RevisionAnswer>> {
        self.world.list_memory_revisions(&self.project_id, memory_id).await
    }

    /// A map of the project's memories: each a point in two dimensions, near those about similar tasks.
    pub async fn memory_map(&self) -> Result<MemoryMapAnswer> {
        self.world.memory_map(&self.project_id).await
    }

    /// One answered query: what was asked, with which settings, and what was shown.
    pub async fn get_retrieval(&self, retrieval_id: Uuid) -> Result<RetrievalAnswer> {
        self.world.get_retrieval(&self.project_id, retrieval_id).await
    }

    /// Disables, enables or rewrites a memory.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_client::ReflectClient, id: uuid::Uuid) -> Result<(), reflect_client::Error> {
    /// use reflect_client::{EditMemoryRequest, MemoryStatus};
    ///
    /// let edit = EditMemoryRequest { status: Some(MemoryStatus::Disabled), ..Default::default() };
    /// client.edit_memory(id, edit).await?;
    /// # Ok(()) }
    /// ```
    pub async fn edit_memory(&self, memory_id: Uuid, edit: EditMemoryRequest) -> Result<MemoryDetail> {
        self.world.edit_memory(&self.project_id, memory_id, edit).await
    }

    /// Brings back a memory that queries leave out: what it is believed to add is forgotten, and it is tried like a new one.
    pub async fn bring_back_memory(&self, memory_id: Uuid) -> Result<MemoryDetail> {
        self.edit_memory(memory_id, EditMemoryRequest { retired: Some(false), ..EditMemoryRequest::default() }).await
    }

    /// Deletes a memory.
    pub async fn delete_memory(&self, memory_id: Uuid) -> Result<()> {
        self.world.delete_memory(&self.project_id, memory_id).await
    }
}
