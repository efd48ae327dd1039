//! A task of several inputs: `cargo run --example reflexion_inputs`
#![expect(clippy::print_stdout, reason = "it shows what happens to the person at the terminal")]

use reflect_examples::loopback::{self, Reply, words};
use reflexion::{ChatActor, Evaluation, FinishedAttempt, Part, Reflexion};
use serde_json::Value;

/// A picture of one dot.
const PNG: &[u8] =
    b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU\x00\x00\
    \x00\x0aIDATx\x9cc`\x00\x00\x00\x02\x00\x01H\xaf\xa4q\x00\x00\x00\x00IEND\xaeB`\x82";

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let (model, _server) = loopback::model(play).await?;
    // Without a model to reflect, rules write the lessons; they name what they cannot see.
    let agent = Reflexion::builder(ChatActor::new(model))
        .evaluator(|finished: &FinishedAttempt| match finished.trial {
            1 => Evaluation::fail("count the documents, too"),
            _ => Evaluation::pass(),
        })
        .build()?;
    let inputs =
        [Part::text("What did I send you?"), Part::image(PNG), Part::document(b"%PDF-1.4 <</Type /Page>>".as_slice())];
    let outcome = agent.run(inputs).await?;
    println!("task: {}", outcome.task);
    for trial in &outcome.trials {
        println!("trial {}: {}", trial.number, trial.answer());
        if let Some(lesson) = &trial.lesson {
            println!("lesson: {}", lesson.lesson.summary);
        }
    }
    Ok(())
}

fn play(messages: &[Value]) -> Reply {
    match messages.last().map(words) {
        Some((text, 2)) if text.contains("<memory") => Reply::Text("A picture and a document."),
        Some((_, 2)) => Reply::Text("A picture."),
        _ => Reply::Text("Nothing."),
    }
}
