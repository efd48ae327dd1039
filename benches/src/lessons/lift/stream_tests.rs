//! Runs of one family, with an agent that is scripted and a memory in this process that holds half of them out.

use std::sync::Arc;

use reflect_client::{LiftRequest, ReflectClient, SettingsRequest};
use reflect_llm::ScriptedModel;

use super::{
    super::{actor::Actor, experiment_tests::obedient},
    options::Options,
    plan,
    record::RunLog,
    stream::Stream,
    windows::Window,
};

#[tokio::test]
async fn the_servers_report_counts_what_the_runs_were() {
    let folder = tempfile::tempdir().unwrap();
    let client = ReflectClient::open(folder.path().join("data")).await.unwrap();
    let holdout = SettingsRequest { holdout: Some(Some(0.5)), ..SettingsRequest::default() };
    client.update_settings(holdout).await.unwrap();
    let model = Arc::new(ScriptedModel::answering(obedient).named("scripted"));
    let actor = Actor { model, max_tokens: 60, cache: None };
    let options = Options::parse(&["--runs", "24"]).unwrap();
    let mut families = plan::families().unwrap();
    families.truncate(1);
    let stream = Stream { options: &options, actor, client: &client, families: &families };
    let path = folder.path().join("runs.jsonl");
    let (mut log, mut records) = RunLog::open(&path).unwrap();
    stream.run(&mut records, &mut log).await.unwrap();

    let runs = Window::of(&records).unwrap();
    let lift = client.lift(LiftRequest::default()).await.unwrap();
    let (with, without) = (lift.with_memories, lift.without_memories);
    assert_eq!((with.passed, with.reviewed), (runs.with.hits as u64, runs.with.of as u64));
    assert_eq!((without.passed, without.reviewed), (0, runs.without.of as u64));
    assert!(runs.with.hits > 0, "{runs:?}");
    assert_eq!(runs.with.of + runs.without.of + runs.nothing_found, 24);
    assert_eq!(RunLog::open(&path).unwrap().1.len(), 24);
    drop(stream);
    client.close().await;
}
