//! Try, evaluate, reflect, try again: basic use, an evaluator of one's own, hooks and options, with the trials printed as they happen.
//!
//! ```text
//! cargo run --example reflexion                                       a scripted model, no network
//! cargo run --example reflexion -- --llm http://localhost:11434/v1 --model llama3.2
//! ```
//!
//! With `--llm` any endpoint that speaks OpenAI's protocol is asked; its key is in `OPENAI_API_KEY` where it needs one.
#![expect(clippy::print_stdout, reason = "it shows the trials to the person at the terminal")]

use std::sync::Arc;

use anyhow::Context;
use async_trait::async_trait;
use clap::{Arg, Command};
use reflect_llm::{
    AnswerFormat, ChatModel, ChatRequest, HttpClient, ProviderSettings, ScriptedModel, ScriptedStep, Secret,
    connect_with,
};
use reflexion::{BoxError, Control, Evaluation, FinishedAttempt, Hooks, Outcome, Reflexion, SystemClock};
use serde_json::json;

const TASK: &str = "Explain recursion to a beginner, with an example.";

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let option = |name: &'static str, help: &'static str| Arg::new(name).long(name).help(help);
    let arguments = Command::new("reflexion")
        .arg(option("llm", "The base URL of an endpoint that speaks OpenAI's protocol; a scripted model when unset"))
        .arg(option("model", "The model to ask there").default_value("gpt-5.4-mini"))
        .arg(option("task", "What is to be done").default_value(TASK))
        .get_matches();
    let text = |name: &str| arguments.get_one::<String>(name).cloned();
    let task = text("task").unwrap_or_default();
    let model = match text("llm") {
        Some(url) => reach(&url, &text("model").unwrap_or_default())?,
        None => Arc::new(ScriptedModel::answering(play)) as Arc<dyn ChatModel>,
    };

    println!("== One model for everything: it tries, judges and reflects");
    let agent = Reflexion::with_model(Arc::clone(&model)).max_trials(3).memory_size(3).hooks(Printing).build()?;
    show(&agent.run(&task).await?);

    println!("\n== An evaluator of one's own");
    let long_enough = |finished: &FinishedAttempt| match finished.answer().chars().count() {
        length if length > 100 => Evaluation::pass().scored(1.0),
        length => Evaluation::fail(format!("the answer has {length} characters; it must have more than 100")),
    };
    let agent = Reflexion::with_model(Arc::clone(&model)).evaluator(long_enough).hooks(Printing).build()?;
    show(&agent.run(&task).await?);

    println!("\n== Other numbers of trials and lessons");
    let agent =
        Reflexion::with_model(model).max_trials(5).memory_size(5).evaluator(long_enough).hooks(Printing).build()?;
    show(&agent.run(&task).await?);
    Ok(())
}

/// Prints what happens while it happens.
struct Printing;

#[async_trait]
impl Hooks for Printing {
    async fn on_trial_start(&self, trial: u32) -> Result<Control, BoxError> {
        println!("trial {trial} begins");
        Ok(Control::Continue)
    }

    async fn on_reflection_generated(&self, trial: u32, reflection: &str) -> Result<Control, BoxError> {
        println!("trial {trial} taught: {}", reflection.replace('\n', " "));
        Ok(Control::Continue)
    }

    async fn on_trial_end(&self, trial: u32, evaluation: &Evaluation) -> Result<Control, BoxError> {
        println!("trial {trial} ended: {} {}", evaluation.verdict.as_str(), evaluation.feedback);
        Ok(Control::Continue)
    }
}

fn show(outcome: &Outcome) {
    println!("{} after {} trials: {}", outcome.stop, outcome.trials.len(), outcome.answer);
}

fn reach(url: &str, model: &str) -> anyhow::Result<Arc<dyn ChatModel>> {
    let settings = ProviderSettings {
        base_url: Some(url.to_owned()),
        api_key: std::env::var("OPENAI_API_KEY").ok().map(Secret::new),
        ..ProviderSettings::new(HttpClient::new()?, Arc::new(SystemClock))
    };
    connect_with(&format!("openai/{model}"), &settings).with_context(|| format!("reaching {url}"))
}

/// Plays a model: what is asked for by a schema is a judgement or a lesson, anything else an attempt. An attempt that was shown a
/// lesson is better than one that was not.
fn play(request: &ChatRequest) -> ScriptedStep {
    let prompt = request.messages.last().map(|message| message.text.as_str()).unwrap_or_default();
    let good = "Recursion means that a function calls itself on a smaller part of its problem until that part is trivial. \
                Example: factorial(3) is 3 times factorial(2), and factorial(0) is simply 1.";
    ScriptedStep::text(match &request.answer {
        AnswerFormat::Text if prompt.contains("<memory") => good.to_owned(),
        AnswerFormat::Text => "Recursion: see recursion.".to_owned(),
        AnswerFormat::Json { name, .. } if name == "judgement" => match prompt.contains("factorial(3)") {
            true => json!({"explanation": "clear, with an example", "verdict": "pass", "confidence": 0.9}).to_string(),
            false => json!({"explanation": "no example was given", "verdict": "fail", "confidence": 0.9}).to_string(),
        },
        AnswerFormat::Json { .. } => json!({
            "summary": "The explanation was a joke and had no example.",
            "key_mistake": "Explained the word by itself.",
            "correct_action": "Say what happens in each step and where it ends.",
            "guidance": "Work through a small example such as a factorial.",
            "applicable_tools": [], "key_findings": [],
        })
        .to_string(),
    })
}
