//! The calls, one file a kind of thing. Those with options are builders that are sent by awaiting them.

mod bulk_review;
mod keys;
mod listing;
mod memories;
mod projects;
mod query;
mod review;
mod skills;
mod trace;
mod wait;

pub use crate::world::{Page, QueriedMemories};
pub use bulk_review::ReviewTraces;
pub use keys::CreateKey;
pub use listing::{ListMemories, ListTraces};
pub use projects::Bootstrap;
pub use query::{AugmentTask, QueryMemories};
pub use review::ReviewTrace;
pub use trace::CreateTrace;
pub use wait::{CreateAndWait, WaitForTrace};

use futures_util::future::BoxFuture;

/// What awaiting a builder runs.
type Sending<T> = BoxFuture<'static, crate::Result<T>>;
