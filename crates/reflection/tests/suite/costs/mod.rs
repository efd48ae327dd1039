//! What a trace costs: the figures of the guide, measured anew.
//!
//! `cargo test -p reflection --test suite costs -- --nocapture` prints them.

#![expect(clippy::unwrap_used, reason = "in tests a failure is the message")]

mod runs;

use std::sync::Arc;

use reflect_llm::{ChatModel, Prices, ScriptedModel, ScriptedStep, Usage};
use reflection::{Judge, JudgeOptions, LlmReflector, LlmReflectorOptions, ReviewedRun, RunReflector, estimated_tokens};

/// The example of the guide: a model, and the tokens of a lesson and of a judge's answer.
const MODEL: &str = "openai/gpt-5.4-mini";
const LESSON_TOKENS: u64 = 300;
const VERDICT_TOKENS: u64 = 100;

/// The tokens of everything that a model was sent.
fn sent(model: &ScriptedModel) -> u64 {
    let request = model.requests().remove(0);
    request.messages.iter().map(|message| estimated_tokens(&message.text) as u64).sum()
}

async fn lesson(run: &ReviewedRun) -> u64 {
    let model = Arc::new(ScriptedModel::answering(|_| ScriptedStep::text("{}")));
    let reflector = LlmReflector::new(Arc::clone(&model) as Arc<dyn ChatModel>, LlmReflectorOptions::default());
    reflector.reflect_run(run).await.unwrap_err();
    sent(&model)
}

async fn verdict(run: &ReviewedRun) -> u64 {
    let model = Arc::new(ScriptedModel::answering(|_| ScriptedStep::text("Verdict: fail")));
    let judge = Judge::new(Arc::clone(&model) as Arc<dyn ChatModel>, JudgeOptions::default());
    judge.judge(&runs::pending(run), None).await.unwrap();
    sent(&model)
}

/// Cents, as the guide writes them.
fn cents(input_tokens: u64, output_tokens: u64) -> String {
    let usage = Usage { input_tokens, output_tokens, ..Usage::default() };
    format!("{:.2} ¢", Prices::default().cost(MODEL, usage).unwrap() * 100.0)
}

fn thousands(number: u64) -> String {
    match number {
        0..1_000 => number.to_string(),
        _ => format!("{},{:03}", thousands(number / 1_000), number % 1_000),
    }
}

fn characters(run: &ReviewedRun) -> u64 {
    let seen = run.messages.iter().flat_map(|message| &message.tool_results).map(|result| result.text.len());
    let said = run.messages.iter().map(|message| message.text.len());
    seen.chain(said).sum::<usize>() as u64
}

#[tokio::test]
async fn the_guide_tells_what_a_trace_costs() {
    let guide = include_str!("../../../../../docs/reflection.md");
    let mut missing = Vec::new();
    for (name, run) in runs::all() {
        let (lesson, verdict) = (lesson(&run).await, verdict(&run).await);
        let row = format!(
            "| {name} | {} | {} | {} | {} | {} |",
            thousands(characters(&run)),
            thousands(lesson),
            cents(lesson, LESSON_TOKENS),
            thousands(verdict),
            cents(verdict, VERDICT_TOKENS)
        );
        println!("{row}");
        if !guide.contains(&row) {
            missing.push(row);
        }
    }
    assert!(missing.is_empty(), "docs/reflection.md lacks\n{}", missing.join("\n"));
}
