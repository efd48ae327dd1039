//! A task together with what was learned about its like.

use std::sync::Arc;

use reflect_api::{MemoryAnswer, with_block_entries};
use reflect_core::memory_block::{DEFAULT_MAX_CHARS, fitting, prompt_with_memories};
use uuid::Uuid;

/// Writes a prompt from a task and its memories, instead of the block that all our clients write.
pub type MemoryFormatter = Arc<dyn Fn(&str, &[MemoryAnswer]) -> String + Send + Sync>;

/// How a client writes prompts.
#[derive(Clone)]
pub(crate) struct PromptWriter {
    pub(crate) formatter: Option<MemoryFormatter>,
    /// How long the block may be that all our clients write.
    pub(crate) max_chars: usize,
}

impl Default for PromptWriter {
    fn default() -> Self {
        Self { formatter: None, max_chars: DEFAULT_MAX_CHARS }
    }
}

impl PromptWriter {
    /// The prompt, and the memories in it.
    fn write(&self, task: &str, memories: Vec<MemoryAnswer>) -> (String, Vec<MemoryAnswer>) {
        if let Some(formatter) = &self.formatter {
            return (formatter(task, &memories), memories);
        }
        // The core's: every text escaped, so that none can break out of the block.
        let (prompt, mut places) = with_block_entries(&memories, |entries| {
            (prompt_with_memories(task, entries, self.max_chars), fitting(entries, self.max_chars))
        });
        // Nothing is learned about a memory that had no room.
        places.sort_unstable();
        let has_room = |place: &usize| places.binary_search(place).is_ok();
        let memories = memories.into_iter().enumerate().filter(|(place, _)| has_room(place));
        (prompt, memories.map(|(_, memory)| memory).collect())
    }
}

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
    pub(crate) fn new(task: String, queried: crate::QueriedMemories, prompts: &PromptWriter) -> Self {
        let retrieval_id = queried.retrieval_id;
        let (augmented_task, memories) = prompts.write(&task, queried.memories);
        Self { task, augmented_task, memories, retrieval_id }
    }

    /// The ids of the memories.
    pub fn memory_ids(&self) -> Vec<String> {
        self.memories.iter().map(|memory| memory.id.to_string()).collect()
    }
}
