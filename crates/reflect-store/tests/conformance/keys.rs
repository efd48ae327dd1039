//! API keys: stored, found, listed, revoked, noted as used.

use reflect_core::KeyId;
use reflect_store::{KeyWithHash, Once, Store};

use crate::support::{Fixture, conformance, first};

conformance! {
    a_stored_key_is_found_by_both_of_its_ids,
    a_public_id_is_given_once,
    the_same_request_gets_the_same_key,
    keys_are_listed_oldest_first,
    revoking_twice_keeps_the_first_time,
    a_key_of_another_project_is_not_there,
    no_key_is_made_for_a_project_that_is_gone,
    the_newest_use_is_noted,
    keys_that_expired_long_ago_are_removed,
}

async fn a_stored_key_is_found_by_both_of_its_ids(store: &Store) {
    let fixture = Fixture::new(store).await;
    let insert = fixture.new_key("one");
    let answer = store.insert_key(insert.clone(), "nonce".into(), None).await.unwrap();
    assert_eq!(first(answer.unwrap()), (insert.key.id, "nonce".to_owned()));
    let expected = Some(KeyWithHash { key: insert.key.clone(), secret_hash: insert.secret_hash.to_vec() });
    assert_eq!(store.get_key_by_public_id("one".into()).await.unwrap(), expected);
    assert_eq!(store.get_key(fixture.id(), insert.key.id).await.unwrap(), expected);
    assert_eq!(store.get_key_by_public_id("ONE".into()).await.unwrap(), None);
    assert_eq!(store.get_key(fixture.id(), KeyId::MASTER).await.unwrap(), None);
}

async fn a_public_id_is_given_once(store: &Store) {
    let fixture = Fixture::new(store).await;
    let insert = fixture.new_key("one");
    first(store.insert_key(insert.clone(), String::new(), None).await.unwrap().unwrap());
    store.insert_key(fixture.new_key("one"), String::new(), None).await.unwrap_err();
    assert_eq!(store.list_keys(fixture.id()).await.unwrap(), [insert.key]);
}

async fn the_same_request_gets_the_same_key(store: &Store) {
    let fixture = Fixture::new(store).await;
    let insert = fixture.new_key("one");
    let send = |key, note: &str, body| store.insert_key(key, note.into(), fixture.idempotency("word", body));
    let answer = first(send(insert.clone(), "first", 1).await.unwrap().unwrap());
    assert_eq!(send(fixture.new_key("two"), "second", 1).await.unwrap(), Some(Once::Again(answer)));
    assert_eq!(send(fixture.new_key("three"), "third", 2).await.unwrap(), Some(Once::KeyReused));
    assert_eq!(store.list_keys(fixture.id()).await.unwrap(), [insert.key]);
}

async fn keys_are_listed_oldest_first(store: &Store) {
    let fixture = Fixture::new(store).await;
    assert_eq!(store.list_keys(fixture.id()).await.unwrap(), []);
    let (older, newer) = (fixture.new_key("older"), fixture.new_key("newer"));
    for insert in [&newer, &older] {
        first(store.insert_key(insert.clone(), String::new(), None).await.unwrap().unwrap());
    }
    assert_eq!(store.list_keys(fixture.id()).await.unwrap(), [older.key, newer.key]);
}

async fn revoking_twice_keeps_the_first_time(store: &Store) {
    let fixture = Fixture::new(store).await;
    let insert = fixture.new_key("one");
    first(store.insert_key(insert.clone(), String::new(), None).await.unwrap().unwrap());
    let revoked_at = fixture.now();
    let revoked = store.revoke_key(fixture.id(), insert.key.id, revoked_at).await.unwrap();
    assert_eq!(revoked.as_ref().unwrap().revoked_at, Some(revoked_at));
    let again = store.revoke_key(fixture.id(), insert.key.id, fixture.now());
    assert_eq!(again.await.unwrap(), revoked);
    let found = store.get_key_by_public_id("one".into()).await.unwrap();
    assert_eq!(found.map(|found| found.key), revoked);
}

async fn a_key_of_another_project_is_not_there(store: &Store) {
    let fixture = Fixture::new(store).await;
    let other = Fixture::in_project(store, "other").await;
    let insert = fixture.new_key("one");
    first(store.insert_key(insert.clone(), String::new(), None).await.unwrap().unwrap());
    assert_eq!(store.get_key(other.id(), insert.key.id).await.unwrap(), None);
    assert_eq!(store.list_keys(other.id()).await.unwrap(), []);
    let revoked = store.revoke_key(other.id(), insert.key.id, other.now());
    assert_eq!(revoked.await.unwrap(), None);
    let found = store.get_key(fixture.id(), insert.key.id).await.unwrap().unwrap();
    assert_eq!(found.key.revoked_at, None);
}

async fn the_newest_use_is_noted(store: &Store) {
    let fixture = Fixture::new(store).await;
    let insert = fixture.new_key("one");
    let key_id = insert.key.id;
    first(store.insert_key(insert, String::new(), None).await.unwrap().unwrap());
    let (early, late) = (fixture.now(), fixture.now());
    store.touch_keys(vec![(key_id, early)]).await.unwrap();
    store.touch_keys(vec![(KeyId::MASTER, late), (key_id, late)]).await.unwrap();
    store.touch_keys(Vec::new()).await.unwrap();
    store.settle().await.unwrap();
    let found = store.get_key(fixture.id(), key_id).await.unwrap().unwrap();
    assert_eq!(found.key.last_used_at, Some(late));
    assert_eq!(store.list_keys(fixture.id()).await.unwrap().len(), 1);
}

async fn no_key_is_made_for_a_project_that_is_gone(store: &Store) {
    let fixture = Fixture::new(store).await;
    store.delete_project(fixture.id()).await.unwrap();
    let insert = fixture.new_key("late");
    assert_eq!(store.insert_key(insert, String::new(), None).await.unwrap(), None);
    assert_eq!(store.get_key_by_public_id("late".into()).await.unwrap(), None);
}

async fn keys_that_expired_long_ago_are_removed(store: &Store) {
    let fixture = Fixture::new(store).await;
    let now = fixture.now();
    for (public_id, expires_at) in [("never", None), ("long-ago", Some(now)), ("lately", Some(now.plus_millis(1)))] {
        let mut insert = fixture.new_key(public_id);
        insert.key.expires_at = expires_at;
        first(store.insert_key(insert, String::new(), None).await.unwrap().unwrap());
    }
    assert_eq!(store.prune_keys(now.plus_millis(1)).await.unwrap(), 1);
    let left = store.list_keys(fixture.id()).await.unwrap();
    assert_eq!(left.iter().map(|key| key.public_id.as_str()).collect::<Vec<_>>(), ["never", "lately"]);
    assert_eq!(left[1].expires_at, Some(now.plus_millis(1)));
}
