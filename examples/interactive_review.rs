//! Solve a task with what earlier runs taught, then review the answer: the whole loop by explicit calls.
//!
//! ```text
//! export REFLECT_API_KEY=rf_live_…  REFLECT_PROJECT_ID=your-project  OPENAI_API_KEY=sk-…
//! cargo run --example interactive_review -- --task "Explain transformer attention in one sentence"
//! ```
#![expect(clippy::print_stdout, reason = "it speaks with the person at the terminal")]

use std::{
    io::{BufRead, Write},
    sync::Arc,
};

use anyhow::Context;
use clap::{Arg, ArgMatches, Command, value_parser};
use reflect_client::{Message, ReflectClient};
use reflect_llm::{ChatMessage, ChatModel, ChatRequest, HttpClient, ProviderSettings, Secret, connect_with};
use reflexion::SystemClock;

const SYSTEM_PROMPT: &str =
    "Solve the user's task. Use any relevant memories included in the prompt. Respond concisely.";

/// What the person at the terminal made of the answer.
enum Review {
    Pass,
    Fail(String),
    Defer,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = arguments();
    let text = |name: &str| arguments.get_one::<String>(name).cloned().unwrap_or_default();
    let (task, model_name) = (text("task"), text("model"));
    let limit = arguments.get_one::<u32>("limit").copied().unwrap_or(3);

    // Step 1: reach Reflect, and a model.
    let reflect = ReflectClient::builder()
        .base_url(text("base-url"))
        .api_key(text("reflect-api-key"))
        .project(text("project-id"))
        .build()?;
    let model = openai(&model_name)?;

    // Step 2: the task with what was learned about its like.
    let augmented = reflect.augment_with_memories(&task).limit(limit).await?;
    println!("Task: {task}");
    println!("Retrieved {} relevant memories.\n", augmented.memories.len());

    // Step 3: solve it.
    let request =
        ChatRequest::new(vec![ChatMessage::system(SYSTEM_PROMPT), ChatMessage::user(&augmented.augmented_task)]);
    let answer = model.chat(&request).await?.text.trim().to_owned();
    println!("Model answer:\n{answer}\n");

    // Step 4: review it, and store the run so that Reflect learns from it. Without a review it waits for a later one.
    let review = ask_for_review()?;
    let trajectory =
        [Message::system(SYSTEM_PROMPT), Message::user(&augmented.augmented_task), Message::assistant(&answer)];
    let trace = reflect.create_trace(&task, trajectory).memories(&augmented).model(&model_name);
    let (result, trace) = match &review {
        Review::Pass => ("pass", trace.passed()),
        Review::Fail(feedback) => ("fail", trace.failed(feedback)),
        Review::Defer => ("defer", trace),
    };
    let trace = trace.and_wait().await?;

    println!("\nResult:   {result}");
    if let Review::Fail(feedback) = &review {
        println!("Feedback: {feedback}");
    }
    println!("Trace id: {}", trace.id);
    println!("Review:   {}", trace.review_status);
    if let Some(memory_id) = trace.created_memory_id {
        println!("Memory created: {memory_id}");
    }
    Ok(())
}

fn arguments() -> ArgMatches {
    let option = |name: &'static str, help: &'static str| Arg::new(name).long(name).help(help);
    Command::new("interactive_review")
        .about("Solve a task with memories, then review the answer.")
        .arg(option("base-url", "Where Reflect is").env("REFLECT_API_URL").default_value("http://localhost:8000"))
        .arg(option("project-id", "The project").env("REFLECT_PROJECT_ID").required(true))
        .arg(option("reflect-api-key", "The key").env("REFLECT_API_KEY").hide_env_values(true).required(true))
        .arg(option("model", "The model to ask").default_value("gpt-5.4-mini"))
        .arg(option("task", "What is to be solved").default_value("Who is Sonam Pankaj?"))
        .arg(option("limit", "How many memories at most").value_parser(value_parser!(u32)).default_value("3"))
        .get_matches()
}

/// Any endpoint that speaks OpenAI's protocol: `OPENAI_API_KEY`, and `OPENAI_BASE_URL` if it is not OpenAI itself.
fn openai(model: &str) -> anyhow::Result<Arc<dyn ChatModel>> {
    let api_key = std::env::var("OPENAI_API_KEY").context("OPENAI_API_KEY must be set")?;
    let settings = ProviderSettings {
        base_url: std::env::var("OPENAI_BASE_URL").ok(),
        api_key: Some(Secret::new(api_key)),
        ..ProviderSettings::new(HttpClient::new()?, Arc::new(SystemClock))
    };
    Ok(connect_with(&format!("openai/{model}"), &settings)?)
}

fn ask_for_review() -> anyhow::Result<Review> {
    loop {
        match ask("Was this answer correct? [y/n/d (defer)]: ")?.to_lowercase().as_str() {
            "y" | "yes" => return Ok(Review::Pass),
            "n" | "no" => {
                let feedback = ask("What was wrong? (used as learning feedback): ")?;
                let said = if feedback.is_empty() { "The answer was incorrect.".into() } else { feedback };
                return Ok(Review::Fail(said));
            }
            "d" | "defer" => return Ok(Review::Defer),
            _ => println!("Please enter 'y', 'n', or 'd'."),
        }
    }
}

fn ask(question: &str) -> anyhow::Result<String> {
    print!("{question}");
    std::io::stdout().flush()?;
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line)?;
    anyhow::ensure!(read > 0, "nobody is there to answer; the run was not stored");
    Ok(line.trim().to_owned())
}
