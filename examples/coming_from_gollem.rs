//! The examples of gollem's `strategy/reflexion`, one after the other: basic use, an evaluator of one's own, hooks.
//!
//! ```text
//! cargo run --example coming_from_gollem
//! ```
#![expect(clippy::print_stdout, reason = "it prints what the originals log")]

use async_trait::async_trait;
use reflect_examples::loopback::{self, Reply, words};
use reflexion::{BoxError, Control, Evaluation, FinishedAttempt, Hooks, Reflexion};
use serde_json::Value;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    // openai.New(ctx, apiKey)
    let (model, _server) = loopback::model(play).await?;

    println!("== Basic example");
    // reflexion.New(client, WithMaxTrials(3), WithMemorySize(3)), gollem.New(client, WithStrategy(strategy))
    let agent = Reflexion::with_model(model.clone()).max_trials(3).memory_size(3).build()?;
    // agent.Execute(ctx, gollem.Text("…"))
    let outcome = agent.run("What is recursion?").await?;
    println!("{}", outcome.answer);

    println!("== Custom evaluator");
    let evaluator = |finished: &FinishedAttempt| match finished.answer().contains("for example") {
        true => Evaluation::pass().scored(1.0),
        false => Evaluation::fail("Response missing expected content"),
    };
    let agent = Reflexion::with_model(model.clone()).evaluator(evaluator).build()?;
    let outcome = agent.run("What is recursion?").await?;
    let feedback = outcome.trials.first().map(|trial| trial.evaluation.feedback.as_str()).unwrap_or_default();
    println!("{} (first: {feedback})", outcome.answer);

    println!("== Using hooks");
    let agent = Reflexion::with_model(model).hooks(MyHooks).build()?;
    agent.run("What is recursion?").await?;
    Ok(())
}

struct MyHooks;

#[async_trait]
impl Hooks for MyHooks {
    async fn on_trial_start(&self, trial: u32) -> Result<Control, BoxError> {
        println!("Starting trial {trial}");
        Ok(Control::Continue)
    }

    async fn on_trial_end(&self, trial: u32, evaluation: &Evaluation) -> Result<Control, BoxError> {
        println!("Trial {trial} ended - Success: {}", evaluation.passed());
        Ok(Control::Continue)
    }

    async fn on_reflection_generated(&self, _trial: u32, reflection: &str) -> Result<Control, BoxError> {
        println!("Reflection: {reflection}");
        Ok(Control::Continue)
    }
}

/// Explains better once it has read a lesson.
fn play(messages: &[Value]) -> Reply {
    match messages.last().is_some_and(|message| words(message).0.contains("<memory")) {
        true => Reply::Text("A function that calls itself, for example a factorial."),
        false => Reply::Text("A function that calls itself."),
    }
}
