//! What watchers of a project are told.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What has changed since the event before. What changed to is not said: whoever shows it asks again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChangedEvent {
    /// Traces or their reviews.
    pub traces: bool,
    /// Memories or their utilities.
    pub memories: bool,
    /// Settings or keys.
    pub settings: bool,
    /// Lessons that are still to be written.
    pub queue: bool,
}
