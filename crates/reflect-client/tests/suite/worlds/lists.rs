//! Lists and their pages.

use futures_util::TryStreamExt;
use reflect_client::{ErrorCode, IngestStatus, ReviewStatus};

use crate::worlds::harness::{in_both_worlds, learned};

in_both_worlds! {
    async fn traces_come_newest_first_over_as_many_pages_as_it_takes(client) {
        for number in 0..7 {
            client.create_trace(format!("task {number}"), "x").await.unwrap();
        }
        let tasks: Vec<String> =
            client.list_traces().page_size(3).stream().map_ok(|trace| trace.task).try_collect().await.unwrap();
        assert_eq!(tasks, ["task 6", "task 5", "task 4", "task 3", "task 2", "task 1", "task 0"]);
        let first = client.list_traces().page_size(3).page(None).await.unwrap();
        assert_eq!(first.items.len(), 3);
        let second = client.list_traces().page_size(3).page(first.next_cursor).await.unwrap();
        assert_eq!(second.items[0].task, "task 3");
        let exact = client.list_traces().page_size(7).page(None).await.unwrap();
        assert_eq!(exact.next_cursor, None);
    }

    async fn filters_and_summaries(client) {
        let reviewed = learned(&client, "Refund order A-17").await;
        let second = client.create_trace("pending one", "x").model("m-2").metadata("team", "north");
        second.metadata("size", 3).await.unwrap();
        let pending = client.list_traces().review_status(ReviewStatus::Pending).await.unwrap();
        assert_eq!((pending.len(), pending[0].task.as_str()), (1, "pending one"));
        let passed = client.list_traces().passed().ingest_status(IngestStatus::Completed).summaries().await.unwrap();
        assert_eq!((passed.len(), passed[0].id, passed[0].trajectory.is_none()), (1, reviewed.id, true));
        assert_eq!(client.list_traces().model("m-2").await.unwrap().len(), 1);
        assert_eq!(client.list_traces().text("PENDING").await.unwrap().len(), 1);
        assert_eq!(client.list_traces().metadata("team", "north").metadata("size", "3").await.unwrap().len(), 1);
        assert!(client.list_traces().metadata("team", "south").await.unwrap().is_empty());
        let both = client.list_traces().metadata("team", "north").metadata("team", "south");
        assert!(both.await.unwrap().is_empty(), "every filter counts");
        assert!(client.list_traces().result("so-so").await.is_err());
        assert!(client.list_traces().failed().await.unwrap().is_empty());
        assert!(client.list_traces().until(reviewed.created_at).await.unwrap().is_empty());
        assert_eq!(client.list_traces().since(reviewed.created_at).await.unwrap().len(), 2);
    }

    async fn a_page_that_is_none_is_refused(client) {
        let error = client.list_traces().page_size(0).await.unwrap_err();
        assert_eq!(error.code(), Some(ErrorCode::InvalidRequest));
        let error = client.list_traces().page(Some("nonsense".into())).await.unwrap_err();
        assert!(error.to_string().contains("cursor"), "{error}");
        assert!(client.list_memories().page(Some("nonsense".into())).await.is_err());
    }

    async fn memories_are_listed(client) {
        for number in 0..3 {
            learned(&client, &format!("task {number}")).await;
        }
        let memories = client.list_memories().page_size(2).await.unwrap();
        let tasks: Vec<&str> = memories.iter().map(|memory| memory.task.as_str()).collect();
        assert_eq!(tasks, ["task 2", "task 1", "task 0"]);
    }
}
