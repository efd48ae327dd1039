//! What is searched for, and what is found.

use reflect_core::{MemoryId, QuerySettings};

/// What is searched for.
#[derive(Debug, Clone)]
pub struct Search {
    /// The vector of the task.
    pub task: Vec<f32>,
    /// Limit, weights, floor and filter.
    pub settings: QuerySettings,
    /// Whether ranks by similarity are asked for.
    pub explain: bool,
}

/// A memory that a search found, with the figures that it was ranked by.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Which memory.
    pub memory_id: MemoryId,
    /// The newest change to it that the search knew of.
    pub changed: i64,
    /// Its utility.
    pub utility: f64,
    /// Its similarity to the task.
    pub similarity: f64,
    /// The blend of both.
    pub score: f64,
    /// What diversity took from it.
    pub mmr_penalty: f64,
    /// Its rank by similarity alone among all that passed floor and filter, from 1, if that was asked for.
    pub similarity_rank: Option<u32>,
}
