//! The end of an embedded client.

use reflect_client::ReflectClient;

use crate::harness::{builtin_reflector, embedded, learned};

#[tokio::test]
async fn a_closed_client_and_its_clones_answer_no_more_and_the_folder_is_free() {
    let (client, folder) = embedded(builtin_reflector()).await;
    learned(&client, "Refund order A-17").await;
    let clone = client.clone();
    client.close().await;
    let error = clone.query("Refund order A-17").await.unwrap_err();
    assert!(error.to_string().contains("was closed"), "{error}");
    let next = ReflectClient::open(folder.path()).await.unwrap();
    assert_eq!(next.list_memories().await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_dropped_client_gives_its_folder_back() {
    let (client, folder) = embedded(builtin_reflector()).await;
    drop(client);
    let mut reopened = ReflectClient::open(folder.path()).await;
    // What was working ends in its own time.
    while reopened.is_err() {
        tokio::task::yield_now().await;
        reopened = ReflectClient::open(folder.path()).await;
    }
}
