//! The end of an embedded client.

use std::time::Duration;

use reflect_client::ReflectClient;

use crate::worlds::harness::{builtin_reflector, embedded, learned};

/// Longer than it ever takes, however busy the machine.
const PATIENCE: Duration = Duration::from_secs(60);

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
    // What was working ends in its own time.
    let reopened = async {
        loop {
            match ReflectClient::open(folder.path()).await {
                Ok(client) => break client,
                Err(_) => tokio::task::yield_now().await,
            }
        }
    };
    tokio::time::timeout(PATIENCE, reopened).await.expect("a dropped client still holds its folder");
}
