//! A project as the memory: what one run learned, the next one knows. `cargo run --example reflexion_project`
#![expect(clippy::print_stdout, reason = "it shows what happens to the person at the terminal")]

use reflect_client::ReflectClient;
use reflect_examples::loopback::{self, Reply, words};
use reflexion::{Evaluation, FinishedAttempt, ProjectMemory, Reflexion};
use serde_json::Value;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let (model, _server) = loopback::model(play).await?;
    // A folder of this program's own; `ReflectClient::from_env()` reaches a server.
    let folder = tempfile::tempdir()?;
    let client = ReflectClient::open(folder.path()).await?;
    let agent = Reflexion::with_model(model)
        .evaluator(|finished: &FinishedAttempt| match finished.answer().contains("for example") {
            true => Evaluation::pass(),
            false => Evaluation::fail("there is no example"),
        })
        .memory(ProjectMemory::new(client))
        .build()?;
    for run in ["first", "second"] {
        let outcome = agent.run("Explain recursion to a beginner").await?;
        let shown = outcome.trials.first().map_or(0, |trial| trial.shown.len());
        println!("{run} run: trials: {}, lessons in the first of them: {shown}", outcome.trials.len());
    }
    Ok(())
}

fn play(messages: &[Value]) -> Reply {
    match messages.last().is_some_and(|message| words(message).0.contains("<memory")) {
        true => Reply::Text("A function that calls itself, for example a factorial."),
        false => Reply::Text("A function that calls itself."),
    }
}
