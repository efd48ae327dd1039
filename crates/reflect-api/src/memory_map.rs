//! The map of memories on the wire.

use reflect_core::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// A map of a project's memories.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MemoryMapAnswer {
    /// The active memories, the newest 20,000 at most, newest first.
    pub points: Vec<MapPointAnswer>,
    /// How many active memories there are.
    pub total: u64,
    /// When the map was made. It is made anew when any memory has changed.
    #[schema(value_type = String, format = DateTime)]
    pub made_at: Timestamp,
}

/// A memory on the map. Those about similar tasks stand near each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MapPointAnswer {
    /// The memory.
    pub id: Uuid,
    /// Where it stands, from -1 to 1.
    pub x: f64,
    /// Where it stands, from -1 to 1.
    pub y: f64,
    /// Its utility.
    pub q_value: f64,
    /// How many reviewed runs were shown it.
    pub uses: u32,
    /// The first 120 characters of its task.
    pub task: String,
}
