//! Sessions: stored, found, ended, bounded, removed when they have expired.

use reflect_core::{KeyId, Session, SessionParent};
use reflect_store::{SessionWithHash, Store};

use crate::support::{Fixture, conformance};

conformance! {
    a_session_is_found_until_it_is_ended,
    the_newest_sessions_of_a_key_are_kept,
    sessions_that_expired_are_removed,
}

fn new_session(fixture: &Fixture<'_>, public_id: &str, parent: SessionParent) -> SessionWithHash {
    let now = fixture.now();
    let id = KeyId::mint(now, &fixture.entropy);
    let expires_at = now.plus_millis(1_000);
    let session = Session { id, public_id: public_id.into(), parent, created_at: now, expires_at };
    SessionWithHash { session, secret_hash: vec![7; 32] }
}

async fn a_session_is_found_until_it_is_ended(store: &Store) {
    let fixture = Fixture::new(store).await;
    for (public_id, parent) in [("one", SessionParent::Master), ("two", SessionParent::Key("a-key".into()))] {
        let session = new_session(&fixture, public_id, parent);
        store.insert_session(session.clone(), 10).await.unwrap();
        assert_eq!(store.get_session(public_id.into()).await.unwrap(), Some(session));
    }
    assert!(store.delete_session("one".into()).await.unwrap());
    assert!(!store.delete_session("one".into()).await.unwrap());
    assert_eq!(store.get_session("one".into()).await.unwrap(), None);
    assert!(store.get_session("two".into()).await.unwrap().is_some());
}

async fn the_newest_sessions_of_a_key_are_kept(store: &Store) {
    let fixture = Fixture::new(store).await;
    let other = new_session(&fixture, "other", SessionParent::Master);
    store.insert_session(other, 2).await.unwrap();
    for public_id in ["one", "two", "three"] {
        let session = new_session(&fixture, public_id, SessionParent::Key("a-key".into()));
        store.insert_session(session, 2).await.unwrap();
    }
    let mut found = Vec::new();
    for public_id in ["other", "one", "two", "three"] {
        found.push(store.get_session(public_id.into()).await.unwrap().is_some());
    }
    assert_eq!(found, [true, false, true, true]);
}

async fn sessions_that_expired_are_removed(store: &Store) {
    let fixture = Fixture::new(store).await;
    let session = new_session(&fixture, "one", SessionParent::Master);
    let end = session.session.expires_at;
    store.insert_session(session, 10).await.unwrap();
    assert_eq!(store.prune_sessions(end).await.unwrap(), 0);
    assert_eq!(store.prune_sessions(end.plus_millis(1)).await.unwrap(), 1);
    assert_eq!(store.get_session("one".into()).await.unwrap(), None);
}
