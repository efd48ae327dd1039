//! A task together with what was learned about its like.

use std::sync::Arc;

use reflect_api::{MemoryAnswer, with_block_entries};
use reflect_core::memory_block::prompt_with_memories;
use uuid::Uuid;

/// Writes a prompt from a task and its memories, instead of the block that all our clients write.
pub type MemoryFormatter = Arc<dyn Fn(&str, &[MemoryAnswer]) -> String + Send + Sync>;

/// A task with its memories.
///
/// ```no_run
/// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
/// let augmented = client.augment_with_memories("Refund order A-17").await?;
/// println!("{}", augmented.augmented_task);
/// for memory in &augmented.memories {
///     println!("{} {}", memory.id, memory.reflection);
/// }
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct AugmentedTask {
    /// The task as it was given.
    pub task: String,
    /// The prompt: the task, and the memories where there are any.
    pub augmented_task: String,
    /// The memories in it, best first.
    pub memories: Vec<MemoryAnswer>,
    /// Names the query; goes along with the trace, so that the run is joined to what it was shown.
    pub retrieval_id: Option<Uuid>,
}

impl AugmentedTask {
    pub(crate) fn new(task: String, queried: crate::QueriedMemories, formatter: Option<&MemoryFormatter>) -> Self {
        let augmented_task = match formatter {
            Some(formatter) => formatter(&task, &queried.memories),
            // The core's: every text escaped, so that none can break out of the block.
            None => with_block_entries(&queried.memories, |entries| prompt_with_memories(&task, entries)),
        };
        Self { task, augmented_task, memories: queried.memories, retrieval_id: queried.retrieval_id }
    }

    /// The ids of the memories.
    pub fn memory_ids(&self) -> Vec<String> {
        self.memories.iter().map(|memory| memory.id.to_string()).collect()
    }
}
