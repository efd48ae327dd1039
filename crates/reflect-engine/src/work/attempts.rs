//! An attempt at a job: what it is about, and how it can end.

use reflect_core::Review;
use reflect_store::{ClaimedJob, JobInput, StoreError};

/// A claimed job with the reviewed run that its lesson is about.
#[derive(Clone, Copy)]
pub(super) struct Assignment<'a> {
    pub(super) job: &'a ClaimedJob,
    pub(super) input: &'a JobInput,
    pub(super) review: &'a Review,
}

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attempted {
    /// There is nothing left to do.
    Done,
    /// It is tried again later; that has been written down.
    Later,
    /// It was not tried at all, and falls due again; that has been written down.
    GivenBack,
    /// It is not tried again, and what was there before stays.
    Kept,
}

impl Attempted {
    /// The label under which it is counted.
    pub(super) const fn label(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Later => "retry",
            Self::GivenBack => "given_back",
            Self::Kept => "failed",
        }
    }

    pub(super) const fn is_end(self) -> bool {
        matches!(self, Self::Done | Self::Kept)
    }
}

/// Why an attempt came to nothing.
pub(super) enum AttemptError {
    /// A later attempt may do better.
    Retry(String),
    /// No attempt will.
    GiveUp(String),
    /// The embedder has too much to do, which says nothing about the job.
    Busy(String),
    /// The disk takes no writes, which says nothing about the job.
    Disk(StoreError),
    /// The store failed. The job's lease runs out, and it falls due again.
    Store(StoreError),
}

impl From<StoreError> for AttemptError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::DiskFull
            | StoreError::DatabaseFull
            | StoreError::NotWritable(_)
            | StoreError::TakenOver
            | StoreError::Unavailable(_)
            | StoreError::Refused(_) => Self::Disk(error),
            error => Self::Store(error),
        }
    }
}
