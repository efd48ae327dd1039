//! Every call in both worlds: a server over HTTP and the engine in this process.
#![cfg(feature = "embedded")]

use reflect_client::{EmbeddedOptions, Message, ReflectClient};

#[tokio::test]
async fn a_lesson_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let client = ReflectClient::builder().open(folder.path(), EmbeddedOptions::default()).await.unwrap();
    let task = "Refund order A-17";
    let trajectory = [Message::user(task), Message::assistant("Refunded.")];
    let trace = client.create_trace(task, trajectory).failed("look the order up first").and_wait().await.unwrap();
    assert!(trace.created_memory_id.is_some());
    let augmented = client.augment_with_memories("Refund order A-18").await.unwrap();
    assert_eq!(augmented.memories.len(), 1);
    assert!(augmented.augmented_task.contains("<relevant_memories>"));
    let again = ReflectClient::open(folder.path()).await.unwrap_err();
    assert!(again.to_string().contains("in use by process"), "{again}");
    client.close().await;
}
