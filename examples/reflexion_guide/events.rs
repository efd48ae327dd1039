//! Events as lines of JSON: `cargo run --example reflexion_events`
#![expect(clippy::print_stdout, reason = "it shows what happens to the person at the terminal")]

use std::sync::Arc;

use reflect_examples::loopback::{self, Reply, words};
use reflexion::{Event, EventListener, JsonLines, Reflexion};
use serde_json::Value;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let (model, _server) = loopback::model(play).await?;
    // To a file, with the time of each.
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("events.jsonl");
    let lines: Arc<dyn EventListener> = Arc::new(JsonLines::new(std::fs::File::create(&path)?));
    let agent = Reflexion::with_model(model)
        .shared_listener(lines)
        .listener(|_at: reflexion::Timestamp, event: &Event| match serde_json::to_string(event) {
            Ok(line) => println!("{line}"),
            Err(error) => println!("{error}"),
        })
        .build()?;
    agent.run("What is recursion?").await?;
    println!("{} lines in the file", std::fs::read_to_string(&path)?.lines().count());
    Ok(())
}

fn play(messages: &[Value]) -> Reply {
    match messages.last().is_some_and(|message| words(message).0.contains("<memory")) {
        true => Reply::Text("A function that calls itself, for example a factorial."),
        false => Reply::Text("A function that calls itself."),
    }
}
