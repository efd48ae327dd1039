//! Queries: what is searched by, and the log of what was asked and shown.

use serde::{Deserialize, Serialize};

use crate::{KeyId, MemoryId, Message, RawJson, RetrievalId, Timestamp};

/// What a query searches by.
#[derive(Debug, Clone, PartialEq)]
pub enum SearchBy {
    /// A task.
    Task(String),
    /// What a conversation comes down to.
    Conversation(Vec<Message>),
}

/// The settings that a query was answered with, after all defaults.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QuerySettings {
    /// How many memories were asked for at most.
    pub limit: usize,
    /// The weight of utility.
    pub lambda: f64,
    /// The weight of score against diversity.
    pub mmr_lambda: f64,
    /// The floor on similarity; none lets everything through.
    pub similarity_threshold: Option<f64>,
    /// What the trace's metadata had to hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata_filter: Option<RawJson>,
}

/// One memory in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ShownMemory {
    /// Which one.
    pub memory_id: MemoryId,
    /// Which revision of it.
    pub revision: u32,
    /// Its rank in the answer, from 1.
    pub rank: u32,
    /// Its similarity to the task.
    pub similarity: f64,
    /// Its utility at that moment.
    pub q_value: f64,
    /// The blend of both.
    pub score: f64,
}

/// One answered query.
#[derive(Debug, Clone, PartialEq)]
pub struct Retrieval {
    /// Its id, which the answer carries in a header.
    pub id: RetrievalId,
    /// The key that asked.
    pub key_id: KeyId,
    /// What was asked.
    pub task: String,
    /// With which settings.
    pub settings: QuerySettings,
    /// What was shown, best first.
    pub shown: Vec<ShownMemory>,
    /// When.
    pub created_at: Timestamp,
}
