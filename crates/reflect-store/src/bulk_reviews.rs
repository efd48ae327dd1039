//! Reviews of many traces in one operation.

use reflect_core::{IngestStatus, ProjectId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{
    error::{StoreError, StoreResult},
    sql::{Lane, Transaction, in_savepoint},
    store::Store,
    tables::{
        idempotency::{IdempotencyKey, Once, Request},
        reviews::{self, Accepted, Reviewed, TraceReview},
    },
};

/// What became of one review among many.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum BulkOutcome {
    /// It counts, and the work on its trace has come this far.
    Accepted(IngestStatus),
    /// The trace has exactly this review already; nothing changed, and the work on it has come this far.
    Repeated(IngestStatus),
    /// The trace has another review.
    AlreadyReviewed,
    /// The trace has a review whose lesson is still being written.
    InProgress,
    /// There is no such trace.
    NoTrace,
    /// What is stored about the trace cannot be read.
    Damaged,
    /// It is no review: a field is wrong.
    Invalid {
        /// The field.
        path: String,
        /// What is wrong with it.
        problem: String,
    },
    /// No vector could be made for the lesson that came along.
    NotEmbedded(String),
}

impl Store {
    /// Accepts reviews in their order, each by itself: one that is refused takes no other along. Those of which something
    /// is known to be wrong come as that outcome and keep their positions, so that the answer that is remembered under the
    /// idempotency key is whole.
    pub async fn insert_reviews(
        &self,
        project_id: ProjectId,
        reviews: Vec<Result<TraceReview, BulkOutcome>>,
        now: Timestamp,
        idempotency: Option<IdempotencyKey>,
    ) -> StoreResult<Once<Vec<BulkOutcome>>> {
        self.writer
            .write(Lane::of(&project_id), move |write| {
                let request = Request { project_id: &project_id, key: idempotency.as_ref(), now };
                let answer = request.once(write, || {
                    let accepted = reviews.into_iter().map(|review| match review {
                        Ok(insert) => accept(write, &project_id, &insert, now),
                        Err(outcome) => Ok(outcome),
                    });
                    Ok(Ok::<_, std::convert::Infallible>(accepted.collect::<StoreResult<_>>()?))
                })?;
                let Ok(answer) = answer;
                Ok(answer)
            })
            .await
    }
}

fn accept(
    write: &dyn Transaction,
    project_id: &ProjectId,
    insert: &TraceReview,
    now: Timestamp,
) -> StoreResult<BulkOutcome> {
    match in_savepoint(write, |write| reviews::accept(write, project_id, insert, now)) {
        Ok(accepted) => outcome(&accepted),
        // This failure alone is the trace's own. Any other concerns all of them, and nothing is to be stored.
        Err(error @ StoreError::Damaged { .. }) if write.is_open() => {
            tracing::error!(%project_id, trace_id = %insert.trace_id, %error, "a review among many could not be stored");
            Ok(BulkOutcome::Damaged)
        }
        Err(error) => Err(error),
    }
}

fn outcome(accepted: &Accepted) -> StoreResult<BulkOutcome> {
    Ok(match accepted.reviewed {
        Reviewed::Accepted => BulkOutcome::Accepted(accepted.ingest_status),
        Reviewed::Repeated => BulkOutcome::Repeated(accepted.ingest_status),
        Reviewed::AlreadyReviewed => BulkOutcome::AlreadyReviewed,
        Reviewed::InProgress => BulkOutcome::InProgress,
        Reviewed::NoTrace => BulkOutcome::NoTrace,
        Reviewed::KeyReused => return Err(StoreError::damaged("review", "it was accepted without a key")),
    })
}
