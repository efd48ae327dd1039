//! Reviews of many traces at once.

use reflect_api::{
    BulkReviewAnswer, BulkReviewError, BulkReviewOutcome, BulkReviewRequest, BulkReviewStatus, CheckedBulkReview,
    ErrorCode, Violation,
};
use reflect_core::TraceId;
use reflect_engine::{BulkOutcome, BulkReview, EngineError, IdempotencyKey};

use crate::{Asker, Refusal, Service, ServiceResult};

impl Service {
    /// Reviews traces, each by itself and in this order, and does not wait for their lessons.
    pub async fn review_traces(
        &self,
        asker: Asker<'_>,
        request: BulkReviewRequest,
        idempotency: Option<IdempotencyKey>,
    ) -> ServiceResult<BulkReviewAnswer> {
        let checked = request.check(&self.limits)?;
        let trace_ids: Vec<Option<String>> = checked.iter().map(|entry| entry.trace_id.clone()).collect();
        let reviews = checked.into_iter().map(known).collect();
        let outcomes = self.engine.review_traces(asker, reviews, idempotency).await?;
        let reviews = trace_ids.into_iter().zip(outcomes).map(|(trace_id, outcome)| answer(trace_id, outcome));
        Ok(BulkReviewAnswer { reviews: reviews.collect() })
    }
}

/// An entry as the engine takes it. An id that could not be an id names nothing.
fn known(entry: CheckedBulkReview) -> Result<BulkReview, BulkOutcome> {
    let review = entry.review.map_err(|Violation { path, problem }| BulkOutcome::Invalid { path, problem })?;
    let trace_id = parse(entry.trace_id.as_deref()).ok_or(BulkOutcome::NoTrace)?;
    Ok(BulkReview { trace_id, review })
}

fn answer(trace_id: Option<String>, outcome: BulkOutcome) -> BulkReviewOutcome {
    let (status, ingest_status) = match outcome {
        BulkOutcome::Accepted(ingest_status) => (BulkReviewStatus::Accepted, ingest_status),
        BulkOutcome::Repeated(ingest_status) => (BulkReviewStatus::Repeated, ingest_status),
        refused => {
            let Refusal { code, message, path, .. } = refusal(trace_id.as_deref(), refused);
            let error = Some(BulkReviewError { code, message, path });
            return BulkReviewOutcome { trace_id, status: BulkReviewStatus::Refused, ingest_status: None, error };
        }
    };
    BulkReviewOutcome { trace_id, status, ingest_status: Some(ingest_status), error: None }
}

/// The words of a refusal are those that a single review would get.
fn refusal(named: Option<&str>, outcome: BulkOutcome) -> Refusal {
    match (outcome, parse(named)) {
        (BulkOutcome::AlreadyReviewed, Some(trace_id)) => EngineError::AlreadyReviewed(trace_id).into(),
        (BulkOutcome::InProgress, Some(trace_id)) => EngineError::ReviewInProgress(trace_id).into(),
        (BulkOutcome::Invalid { path, problem }, _) => Violation { path, problem }.into(),
        (BulkOutcome::NotEmbedded(why), _) => Refusal::new(ErrorCode::Unavailable, why),
        (BulkOutcome::Damaged, _) => {
            Refusal::new(ErrorCode::Internal, "the server failed; its log has more under this trace's id")
        }
        _ => Refusal::not_found("trace", named.unwrap_or_default()),
    }
}

fn parse(trace_id: Option<&str>) -> Option<TraceId> {
    trace_id?.parse().ok()
}
