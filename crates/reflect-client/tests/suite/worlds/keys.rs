//! Keys.

use reflect_client::{ErrorCode, Scope};
use reflect_core::{Environment, KeyStatus};

use crate::worlds::harness::in_both_worlds;

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

    async fn a_session_begins_with_a_key_and_says_whom_it_stands_for(client) {
        let signed_in = client.sign_in().await.unwrap();
        assert!(signed_in.api_key.starts_with("rf_live_s") && signed_in.is_master, "{signed_in:?}");
        assert_eq!(client.sign_in_with_code("guessed").await.unwrap_err().code(), Some(ErrorCode::Unauthorized));
        let whoami = client.get_session().await.unwrap();
        assert!(whoami.is_master && !whoami.is_session && whoami.expires_at.is_none(), "{whoami:?}");
        assert_eq!(client.sign_out().await.unwrap_err().code(), Some(ErrorCode::Forbidden), "a key is no session");
    }

    async fn a_key_can_end_by_itself(client) {
        let hour = std::time::Duration::from_secs(3_600);
        let made = client.create_key("for an hour", [Scope::MemoryRead]).expires_in(hour).await.unwrap().key;
        assert_eq!(made.expires_at.unwrap().millis_since(made.created_at), 3_600_000);
    }

    async fn what_is_no_key_is_not_found(client) {
        client.create_key("reader", [Scope::MemoryRead]).await.unwrap();
        let error = client.revoke_key("nonsense/with a slash").await.unwrap_err();
        assert_eq!(error.code(), Some(ErrorCode::NotFound));
    }
}
