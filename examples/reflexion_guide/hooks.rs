//! Hooks that look on and step in: `cargo run --example reflexion_hooks`
#![expect(clippy::print_stdout, reason = "it shows what happens to the person at the terminal")]

use async_trait::async_trait;
use reflect_examples::loopback::{self, Reply, words};
use reflexion::{BoxError, Control, Evaluation, FinishedAttempt, Hooks, Reflexion};
use serde_json::Value;

/// A reviewer who knows better than the evaluator, and has seen enough after the third trial. Methods that are left out do nothing.
struct Reviewer;

#[async_trait]
impl Hooks for Reviewer {
    async fn on_trial_start(&self, trial: u32) -> Result<Control, BoxError> {
        Ok(if trial > 3 { Control::Stop("three are enough".into()) } else { Control::Continue })
    }

    async fn on_evaluated(&self, finished: &FinishedAttempt, evaluation: &Evaluation) -> Result<Control, BoxError> {
        println!("trial {}: `{}` is a {}", finished.trial, finished.answer(), evaluation.verdict.as_str());
        Ok(Control::ReplaceFeedback("write the number as a word".into()))
    }

    async fn on_reflection_generated(&self, trial: u32, _reflection: &str) -> Result<Control, BoxError> {
        Ok(Control::ReplaceLesson(format!("After trial {trial}: words, no digits.")))
    }
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let (model, _server) = loopback::model(play).await?;
    let never = |_: &FinishedAttempt| Evaluation::fail("no");
    let agent = Reflexion::with_model(model).evaluator(never).hooks(Reviewer).max_trials(9).build()?;
    let outcome = agent.run("What is 2 + 2?").await?;
    println!("{}", outcome.stop);
    if let Some(trial) = outcome.trials.first() {
        let lesson = trial.lesson.as_ref().map(|lesson| lesson.text()).unwrap_or_default();
        println!("feedback: {}\nlesson: {lesson}", trial.evaluation.feedback);
    }
    Ok(())
}

fn play(messages: &[Value]) -> Reply {
    match messages.last().is_some_and(|message| words(message).0.contains("words, no digits")) {
        true => Reply::Text("four"),
        false => Reply::Text("4"),
    }
}
