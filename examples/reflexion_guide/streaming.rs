//! The model's words while they arrive: `cargo run --example reflexion_streaming`
#![expect(clippy::print_stdout, reason = "it shows what happens to the person at the terminal")]

use reflect_examples::loopback::{self, Reply};
use reflexion::{ChatActor, Evaluation, FinishedAttempt, Reflexion};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let (model, _server) = loopback::model(|_| Reply::Text("A function that calls itself.")).await?;
    // Each piece says its trial: words of a trial that fails are out before anybody knows.
    let actor = ChatActor::new(model).on_text(|piece| println!("trial {}: {:?}", piece.trial, piece.text));
    let agent = Reflexion::builder(actor).evaluator(|_: &FinishedAttempt| Evaluation::pass()).build()?;
    let outcome = agent.run("What is recursion?").await?;
    println!("{}", outcome.answer);
    Ok(())
}
