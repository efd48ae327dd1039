//! Keys.

use reflect_client::{ErrorCode, Scope};
use reflect_core::{Environment, KeyStatus};

use crate::in_both_worlds;

in_both_worlds! {
    async fn a_key_is_made_listed_and_revoked(client) {
        let made = client.create_key("reader", [Scope::MemoryRead]).environment(Environment::Test).await.unwrap();
        assert!(made.api_key.starts_with("rf_test_"));
        let keys = client.list_keys().await.unwrap();
        assert_eq!((keys.len(), keys[0].label.as_str()), (1, "reader"));
        let revoked = client.revoke_key(made.key.id.to_string()).await.unwrap();
        assert_eq!(revoked.status, KeyStatus::Revoked);
        assert_eq!(client.revoke_key(made.key.id.to_string()).await.unwrap().status, KeyStatus::Revoked);
    }

    async fn the_same_request_makes_one_key(client) {
        let make = || client.create_key("reader", [Scope::MemoryRead]).idempotency_key("k1");
        let made = make().await.unwrap();
        assert_eq!(make().await.unwrap().api_key, made.api_key);
        assert_eq!(client.list_keys().await.unwrap().len(), 1);
    }

    async fn what_is_no_key_is_not_found(client) {
        client.create_key("reader", [Scope::MemoryRead]).await.unwrap();
        let error = client.revoke_key("nonsense/with a slash").await.unwrap_err();
        assert_eq!(error.code(), Some(ErrorCode::NotFound));
    }
}
