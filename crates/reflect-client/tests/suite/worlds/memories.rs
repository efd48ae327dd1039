//! Single memories.

use reflect_client::{Direction, EditMemoryRequest, ErrorCode, MemoryOrder};
use reflect_core::MemoryStatus;
use uuid::Uuid;

use crate::worlds::harness::{in_both_worlds, learned};

in_both_worlds! {
    async fn a_memory_is_read_edited_hidden_and_deleted(client) {
        let id = learned(&client, "Refund order A-17").await.created_memory_id.unwrap();
        assert_eq!(client.get_memory(id).await.unwrap().credits.unwrap().len(), 0);
        let edit = EditMemoryRequest { guidance: Some("Ask first.".into()), ..EditMemoryRequest::default() };
        let edited = client.edit_memory(id, edit).await.unwrap();
        assert_eq!((edited.guidance.as_str(), edited.revision), ("Ask first.", 2));
        let hide = EditMemoryRequest { status: Some(MemoryStatus::Disabled), ..EditMemoryRequest::default() };
        client.edit_memory(id, hide).await.unwrap();
        assert!(client.query("Refund order A-17").await.unwrap().memories.is_empty());
        assert_eq!(client.list_memories().status(MemoryStatus::Disabled).await.unwrap().len(), 1);
        client.delete_memory(id).await.unwrap();
        assert_eq!(client.get_memory(id).await.unwrap_err().code(), Some(ErrorCode::NotFound));
    }

    async fn memories_are_listed_in_another_order_with_their_record(client) {
        let id = learned(&client, "Refund order A-17").await.created_memory_id.unwrap();
        let best = client.list_memories().order(MemoryOrder::Utility, Direction::Desc).text("refund").await.unwrap();
        assert_eq!(best[0].id, id);
        assert_eq!(client.list_credits(id, None).await.unwrap().items, []);
        assert_eq!(client.list_memory_revisions(id).await.unwrap()[0].revision, 1);
        assert!(client.list_traces().memory(id).await.unwrap().is_empty());
        let asked = client.query("Refund order A-17").await.unwrap();
        let retrieval = client.get_retrieval(asked.retrieval_id.unwrap()).await.unwrap();
        assert_eq!(retrieval.shown[0].memory_id, id);
        assert_eq!(client.memory_map().await.unwrap().total, 1);
        assert_eq!(client.setting_choices().await.unwrap().judges, ["off"]);
    }

    async fn what_is_not_there_is_not_found(client) {
        for error in [
            client.get_memory(Uuid::nil()).await.unwrap_err(),
            client.delete_memory(Uuid::nil()).await.unwrap_err(),
            client.edit_memory(Uuid::nil(), EditMemoryRequest::default()).await.unwrap_err(),
        ] {
            assert_eq!(error.code(), Some(ErrorCode::NotFound), "{error}");
        }
    }
}
