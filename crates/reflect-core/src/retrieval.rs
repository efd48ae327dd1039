//! Queries: what is searched by, and the log of what was asked and shown.

use std::borrow::Cow;

use serde::Deserialize;

use crate::{KeyId, MemoryId, Message, QuerySettings, RetrievalId, Timestamp, lift::Draw, what_if::MixedAnswer};

/// What a query searches by.
#[derive(Debug, Clone, PartialEq)]
pub enum SearchBy {
    /// A task.
    Task(String),
    /// What a conversation comes down to.
    Conversation(Vec<Message>),
}

/// One memory in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct ShownMemory {
    /// Which one.
    pub memory_id: MemoryId,
    /// Which revision of it.
    pub revision: u32,
    /// Its rank in the answer, from 1.
    pub rank: u32,
    /// Its similarity to the task.
    pub similarity: f64,
    /// Its utility at that moment. The blend of both follows from the settings.
    pub q_value: f64,
    /// What it was expected to add, in shares of passes, where the query knew what is usual.
    #[serde(default)]
    pub worth: Option<f64>,
    /// How probable it was that the query would show it, where that is known.
    #[serde(default)]
    pub probability: Option<f64>,
}

impl ShownMemory {
    /// A memory at the head of an answer, as it was first written: in the middle of utilities.
    pub const fn new(memory_id: MemoryId, similarity: f64) -> Self {
        Self { memory_id, revision: 1, rank: 1, similarity, q_value: 0.5, worth: None, probability: None }
    }
}

/// What a query that ranked by worth knew about its task and its answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slate {
    /// What was usual for such a task, without memories.
    pub usual: f64,
    /// The local unit of distance.
    pub unit: f64,
    /// How probable it was to show exactly these memories, in (0, 1].
    pub probability: f64,
    /// Which arithmetic made these figures.
    pub rule_version: u32,
}

/// One answered query.
#[derive(Debug, Clone, PartialEq)]
pub struct Retrieval {
    /// Its id, which the answer carries in a header.
    pub id: RetrievalId,
    /// The key that asked.
    pub key_id: KeyId,
    /// What was asked, as [`logged_task`] keeps it.
    pub task: String,
    /// With which settings.
    pub settings: QuerySettings,
    /// What was shown, best first.
    pub shown: Vec<ShownMemory>,
    /// What was due and sat out, the first first.
    pub sat_out: Vec<MemoryId>,
    /// The arm that it was drawn for. `None` where no share is held out or there was nothing to show.
    pub draw: Option<Draw>,
    /// What it might have been answered with. `None` where nothing is mixed, and where it made no difference.
    pub mixed: Option<MixedAnswer>,
    /// What the query expected, if it ranked by worth and knew what is usual.
    pub slate: Option<Slate>,
    /// When.
    pub created_at: Timestamp,
}

/// Characters of either end of a task that the log keeps.
const LOGGED_END: usize = 500;

/// A task as the log keeps it: a long one by its ends, which tell it from others well enough. Every query writes a row, and whoever may
/// only read must not be able to fill the disk with tasks.
pub fn logged_task(task: &str) -> Cow<'_, str> {
    let head_end = task.char_indices().nth(LOGGED_END).map_or(task.len(), |(at, _)| at);
    let tail_start = task.char_indices().rev().nth(LOGGED_END - 1).map_or(0, |(at, _)| at);
    match (task.get(..head_end), task.get(tail_start..)) {
        (Some(head), Some(tail)) if head_end < tail_start => Cow::Owned(format!("{head}…{tail}")),
        _ => Cow::Borrowed(task),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_task_is_logged_by_its_ends() {
        for task in ["", "refund", &"ä".repeat(1_000)] {
            assert_eq!(logged_task(task), task);
        }
        let long = format!("{}{}{}", "a".repeat(500), "ö".repeat(30_000), "z".repeat(500));
        assert_eq!(logged_task(&long), format!("{}…{}", "a".repeat(500), "z".repeat(500)));
        assert_eq!(logged_task(&"ß".repeat(1_001)).chars().count(), 1_001);
    }
}
