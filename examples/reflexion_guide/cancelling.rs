//! Cancelling a run, and what is left of it: `cargo run --example reflexion_cancelling`
#![expect(clippy::print_stdout, reason = "it shows what happens to the person at the terminal")]

use reflect_examples::loopback::{self, Reply};
use reflexion::{CancellationToken, Evaluation, Event, FinishedAttempt, Reflexion};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let (model, _server) = loopback::model(|_| Reply::Text("4")).await?;
    let cancel = CancellationToken::new();
    // Somebody presses a key when the first trial has ended.
    let pressed = cancel.clone();
    let agent = Reflexion::with_model(model)
        .evaluator(|_: &FinishedAttempt| Evaluation::fail("write the number as a word"))
        .listener(move |_at: reflexion::Timestamp, event: &Event| {
            if matches!(event, Event::TrialEnd { trial_number: 1, .. }) {
                pressed.cancel();
            }
        })
        .build()?;
    let outcome = agent.run_until("What is 2 + 2?", &cancel).await?;
    println!("{} after {} trial; the best answer so far is {}", outcome.stop, outcome.trials.len(), outcome.answer);
    Ok(())
}
