//! Memories on their way from an answer into a prompt.

use reflect_core::{Lesson, memory_block::MemoryBlockEntry};

use crate::MemoryAnswer;

/// Hands the memories of an answer to one of the core's formatters, in their order.
pub fn with_block_entries<T>(memories: &[MemoryAnswer], write: impl FnOnce(&[MemoryBlockEntry<'_>]) -> T) -> T {
    let shown: Vec<(String, Lesson)> = memories.iter().map(|memory| (memory.id.to_string(), memory.lesson())).collect();
    let entries: Vec<MemoryBlockEntry<'_>> = memories
        .iter()
        .zip(&shown)
        .map(|(memory, (id, lesson))| MemoryBlockEntry {
            id,
            q_value: memory.q_value,
            similarity: memory.similarity,
            success: memory.success,
            task: &memory.task,
            lesson,
        })
        .collect();
    write(&entries)
}
