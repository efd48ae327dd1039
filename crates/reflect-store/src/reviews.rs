//! Reviews: accepting one, correcting one, taking one back.

use reflect_core::{ProjectId, Timestamp, TraceId};

use crate::{
    error::StoreResult,
    sql::Lane,
    store::Store,
    tables::{
        idempotency::{IdempotencyKey, Once, Request},
        reviews::{self, Reviewed, TakeBackAnswer, TraceReview},
    },
};

impl Store {
    /// Accepts a review of a stored trace: utilities move, and the lesson is queued, or stored if it came along.
    pub async fn insert_review(
        &self,
        project_id: ProjectId,
        review: TraceReview,
        now: Timestamp,
        idempotency: Option<IdempotencyKey>,
    ) -> StoreResult<Reviewed> {
        self.writer
            .write(Lane::of(&project_id), move |write| {
                let mut done = Reviewed::Repeated;
                let request = Request { project_id: &project_id, key: idempotency.as_ref(), now };
                let answer = request.once(write, || {
                    done = reviews::accept(write, &project_id, &review, now)?.reviewed;
                    Ok(match done {
                        Reviewed::Accepted | Reviewed::Repeated => Ok(review.trace_id),
                        refusal => Err(refusal),
                    })
                })?;
                Ok(match answer {
                    Ok(Once::First(_) | Once::Again(_)) => done,
                    Ok(Once::KeyReused) => Reviewed::KeyReused,
                    Err(refusal) => refusal,
                })
            })
            .await
    }

    /// Takes a trace's review back: its credits, the memory it made and the job behind it go, as if it had never been.
    pub async fn take_back_review(
        &self,
        project_id: ProjectId,
        trace_id: TraceId,
        now: Timestamp,
    ) -> StoreResult<TakeBackAnswer> {
        self.writer.write(Lane::of(&project_id), move |write| reviews::undo(write, &project_id, trace_id, now)).await
    }
}
