//! What changes in a project, as it changes.

use std::time::Duration;

use futures_util::StreamExt;
use reflect_client::{ChangedEvent, ReflectClient, SettingsRequest, blocking};

use crate::worlds::harness::{HttpWorld, builtin_reflector, embedded, in_both_worlds, learned};

in_both_worlds! {
    async fn changes_are_told_as_they_happen(client) {
        let mut events = client.events().await.unwrap();
        learned(&client, "Refund order A-17").await;
        let mut seen = ChangedEvent::default();
        while !(seen.traces && seen.memories && seen.queue) {
            let changed = events.next().await.unwrap().unwrap();
            assert!(!changed.settings, "nobody has touched them");
            seen.traces |= changed.traces;
            seen.memories |= changed.memories;
            seen.queue |= changed.queue;
        }
        client.update_settings(SettingsRequest { lambda: Some(Some(0.4)), ..SettingsRequest::default() }).await.unwrap();
        let mut settings = events.filter(|changed| std::future::ready(changed.as_ref().unwrap().settings));
        assert!(settings.next().await.is_some());
    }

    async fn another_projects_changes_are_not_told(client) {
        let mut events = client.events().await.unwrap();
        learned(&client.with_project("elsewhere").unwrap(), "Refund order A-17").await;
        let told = tokio::time::timeout(Duration::from_millis(600), events.next()).await;
        assert!(told.is_err(), "{told:?}");
    }

    async fn a_thread_can_follow(client) {
        learned(&client, "Refund order A-17").await;
        let follower = blocking::ReflectClient::from(&client);
        let mut events = tokio::task::spawn_blocking(move || follower.events().unwrap()).await.unwrap();
        learned(&client, "Refund order A-18").await;
        let changed = tokio::task::spawn_blocking(move || events.next()).await.unwrap();
        assert!(changed.unwrap().unwrap().traces);
    }
}

async fn ends(mut events: reflect_client::Events) {
    while let Some(changed) = events.next().await {
        if changed.is_err() {
            break;
        }
    }
    assert!(events.next().await.is_none());
}

#[tokio::test]
async fn a_stream_ends_with_its_client() {
    let (client, _folder) = embedded(builtin_reflector()).await;
    let events = client.events().await.unwrap();
    client.close().await;
    ends(events).await;
}

#[tokio::test]
async fn a_stream_ends_with_its_key() {
    let world = HttpWorld::start(builtin_reflector()).await;
    let master: ReflectClient = world.client();
    let made = master.create_key("watcher", [reflect_client::Scope::TraceRead]).await.unwrap();
    let watcher = world.client_with(&made.api_key);
    let events = watcher.events().await.unwrap();
    master.revoke_key(&made.key.id.to_string()).await.unwrap();
    ends(events).await;
    assert!(watcher.events().await.is_err());
}
