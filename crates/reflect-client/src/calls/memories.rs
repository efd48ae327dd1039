//! Single traces and memories.

use reflect_api::{DeleteTracesAnswer, DeleteTracesRequest, EditMemoryRequest, MemoryDetail, TraceAnswer};
use uuid::Uuid;

use crate::{ReflectClient, Result};

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

    /// Deletes a memory.
    pub async fn delete_memory(&self, memory_id: Uuid) -> Result<()> {
        self.world.delete_memory(&self.project_id, memory_id).await
    }
}
