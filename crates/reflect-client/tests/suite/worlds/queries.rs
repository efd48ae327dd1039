//! Query and augment.

use reflect_client::{ErrorCode, Message};

use crate::worlds::harness::{in_both_worlds, learned};

in_both_worlds! {
    async fn a_lesson_comes_back(client) {
        let trace = learned(&client, "Refund order A-17").await;
        let found = client.query("Refund order A-18").limit(3).lambda(0.0).await.unwrap();
        assert_eq!(found.memories.len(), 1);
        assert_eq!(Some(found.memories[0].id), trace.created_memory_id);
        assert!(found.retrieval_id.is_some() && found.intent.is_none() && found.partial_search.is_none());
    }

    async fn nothing_is_found_where_nothing_was_learned(client) {
        let augmented = client.augment_with_memories("Refund order A-17").await.unwrap();
        assert_eq!((augmented.augmented_task.as_str(), augmented.memories.len()), ("Refund order A-17", 0));
    }

    async fn a_query_explains_and_filters(client) {
        let task = "Refund order A-17";
        let run = client.create_trace(task, [Message::assistant("ok")]).metadata("team", "north").passed();
        run.and_wait().await.unwrap();
        let found = client.query(task).metadata("team", "north").explain(true).mmr_lambda(1.0).await.unwrap();
        assert_eq!(found.memories[0].explain.as_ref().unwrap().similarity_rank, 1);
        assert!(client.query(task).metadata("team", "south").await.unwrap().memories.is_empty());
        assert!(client.query("zebra xylophone").similarity_threshold(0.99).await.unwrap().memories.is_empty());
    }

    async fn a_conversation_is_distilled(client) {
        learned(&client, "Refund order A-17").await;
        let messages = [Message::user("Please refund order A-17")];
        let found = client.query_conversation(&messages).await.unwrap();
        assert!(found.intent.unwrap().contains("refund order A-17"));
        assert_eq!(found.memories.len(), 1);
    }

    async fn a_wrong_value_is_named(client) {
        let error = client.query("t").lambda(7.0).await.unwrap_err();
        assert_eq!(error.code(), Some(ErrorCode::InvalidRequest));
        assert!(error.to_string().contains("lambda"), "{error}");
        assert_eq!(client.query("").await.unwrap_err().code(), Some(ErrorCode::InvalidRequest));
    }

    async fn a_query_can_be_named(client) {
        let name = |name: &str| client.augment_with_memories("t").idempotency_key(name);
        name("run-4711").await.unwrap();
        let error = name(&"x".repeat(257)).await.unwrap_err();
        assert_eq!(error.code(), Some(ErrorCode::InvalidRequest));
        assert!(error.to_string().contains("Idempotency-Key"), "{error}");
    }
}
