//! Limits on what a run may use: `cargo run --example reflexion_budgets`
#![expect(clippy::print_stdout, reason = "it shows what happens to the person at the terminal")]

use std::time::Duration;

use reflect_examples::loopback::{self, Reply};
use reflexion::{Budgets, Evaluation, FinishedAttempt, Reflexion};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let (model, _server) = loopback::model(|_| Reply::Text("4")).await?;
    let budgets = Budgets {
        turns_per_trial: Some(10),
        tokens: Some(400),
        cost_usd: Some(0.50),
        time: Some(Duration::from_secs(60)),
        ..Default::default()
    };
    let agent = Reflexion::with_model(model)
        .evaluator(|_: &FinishedAttempt| Evaluation::fail("write the number as a word"))
        .budgets(budgets)
        // Without room for lessons none is paid for.
        .memory_size(0)
        .max_trials(100)
        .build()?;
    let outcome = agent.run("What is 2 + 2?").await?;
    let spent = outcome.spent().usage();
    println!("{} after {} trials", outcome.stop, outcome.trials.len());
    println!("{} tokens read, {} written", spent.input_tokens, spent.output_tokens);
    Ok(())
}
