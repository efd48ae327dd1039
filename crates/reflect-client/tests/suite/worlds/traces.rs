//! Recording runs.

use reflect_client::{AuthoredReflection, ErrorCode, IngestStatus, Message, Outcome, ReviewStatus, Trajectory};
use serde_json::json;
use uuid::Uuid;

use crate::worlds::harness::{in_both_worlds, learned};

in_both_worlds! {
    async fn a_run_is_kept_as_it_came(client) {
        let messages = [
            Message::user("count"),
            Message::assistant("").with("tool_calls", json!([{"id": "c1", "function": {"name": "sum", "arguments": "{}"}}])),
            Message::tool("c1", "3"),
            Message::assistant("It is 3."),
        ];
        let submission = client
            .create_trace("count", messages.clone())
            .model("m-1")
            .metadata("source", "test")
            .reference_context("the answer is 3")
            .await
            .unwrap();
        assert_eq!(submission.ingest_status, IngestStatus::Completed);
        let trace = client.get_trace(submission.trace_id).await.unwrap();
        assert_eq!(trace.review_status, ReviewStatus::Pending);
        assert_eq!(trace.final_response, "It is 3.");
        assert_eq!((trace.model.as_deref(), trace.reference_context.as_deref()), (Some("m-1"), Some("the answer is 3")));
        let kept: Vec<Message> = trace.trajectory.unwrap().read().unwrap();
        assert_eq!(kept, messages);
    }

    async fn a_text_is_a_trajectory(client) {
        let submission = client.create_trace("count", "it is 3").final_response("3").await.unwrap();
        let trace = client.get_trace(submission.trace_id).await.unwrap();
        assert_eq!(trace.final_response, "3");
        assert!(trace.trajectory.unwrap().as_str().contains("it is 3"));
    }

    async fn a_review_can_come_along(client) {
        let trace = learned(&client, "Refund order A-17").await;
        let review = trace.review.unwrap();
        assert_eq!((review.result, trace.review_status), (Outcome::Pass, ReviewStatus::Reviewed));
        assert!(trace.created_memory_id.is_some());
    }

    async fn aliases_are_understood_and_nonsense_is_not(client) {
        for (word, outcome) in [("success", Outcome::Pass), ("failure", Outcome::Fail)] {
            let trace = client.create_trace("t", "x").result(word).and_wait().await.unwrap();
            assert_eq!(trace.review.unwrap().result, outcome);
        }
        let error = client.create_trace("t", "x").result("perhaps").await.unwrap_err();
        assert!(error.to_string().contains("`perhaps` is no result"), "{error}");
        assert_eq!(client.list_traces().await.unwrap().len(), 2);
    }

    async fn shown_memories_are_credited(client) {
        learned(&client, "Refund order A-17").await;
        let augmented = client.augment_with_memories("Refund order A-17").await.unwrap();
        let trajectory = [Message::user(&augmented.augmented_task), Message::assistant("done")];
        let trace = client.create_trace("Refund order A-17", trajectory).memories(&augmented).passed().await.unwrap();
        let memory = client.get_memory(augmented.memories[0].id).await.unwrap();
        assert!((memory.q_value - 0.65).abs() < 1e-9 && memory.uses == 1, "{memory:?}");
        let trace = client.get_trace(trace.trace_id).await.unwrap();
        assert_eq!(trace.retrieval_id, augmented.retrieval_id);
        assert_eq!(trace.retrieved_memory_ids, augmented.memory_ids());
    }

    async fn a_lesson_of_ones_own_is_stored_at_once(client) {
        let reflection = AuthoredReflection { guidance: Some("Look first.".into()), ..AuthoredReflection::default() };
        let submission = client.create_memory("Refund an order", "pass", reflection).await.unwrap();
        assert_eq!(submission.ingest_status, IngestStatus::Completed);
        let found = client.query("Refund an order").await.unwrap();
        assert_eq!(found.memories[0].guidance, "Look first.");
    }

    async fn a_lesson_keeps_who_wrote_it_and_which_tools_were_used(client) {
        let reflection = AuthoredReflection { guidance: Some("Look first.".into()), ..AuthoredReflection::default() };
        let reflection = reflection.written_by("my reflector").tools_used(["get_order", "refund"]);
        client.create_memory("Refund an order", "pass", reflection.clone()).await.unwrap();
        let trace = client.create_trace("Refund a parcel", "x").await.unwrap();
        client.review_trace(trace.trace_id, "fail").reflection(reflection).await.unwrap();
        let memories = client.list_memories().await.unwrap();
        assert_eq!(memories.len(), 2);
        for memory in memories {
            assert_eq!(memory.written_by.reflector, "client:my reflector");
            assert_eq!(memory.tools_used, ["get_order", "refund"]);
        }
    }

    async fn a_lesson_without_a_result_is_refused(client) {
        let reflection = AuthoredReflection { guidance: Some("Look first.".into()), ..AuthoredReflection::default() };
        let error = client.create_trace("t", "x").reflection(reflection).await.unwrap_err();
        assert!(error.to_string().contains("needs a result"), "{error}");
    }

    async fn the_same_request_twice_is_stored_once(client) {
        let run = || client.create_trace("t", Trajectory::from("x")).idempotency_key("once");
        let first = run().await.unwrap();
        assert_eq!(run().await.unwrap(), first);
        let other = client.create_trace("t", Trajectory::from("y")).idempotency_key("once").await.unwrap_err();
        assert_eq!(other.code(), Some(ErrorCode::IdempotencyKeyReused));
        assert_eq!(client.list_traces().await.unwrap().len(), 1);
    }

    async fn traces_can_be_deleted(client) {
        let trace = learned(&client, "Refund order A-17").await;
        let deleted = client.delete_traces([trace.id, Uuid::nil()]).await.unwrap();
        assert_eq!((deleted.deleted, deleted.trace_ids), (1, vec![trace.id]));
        let error = client.get_trace(trace.id).await.unwrap_err();
        assert_eq!(error.code(), Some(ErrorCode::NotFound));
        assert_eq!(client.query("Refund order A-17").await.unwrap().memories.len(), 1, "what it taught stays");
    }

    async fn a_cascade_takes_the_lesson_along(client) {
        let trace = learned(&client, "Refund order A-17").await;
        client.delete_traces_cascading([trace.id]).await.unwrap();
        assert!(client.query("Refund order A-17").await.unwrap().memories.is_empty());
    }

    async fn only_a_failed_trace_is_retried(client) {
        let trace = learned(&client, "Refund order A-17").await;
        assert_eq!(client.retry_trace(trace.id).await.unwrap_err().code(), Some(ErrorCode::NotFailed));
    }
}
