//! What instances over one database tell each other, and which of them leads.

use std::time::Duration;

use reflect_store::Heard;

use crate::support::TempStore;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_without_others_leads_and_hears_nothing() {
    let temp = TempStore::open().await;
    if temp.store.is_shared() {
        return;
    }
    assert!(temp.store.is_leading());
    temp.store.tell("nobody".into()).await.unwrap();
    assert_eq!(temp.store.hear().unwrap().recv().await, None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
async fn what_one_tells_all_hear_who_listen() {
    let temp = TempStore::open().await;
    let other = temp.open_beside().await;
    let (mut here, mut there) = (temp.store.hear().unwrap(), other.hear().unwrap());
    // Whoever begins to listen may have missed something.
    assert_eq!((here.recv().await, there.recv().await), (Some(Heard::Anything), Some(Heard::Anything)));
    let long = "é".repeat(3_900);
    temp.store.tell("first".into()).await.unwrap();
    other.tell(long.clone()).await.unwrap();
    for heard in [&mut here, &mut there] {
        assert_eq!(heard.recv().await, Some(Heard::Message("first".into())));
        assert_eq!(heard.recv().await, Some(Heard::Message(long.clone())));
    }
    assert!(temp.store.tell("x".repeat(8_000)).await.is_err());
    temp.store.tell("and on".into()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
async fn one_leads_and_another_takes_over_when_it_is_gone() {
    let temp = TempStore::open().await;
    let (first, second) = (temp.open_beside().await, temp.open_beside().await);
    until(|| first.is_leading()).await;
    assert!(!second.is_leading());
    drop(first);
    until(|| second.is_leading()).await;
}

async fn until(is_so: impl Fn() -> bool) {
    while !is_so() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
