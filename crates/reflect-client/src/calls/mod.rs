//! The calls, one file a kind of thing. Those with options are builders that are sent by awaiting them.

mod bulk_review;
mod events;
mod keys;
mod listing;
mod memories;
#[cfg(test)]
mod operations_tests;
mod projects;
mod query;
mod review;
mod sessions;
mod skills;
mod trace;
mod wait;

pub use crate::world::{Page, QueriedMemories};
pub use bulk_review::ReviewTraces;
pub use events::Events;
pub use keys::CreateKey;
pub use listing::{ListMemories, ListTraces};
pub use projects::Bootstrap;
pub use query::{AugmentTask, QueryMemories};
pub use review::ReviewTrace;
pub use trace::CreateTrace;
pub use wait::{CreateAndWait, WaitForTrace};

use std::future::IntoFuture;

use futures_util::future::BoxFuture;
use reflect_api::{BootstrapAnswer, BulkReviewAnswer, CreatedKeyAnswer, MemoryDetail, SubmissionAnswer, TraceAnswer};

use crate::{AugmentedTask, Result};

/// Sends a call when it is awaited.
macro_rules! sent_when_awaited {
    ($($call:ident -> $answer:ty;)+) => {
        $(impl IntoFuture for $call {
            type Output = Result<$answer>;
            type IntoFuture = BoxFuture<'static, Self::Output>;

            fn into_future(self) -> Self::IntoFuture {
                Box::pin(self.send())
            }
        })+
    };
}

sent_when_awaited! {
    AugmentTask -> AugmentedTask;
    Bootstrap -> BootstrapAnswer;
    CreateAndWait -> TraceAnswer;
    CreateKey -> CreatedKeyAnswer;
    CreateTrace -> SubmissionAnswer;
    ListMemories -> Vec<MemoryDetail>;
    ListTraces -> Vec<TraceAnswer>;
    QueryMemories -> QueriedMemories;
    ReviewTrace -> TraceAnswer;
    ReviewTraces -> BulkReviewAnswer;
    WaitForTrace -> TraceAnswer;
}
