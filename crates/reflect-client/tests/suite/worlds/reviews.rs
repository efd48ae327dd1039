//! Reviews of stored traces.

use reflect_client::{AuthoredReflection, BulkReviewStatus, ErrorCode, Outcome, ReviewStatus};
use uuid::Uuid;

use crate::worlds::harness::in_both_worlds;

in_both_worlds! {
    async fn many_reviews_at_once_each_by_itself(client) {
        let mut ids = Vec::new();
        for number in 0..3 {
            ids.push(client.create_trace(format!("Refund order {number}"), "I refunded it").await.unwrap().trace_id);
        }
        let bulk = client.review_traces().passed(ids[0]).failed(ids[1], "wrong order").passed(Uuid::nil());
        let bulk = bulk.result(ids[2], "failure").idempotency_key("b1");
        let answer = bulk.clone().await.unwrap();
        let statuses: Vec<BulkReviewStatus> = answer.reviews.iter().map(|review| review.status).collect();
        use BulkReviewStatus::{Accepted, Refused};
        assert_eq!(statuses, [Accepted, Accepted, Refused, Accepted]);
        assert_eq!(answer.reviews[2].error.as_ref().unwrap().code, ErrorCode::NotFound);
        assert_eq!(bulk.await.unwrap(), answer, "the same request answers the same");
        let trace = client.wait_for_trace(ids[1]).require_reviewed(true).await.unwrap();
        assert_eq!(trace.review.unwrap().feedback_text.as_deref(), Some("wrong order"));
        let error = client.review_traces().result(ids[0], "meh").await.unwrap_err();
        assert!(error.to_string().contains("is no result"), "{error}");
    }

    async fn a_deferred_review_answers_with_its_lesson(client) {
        let submission = client.create_trace("Refund order A-17", "I refunded it").await.unwrap();
        let trace = client.review_trace(submission.trace_id, "fail").feedback("wrong order").await.unwrap();
        assert_eq!(trace.review_status, ReviewStatus::Reviewed);
        let memory = client.get_memory(trace.created_memory_id.unwrap()).await.unwrap();
        assert!(memory.reflection.to_lowercase().contains("wrong order"), "{}", memory.reflection);
    }

    async fn a_review_says_how_well_a_run_went(client) {
        let shown = client.create_trace("Refund order A-17", "I refunded it").passed().score(0.9).and_wait().await.unwrap();
        assert_eq!(shown.review.unwrap().score, Some(0.9));
        let run = client.create_trace("Refund order A-18", "I refunded it").retrieved_memory_ids(shown.created_memory_id);
        let submission = run.await.unwrap();
        client.review_trace(submission.trace_id, "fail").score(0.25).await.unwrap();
        let memory = client.get_memory(shown.created_memory_id.unwrap()).await.unwrap();
        assert_eq!(memory.credits.unwrap()[0].reward, 0.25);
        let error = client.review_trace(submission.trace_id, "pass").score(1.5).await.unwrap_err();
        assert_eq!(error.code(), Some(ErrorCode::InvalidRequest));
    }

    async fn a_second_review_must_say_that_it_corrects(client) {
        let submission = client.create_trace("Refund order A-17", "I refunded it").passed().and_wait().await.unwrap();
        let other = client.review_trace(submission.id, Outcome::Fail).await.unwrap_err();
        assert_eq!(other.code(), Some(ErrorCode::AlreadyReviewed));
        let trace = client.review_trace(submission.id, Outcome::Fail).supersedes().alpha(0.5).await.unwrap();
        assert_eq!(trace.review.unwrap().result, Outcome::Fail);
    }

    async fn a_review_brings_its_own_lesson(client) {
        let submission = client.create_trace("Refund order A-17", "I refunded it").await.unwrap();
        let reflection = AuthoredReflection { summary: Some("Mine.".into()), ..AuthoredReflection::default() };
        let review = client.review_trace(submission.trace_id, true).reflection(reflection).idempotency_key("r1");
        let trace = review.clone().await.unwrap();
        assert_eq!(review.await.unwrap().created_memory_id, trace.created_memory_id);
        assert_eq!(client.get_memory(trace.created_memory_id.unwrap()).await.unwrap().summary, "Mine.");
    }

    async fn a_review_is_taken_back(client) {
        let trace = crate::worlds::harness::learned(&client, "Refund order A-17").await;
        let trace = client.take_back_review(trace.id).await.unwrap();
        assert_eq!((trace.review_status, trace.created_memory_id), (ReviewStatus::Pending, None));
    }

    async fn what_is_not_there_cannot_be_reviewed(client) {
        let error = client.review_trace(Uuid::nil(), "pass").await.unwrap_err();
        assert_eq!(error.code(), Some(ErrorCode::NotFound));
        let error = client.review_trace(Uuid::nil(), "so-so").await.unwrap_err();
        assert!(error.to_string().contains("is no result"), "{error}");
    }
}
